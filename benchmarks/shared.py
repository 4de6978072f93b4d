"""Data sets, options, progress and tables that the scripts share."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from sgpmic_cli.benchmark.render.tables import markdown_table
from sgpmic_cli.benchmark.run import FinishedStudy, RunOptions
from sgpmic_cli.commands.output import Output, RunProgress
from sgpmic_cli.data.registry import entry, names

BUNDLED = [name for name in names() if entry(name).kind == "bundled"]
FAILED_RUNS = 3  # exit code, as in the package's own commands


def study_parser(description: str | None, *, out: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every study has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path(out), help="folder for the tables")
    parser.add_argument("--store", type=Path, help="folder of run records; default: OUT/runs")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1: one per core")
    parser.add_argument("--retry-failed", action="store_true", help="compute failed runs again")
    return parser


@contextmanager
def run_options(asked: argparse.Namespace) -> Iterator[RunOptions]:
    """Yield the run options of the arguments of `study_parser`, and show the progress of runs."""
    with RunProgress(Output()) as watcher:
        store = asked.store or asked.out / "runs"
        yield RunOptions(store, asked.n_jobs, retry_failed=asked.retry_failed, watcher=watcher)


def end_study(finished: FinishedStudy, out: Path) -> None:
    """Print how many runs were computed, and exit with code 3 if some failed."""
    print(f"{finished.computed} runs computed, {finished.reused} reused; tables in {out}")
    if finished.failed:
        progress(f"{finished.failed} runs failed; --retry-failed runs them again")
        sys.exit(FAILED_RUNS)


def progress(line: str) -> None:
    """Print a line to stderr."""
    print(line, file=sys.stderr, flush=True)


def number_table(corner: str, frame: pd.DataFrame, form: str) -> str:
    """Return the numbers of a data frame as a Markdown table with its index and columns."""
    rows = zip(map(str, frame.index), frame.to_numpy(), strict=True)
    body = [[name, *map(form.format, row)] for name, row in rows]
    return markdown_table([corner, *map(str, frame.columns)], body)
