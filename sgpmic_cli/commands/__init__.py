"""The `sgpmic` command: one file for each subcommand, and the one place where errors become sentences.

Nothing here may import numpy and its kin at the top: `sgpmic --help` and shell completion answer at once.
"""

import errno
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sgpmic_cli._version import __version__
from sgpmic_cli.commands import (
    benchmark,
    check,
    datasets,
    fit,
    info,
    plot,
    predict,
    report,
    search_asrun,
    speed,
    sweeps,
    table1,
)
from sgpmic_cli.commands.terminal.examples import epilog
from sgpmic_cli.commands.terminal.option_names import in_options
from sgpmic_cli.commands.terminal.table_options import said_in_options
from sgpmic_cli.errors import SgpmicError

INTERRUPTED = 130
WrongUse: type[Exception] = typer.BadParameter.__mro__[1]  # of options: Typer does not give the general class a name


class Commands(TyperGroup):
    """The subcommands, with every error a person can act on turned into one sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except SgpmicError as error:
            _say(in_options(said_in_options(error, self._options(ctx))))
            raise typer.Exit(error.exit_code) from None
        except WrongUse as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                raise
            _say(error.format_message())  # type: ignore[attr-defined]
            raise typer.Exit(2) from None
        except KeyboardInterrupt as interrupt:
            _say(str(interrupt) or "interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of a pipe has had enough; Typer ends quietly
                raise
            where = f" {error.filename!r}" if error.filename else ""
            _say(f"the system refused access{where}: {error.strerror or error}.")
            raise typer.Exit(1) from None

    def _options(self, ctx: Any) -> list[str]:
        """The options that the subcommand has: no other may be recommended."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        return [] if command is None else [name for parameter in command.params for name in parameter.opts]


def _say(sentence: str) -> None:
    print(f"sgpmic: {sentence.strip().removesuffix('.')}.", file=sys.stderr, flush=True)


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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
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
        "search-asrun": search_asrun.search_asrun,
        "speed": speed.speed,
        "info": info.info,
    },
}
for _panel, _commands in PANELS.items():
    for _name, _command in _commands.items():
        app.command(_name, rich_help_panel=_panel, epilog=epilog(_name))(_command)
app.add_typer(datasets.app, name="datasets", rich_help_panel="Cluster data", epilog=epilog("datasets"))
