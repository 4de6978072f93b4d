"""The `sgpmic` command: one file for each subcommand, and the one place where errors become sentences.

Nothing here may import numpy and its kin at the top: `sgpmic --help` and shell completion answer at once.
"""

import errno
import sys
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
    study,
    sweeps,
    table1,
)
from sgpmic_cli.commands.terminal.option_names import in_options
from sgpmic_cli.errors import SgpmicError

INTERRUPTED = 130


class Commands(TyperGroup):
    """The subcommands, with every error a person can act on turned into one sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except SgpmicError as error:
            _say(in_options(str(error)))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as interrupt:
            _say(str(interrupt) or "interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of a pipe has had enough; Typer ends quietly
                raise
            where = f" {error.filename!r}" if error.filename else ""
            _say(f"the system refused access{where}: {error.strerror or error}.")
            raise typer.Exit(1) from None


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
    help="Cluster with mixtures of sparse Gaussian processes, and put the SGP-MIC paper's experiments beside our own.",
)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Hold the options that come before a subcommand."""


app.command("benchmark")(benchmark.benchmark)
app.command("fit")(fit.fit)
app.command("predict")(predict.predict)
app.command("sweep-inducing")(sweeps.sweep_inducing)
app.command("sweep-clusters")(sweeps.sweep_clusters)
app.command("study")(study.study)
app.command("table1")(table1.table1)
app.command("check")(check.check)
app.command("search-asrun")(search_asrun.search_asrun)
app.command("speed")(speed.speed)
app.command("plot")(plot.plot)
app.command("report")(report.report)
app.command("info")(info.info)
app.add_typer(datasets.app, name="datasets")
