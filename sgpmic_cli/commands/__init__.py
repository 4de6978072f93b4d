"""The `sgpmic` command: its subcommands, and the conversion of errors to sentences and exit codes.

The modules of commands import NumPy, pandas and other large packages inside functions only, so that
`sgpmic --help` and shell completion are fast.
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperGroup

from sgpmic_cli import __version__
from sgpmic_cli.commands import datasets, experiments, fit
from sgpmic_cli.commands.shared_options import print_help
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.text import for_terminal

INTERRUPTED = 130

# The commands in the order of the help: panel, name, function, example.
CLUSTER, PAPER, MAINTAIN = "Cluster data", "Reproduce the paper", "Maintain"
COMMANDS: list[tuple[str, str, Any, str]] = [
    (CLUSTER, "fit", fit.fit, "birds.csv --clusters 2-8 --drop ring"),
    (CLUSTER, "predict", fit.predict, "sgpmic-out/fit/birds new.csv"),
    (CLUSTER, "report-clusters", fit.report_clusters, "birds.csv --label hdbscan"),
    (CLUSTER, "datasets", datasets.datasets_app, "fetch yale"),
    (PAPER, "benchmark", experiments.benchmark, "--dataset my.csv --methods sgp-mic,pca-fcm"),
    (PAPER, "table1", experiments.table1, ""),
    (PAPER, "sweep-clusters", experiments.sweep_clusters, "--dataset iris --repeats 3"),
    (PAPER, "sweep-inducing", experiments.sweep_inducing, "--dataset iris --repeats 3"),
    (PAPER, "plot", experiments.plot, "figure6"),
    (PAPER, "report", experiments.report, "--results results"),
    (MAINTAIN, "check", experiments.check, "--dataset iris --full"),
    (MAINTAIN, "info", datasets.info, ""),
]


class Commands(TyperGroup):
    """The group of subcommands, which prints each error as one sentence on stderr."""

    def main(self, args: Any = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse the arguments, run the subcommand, and exit with its code."""
        words = sys.argv[1:] if args is None else list(args)
        code, sentence = 1, ""
        try:
            code = super().main(words, standalone_mode=False, **extra) or 0
            sys.stdout.flush()
            if code == INTERRUPTED:
                sentence = "interrupted; the same command resumes a benchmark"
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "sgpmic"
            message = error.format_message().strip().removesuffix(".").replace("Value error, ", "")
            sentence, code = f"{message}; see `{path} --help`", error.exit_code
        except SgpmicError as error:
            sentence, code = str(error), error.exit_code
        except MemoryError as error:
            reason = f"not enough memory ({error})" if str(error) else "not enough memory"
            sentence = f"{reason}: end other programs, or use fewer processes, threads or rows"
        except OSError as error:
            if error.filename is None:  # stdout is closed or full: Python must not flush it again
                with suppress(OSError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                name = error.filename
                what = f"cannot access {os.fsdecode(name)!r}" if name else "cannot write"
                sentence = f"{what}: {error.strerror or error}"
        except Exception as error:
            sentence = (
                f"unexpected {type(error).__name__}: {error}; this is a bug in sgpmic: please "
                f"report it with the file {_write_traceback(words)}"
            )
        if sentence:
            with suppress(OSError):  # stderr may be closed or full
                text = for_terminal(sentence).strip().removesuffix(".")
                print(f"sgpmic: {text}.", file=sys.stderr, flush=True)
        if standalone_mode:
            sys.exit(code)
        return code


def _write_traceback(words: Sequence[str]) -> str:
    """Write the traceback of the current exception into a temporary file, and return its path."""
    head = f"sgpmic {__version__}, Python {sys.version}, arguments {list(words)}\n"
    descriptor, path = tempfile.mkstemp(".txt", "sgpmic-error-")
    with open(descriptor, "wb") as file:
        file.write((head + traceback.format_exc()).encode("utf-8", "backslashreplace"))
    return path


app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
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


for _panel, _name, _command, _example in COMMANDS:
    _line = f"sgpmic {_name} {_example}".strip()
    _look: Any = {"rich_help_panel": _panel, "epilog": f"Example: `{_line}`"}
    if isinstance(_command, typer.Typer):
        app.add_typer(_command, name=_name, **_look)
    else:
        app.command(_name, **_look)(_command)
