"""The `sgpmic` command: one file for each subcommand, and the one place where errors become sentences.

Nothing here may import numpy and its kin at the top: `sgpmic --help` and shell completion answer at once.
"""

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sgpmic_cli._version import __version__
from sgpmic_cli.commands.cluster_data import datasets, fit, plot, predict
from sgpmic_cli.commands.maintain import check, info
from sgpmic_cli.commands.reproduce import benchmark, report, sweeps, table1
from sgpmic_cli.commands.terminal.options.help_text import epilog, flowing
from sgpmic_cli.commands.terminal.options.option_names import in_options
from sgpmic_cli.commands.terminal.options.table_options import said_in_options
from sgpmic_cli.errors import SgpmicError, Terminated
from sgpmic_cli.safe_text import for_terminal

INTERRUPTED, TERMINATED = 130, 143


class Commands(TyperGroup):
    """The subcommands, with every error a person can act on turned into one sentence and an exit code."""

    def main(self, args: Any = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse and run; a wrong option is a sentence like every other error."""
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except typer.TyperException as error:
            _say(_what_is_wrong(error))
            code = getattr(error, "exit_code", 2)
        except typer.Abort:
            _say("interrupted.")
            code = INTERRUPTED
        code = _flushed(code if isinstance(code, int) else 0)
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except SgpmicError as error:
            _say(in_options(said_in_options(error, self._options(ctx))))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as interrupt:
            _say(str(interrupt) or "interrupted.")
            raise typer.Exit(
                TERMINATED if isinstance(interrupt, Terminated) else INTERRUPTED
            ) from None
        except MemoryError:
            _say(
                "there is not enough memory for this: give fewer rows or a smaller --n-jobs, or close other programs."
            )
            raise typer.Exit(1) from None
        except OSError as error:
            if error.errno != errno.EPIPE:  # the reader of a pipe has had enough
                what = (
                    f"the system refused access to {os.fsdecode(error.filename)!r}"
                    if error.filename
                    else "cannot write"
                )
                _say(f"{what}: {error.strerror or error}.")
            raise typer.Exit(1) from None

    def _options(self, ctx: Any) -> list[str]:
        """The options that the subcommand has: no other may be recommended."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        return (
            []
            if command is None
            else [name for parameter in command.params for name in parameter.opts]
        )


def _what_is_wrong(error: Exception) -> str:
    """The parser's complaint, and where to read on."""
    complaint = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "sgpmic"
    return f"{complaint.strip().removesuffix('.')}; `{path} --help` lists what there is."


def _flushed(code: int) -> int:
    """The exit code once everything printed has left; what cannot leave is told, and then forgotten."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if error.errno != errno.EPIPE and not code:
            _say(f"the result could not be printed: {error.strerror}.")
        with suppress(
            OSError, ValueError
        ):  # or the interpreter would complain once more when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or 1
    return code


def _say(sentence: str) -> None:
    with suppress(OSError):  # with standard error closed or full there is nobody to tell
        print(
            f"sgpmic: {for_terminal(sentence).strip().removesuffix('.')}.",
            file=sys.stderr,
            flush=True,
        )


def _version(wanted: bool) -> None:
    if wanted:
        print(f"sgpmic {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Cluster with mixtures of sparse Gaussian processes, and put the SGP-MIC paper's experiments beside our own.",
)


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Hold the options that come before a subcommand."""


PANELS: dict[str, dict[str, Callable[..., None]]] = {
    "Cluster data": {"fit": fit.fit, "predict": predict.predict, "plot": plot.plot},
    "Reproduce the paper": {
        "benchmark": benchmark.benchmark,
        "table1": table1.table1,
        "sweep-clusters": sweeps.sweep_clusters,
        "sweep-inducing": sweeps.sweep_inducing,
        "report": report.report,
    },
    "Maintain": {
        "check": check.check,
        "info": info.info,
    },
}
for _panel, _commands in PANELS.items():
    for _name, _command in _commands.items():
        app.command(
            _name, help=flowing(_command.__doc__), rich_help_panel=_panel, epilog=epilog(_name)
        )(_command)
app.add_typer(
    datasets.app, name="datasets", rich_help_panel="Cluster data", epilog=epilog("datasets")
)
