"""The `sgpmic` command: registration of the subcommands and conversion of errors to exit codes.

The modules of commands import NumPy, pandas and other large packages inside functions only, so that
`sgpmic --help` and shell completion are fast.
"""

import errno
import inspect
import os
import sys
import tempfile
import traceback
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperGroup

from sgpmic_cli._version import __version__
from sgpmic_cli.commands import benchmark, check, datasets, fit, plot, sweeps
from sgpmic_cli.commands.shared_options import print_help
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.text import as_option_value, for_terminal

PANELS: dict[str, dict[str, Any]] = {
    "Cluster data": {
        "fit": fit.fit,
        "predict": fit.predict,
        "report-clusters": fit.report_clusters,
        "plot": plot.plot,
        "datasets": datasets.datasets_app,
    },
    "Reproduce the paper": {
        "benchmark": benchmark.benchmark,
        "table1": benchmark.table1,
        "sweep-clusters": sweeps.sweep_clusters,
        "sweep-inducing": sweeps.sweep_inducing,
        "report": benchmark.report,
    },
    "Maintain": {"check": check.check, "info": datasets.info},
}

EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "fit": [
        ("sgpmic fit birds.csv", "choose the number of clusters and describe each cluster"),
        ("sgpmic fit birds.csv --clusters 2-8 --drop ring", "try 2 to 8 clusters without a column"),
        ("sgpmic fit iris --method sgp-mic", "fit the paper's model"),
    ],
    "predict": [("sgpmic predict sgpmic-out/fit/birds new.csv", "assign the rows of a new file")],
    "report-clusters": [
        ("sgpmic report-clusters birds.csv --label hdbscan", "describe clusters from elsewhere")
    ],
    "plot": [
        ("sgpmic plot figure6", "draw the paper's figure 6, convergence on six data sets"),
        ("sgpmic plot embedding --data wine", "draw the latent space of one data set"),
    ],
    "datasets": [
        ("sgpmic datasets list", "list all data sets"),
        ("sgpmic datasets fetch yale", "download a data set that is not bundled"),
    ],
    "benchmark": [
        ("sgpmic benchmark --dataset iris", "run all methods on iris"),
        ("sgpmic benchmark my.csv --label y --methods sgp-mic,pca-fcm", "run two on a file"),
    ],
    "sweep-clusters": [("sgpmic sweep-clusters iris --repeats 3", "run a short sweep on iris")],
    "sweep-inducing": [("sgpmic sweep-inducing iris --repeats 3", "run a short sweep on iris")],
    "table1": [("sgpmic table1", "compare the shapes of the data sets with the paper's")],
    "report": [("sgpmic report --results results", "write the page about the folder results")],
    "check": [("sgpmic check", "recompute the fast cells and compare them with the reference")],
    "info": [("sgpmic info", "print versions, paths and data sets for a bug report")],
}


class Commands(TyperGroup):
    """The group of subcommands, which prints each error as one sentence on stderr."""

    def main(self, args: Any = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse the arguments, run the subcommand, and exit with its code."""
        code: Any = 1
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "sgpmic"
            message = error.format_message().strip().removesuffix(".")
            _print_error(f"{message}; see `{path} --help`.")
            code = error.exit_code
        except MemoryError as error:
            reason = f"not enough memory ({error})" if str(error) else "not enough memory"
            _print_error(f"{reason}: end other programs, or use a smaller --n-jobs or fewer rows.")
        except OSError as error:  # Typer ends quietly if the reader of a pipe has closed it
            name = error.filename
            what = f"cannot access {os.fsdecode(name)!r}" if name else "cannot write"
            _print_error(f"{what}: {error.strerror or error}.")
        except Exception as error:
            _print_error(
                f"unexpected {type(error).__name__}: {error}; this is a bug in sgpmic: please "
                f"report it with the file {_write_traceback(args)}."
            )
        code = _flush_stdout(code if isinstance(code, int) else 0)
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except SgpmicError as error:
            _print_error(self._message(error, ctx))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as interrupt:
            _print_error(str(interrupt) or "interrupted.")
            raise typer.Exit(130) from None

    def _message(self, error: SgpmicError, ctx: Any) -> str:
        """Return the message of an error; a TableError recommends options of the subcommand."""
        from sgpmic_cli.tables.options import TableError

        if not isinstance(error, TableError):
            return str(error)
        command = self.get_command(ctx, ctx.invoked_subcommand)
        options = [name for each in command.params for name in each.opts] if command else []

        def as_option(parameter: str, value: Any) -> str | None:
            values = value if isinstance(value, list) else [str(value)]
            name = f"--{parameter}"
            return f"{name} {as_option_value(values)}" if name in options else None

        return error.message(as_option)


def _flush_stdout(code: int) -> int:
    """Flush stdout and return the exit code, which is 1 if the output could not be written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if error.errno != errno.EPIPE and not code:
            _print_error(f"the result could not be printed: {error.strerror}.")
        with suppress(OSError, ValueError):  # else the interpreter reports the error again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or 1
    return code


def _write_traceback(arguments: Any) -> str:
    """Write the traceback of the current exception into a temporary file, and return its path."""
    head = f"sgpmic {__version__}, Python {sys.version}, arguments {arguments or sys.argv[1:]}\n"
    descriptor, path = tempfile.mkstemp(".txt", "sgpmic-error-")
    with open(descriptor, "wb") as file:
        file.write((head + traceback.format_exc()).encode("utf-8", "backslashreplace"))
    return path


def _print_error(sentence: str) -> None:
    text = for_terminal(sentence).strip().removesuffix(".")
    with suppress(OSError):  # stderr may be closed or full
        print(f"sgpmic: {text}.", file=sys.stderr, flush=True)


app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Cluster tables with a Gaussian-process map, and reproduce the SGP-MIC paper.",
)


@app.callback()
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """Print the version, or the help if there is no subcommand."""
    if version:
        print(f"sgpmic {__version__}")
        raise typer.Exit
    print_help(context)


for _panel, _commands in PANELS.items():
    for _name, _command in _commands.items():
        _lines = (f"[bold]{line}[/bold]  {meaning}" for line, meaning in EXAMPLES[_name])
        _look: Any = {
            "rich_help_panel": _panel,
            "epilog": "\n\n".join(["Examples:", *_lines]),
        }
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, **_look)
        else:
            # Join the lines of each paragraph, so that the terminal wraps the text.
            _parts = inspect.cleandoc(_command.__doc__ or "").split("\n\n")
            _help = "\n\n".join(" ".join(part.split()) for part in _parts)
            app.command(_name, help=_help, **_look)(_command)
