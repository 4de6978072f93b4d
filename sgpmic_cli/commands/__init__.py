"""The `sgpmic` command: registration of the subcommands and conversion of errors to exit codes.

The module of a command is imported when the command is used. Such a module imports NumPy, pandas
and other large packages inside functions only, so that `sgpmic --help` and shell completion are
fast.
"""

import errno
import inspect
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from sgpmic_cli._version import __version__
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.text import as_option_value, for_terminal

# The panel of each subcommand in the help, and its function or group as "module:name".
SUBCOMMANDS = {
    "fit": ("Cluster data", "fit:fit"),
    "predict": ("Cluster data", "fit:predict"),
    "report-clusters": ("Cluster data", "fit:report_clusters"),
    "plot": ("Cluster data", "plot:plot"),
    "datasets": ("Cluster data", "datasets:datasets_app"),
    "benchmark": ("Reproduce the paper", "benchmark:benchmark"),
    "table1": ("Reproduce the paper", "benchmark:table1"),
    "sweep-clusters": ("Reproduce the paper", "sweeps:sweep_clusters"),
    "sweep-inducing": ("Reproduce the paper", "sweeps:sweep_inducing"),
    "report": ("Reproduce the paper", "benchmark:report"),
    "check": ("Maintain", "check:check"),
    "info": ("Maintain", "datasets:info"),
}

EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "fit": [
        ("sgpmic fit birds.csv", "choose the number of clusters and describe each cluster"),
        ("sgpmic fit birds.csv --clusters 2-8 --id ring", "try 2 to 8 clusters; name rows by ring"),
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


class LazyCommands(Mapping[str, Any]):
    """The subcommands by name, which are imported when they are looked up."""

    def __getitem__(self, name: str) -> Any:
        panel, target = SUBCOMMANDS[name]
        module, _, attribute = target.partition(":")
        found = getattr(import_module(f"{__name__}.{module}"), attribute)
        examples = (f"[bold]{line}[/bold]  {meaning}" for line, meaning in EXAMPLES[name])
        look: Any = {
            "rich_help_panel": panel,
            "epilog": "\n\n".join(["Examples:", *examples]),
        }
        parent = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
        if isinstance(found, typer.Typer):
            parent.add_typer(found, name=name, **look)
        else:
            # Join the lines of each paragraph, so that the terminal wraps the text.
            parts = inspect.cleandoc(found.__doc__ or "").split("\n\n")
            text = "\n\n".join(" ".join(part.split()) for part in parts)
            parent.command(name, help=text, **look)(found)
        parent.callback()(lambda: None)  # makes it a group, also with one command
        return typer.main.get_group(parent).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SUBCOMMANDS)

    def __len__(self) -> int:
        return len(SUBCOMMANDS)


class Commands(TyperGroup):
    """The group of subcommands, which prints each error as one sentence on stderr."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = LazyCommands()  # type: ignore[assignment]

    def main(self, args: Any = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse the arguments, run the subcommand, and exit with its code."""
        self.arguments = sys.argv[1:] if args is None else list(args)
        code: Any = 1
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "sgpmic"
            message = error.format_message().strip().removesuffix(".")
            _print_error(f"{message}; see `{path} --help`.")
            code = error.exit_code
        except typer.Abort:  # Ctrl-C while the arguments are parsed
            _print_error("interrupted.")
            code = 130
        except MemoryError as error:
            _print_error(_memory_sentence(error))
        except OSError as error:  # Typer ends quietly if the reader of a pipe has closed it
            name = error.filename
            what = f"cannot access {os.fsdecode(name)!r}" if name else "cannot write"
            _print_error(f"{what}: {error.strerror or error}.")
        except Exception as error:
            _print_error(
                f"unexpected {type(error).__name__}: {error}; this is a bug in sgpmic: please "
                f"report it with the file {_write_traceback(self.arguments)}."
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


def _write_traceback(arguments: Sequence[str]) -> str:
    """Write the traceback of the current exception into a temporary file, and return its path."""
    head = f"sgpmic {__version__}, Python {sys.version}, arguments {list(arguments)}\n"
    try:
        descriptor, path = tempfile.mkstemp(".txt", "sgpmic-error-")
        with open(descriptor, "wb") as file:
            file.write((head + traceback.format_exc()).encode("utf-8", "backslashreplace"))
    except OSError as error:
        return f"that could not be written ({error.strerror})"
    return path


def _memory_sentence(error: MemoryError) -> str:
    """Return what to do if the memory does not suffice."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    reason = f"not enough memory ({error})" if str(error) else "not enough memory"
    if limit != resource.RLIM_INFINITY:
        return f"{reason}: this process may use {limit >> 20} MB only, raise it with `ulimit -v`."
    return f"{reason}: end other programs, or use a smaller --n-jobs or fewer rows."


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


def print_help(context: typer.Context) -> None:
    """Print the help of a group that is called without a subcommand."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
