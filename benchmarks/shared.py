"""Options, progress, tables and timing that the scripts share."""

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from sgpmic_cli.commands.terminal_tables import table
from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, RunOptions, Watcher
from sgpmic_cli.experiments.run.records import Record

FAILED_RUNS = 3  # exit code, as in the package's own commands
RUNS_PER_LINE = 50  # of the progress
CALLS = 3  # consecutive calls per turn, as an optimiser makes them


def study_parser(description: str | None, *, out: str, seed: int = 0) -> argparse.ArgumentParser:
    """Return a parser with the options that every study has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path(out), help="folder for the tables")
    parser.add_argument("--store", type=Path, help="folder of run records; default: OUT/runs")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1: one per core")
    parser.add_argument("--retry-failed", action="store_true", help="compute failed runs again")
    return parser


def run_options(asked: argparse.Namespace) -> RunOptions:
    """Return the run options that the arguments of `study_parser` describe."""
    store = asked.store or asked.out / "runs"
    return RunOptions(store, asked.n_jobs, retry_failed=asked.retry_failed, watcher=Progress())


class Progress(Watcher):
    """A watcher that prints now and then how many runs are left."""

    def planned(self, kept: int, pending: Sequence[Run]) -> None:
        """Start counting."""
        self.left = len(pending)

    def finished(self, record: Record) -> None:
        """Count one run."""
        self.left -= 1
        if self.left % RUNS_PER_LINE == 0:
            progress(f"{self.left} runs left")

    def warn(self, sentence: str) -> None:
        """Print a warning."""
        progress(f"warning: {sentence}")


def end_study(finished: FinishedStudy, out: Path) -> None:
    """Print how many runs were computed, and exit with code 3 if some failed."""
    print(f"{finished.computed} runs computed, {finished.reused} reused; tables in {out}")
    if finished.failed:
        progress(f"{finished.failed} runs failed; --retry-failed runs them again")
        sys.exit(FAILED_RUNS)


def progress(line: str) -> None:
    """Print a line to stderr."""
    print(line, file=sys.stderr, flush=True)


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column is text and whose other columns are numbers."""
    Console().print(table(head, rows, left=head[:1]))


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document as indented JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def fastest(
    candidates: Mapping[str, Callable[[], object]],
    *,
    turns: int = 10,
    clock: Callable[[], float] = time.thread_time,
) -> dict[str, float]:
    """Return the milliseconds of the fastest call of each candidate.

    The candidates take turns after one warm-up call, so that a change of the machine's speed
    affects all of them. The default clock is the processor time of this thread, which does not
    count other work on the machine.
    """
    for call in candidates.values():
        call()
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(turns):
        for name, call in candidates.items():
            for _ in range(CALLS):
                start = clock()
                call()
                best[name] = min(best[name], 1e3 * (clock() - start))
    return best


def iteration_ms(make: Callable[..., Any], Y: Any, **parameters: Any) -> tuple[float, Any]:
    """Fit an estimator, and return the shortest time between two EM iterations and the estimator.

    The time before the first iteration (scaling and initialisation) is not counted.
    """
    times: list[float] = []
    model = make(callback=lambda *_: times.append(time.perf_counter()), **parameters).fit(Y)
    if len(times) < 2:
        raise ValueError("the fit ended after one iteration, so no iteration could be timed")
    return 1e3 * min(after - before for before, after in itertools.pairwise(times)), model
