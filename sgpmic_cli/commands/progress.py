"""Progress on stderr: a bar on a terminal, otherwise a line every ten seconds."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sgpmic_cli.commands.output import Output, duration
from sgpmic_cli.errors import CellsFailed
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, Watcher
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.safe_text import for_terminal

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Placing, Round

LINE_SECONDS = 10.0  # between two lines of progress
SPEED_SECONDS = 120  # the time left is estimated from the speed in this period
STARTING = "initialising the fit"


@contextmanager
def periodic_lines(output: Output, state: Callable[[], str]) -> Iterator[None]:
    """Print `state()` every ten seconds from a thread, also during a long step."""
    done = threading.Event()

    def print_lines() -> None:
        while not done.wait(LINE_SECONDS):
            output.note(state())

    thread = threading.Thread(target=print_lines, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def fit_progress(
    output: Output, start: str = STARTING
) -> Iterator[Callable[["Round | Placing"], None] | None]:
    """Yield a callback for the iterations of a fit and the blocks of assigned rows."""
    if output.quiet:
        yield None
    elif sys.stderr.isatty():
        # A fit that converges ends before its last iteration, so the time left is a maximum.
        with _bar(output, "at most") as bar:
            task = bar.add_task(start, total=None, count="")

            def update(step: "Round | Placing") -> None:
                text, completed, total = _describe_step(step)
                bar.update(task, description=text, completed=completed, total=total)

            yield update
    else:
        state = start

        def update(step: "Round | Placing") -> None:
            nonlocal state
            first, state = state == start, _describe_step(step)[0]
            if first and start == STARTING:  # the initialisation takes most of the time
                output.note(state)

        with periodic_lines(output, lambda: state):
            yield update


def _describe_step(step: "Round | Placing") -> tuple[str, int, int | None]:
    """Return a description of a step, the steps done and their maximum number."""
    from sgpmic_cli.single_fit.fitting import Placing

    if isinstance(step, Placing):
        total = "" if step.rows is None else f" of {step.rows}"
        return f"assigned {step.done}{total} rows", step.done, step.rows
    restart = f"restart {step.restart}/{step.restarts}, " if step.restarts > 1 else ""
    acc = "" if step.acc is None else f", ACC {step.acc:.2f}"
    text = f"{restart}iteration {step.number}/{step.rounds}: bound {step.bound:.2f}{acc}"
    return text, (step.restart - 1) * step.rounds + step.number, step.restarts * step.rounds


class RunProgress(Watcher):
    """Progress of an experiment, in which each run counts by its estimated cost.

    Parameters
    ----------
    output : Output
        Where lines and warnings are printed.
    bar : Progress, optional
        The bar that is updated after each run.
    """

    def __init__(self, output: Output, bar: Progress | None = None):
        self.output, self.bar = output, bar
        self.task = None if bar is None else bar.add_task("planning", total=None, count="")
        self.planned(0, 0)

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        """Start with `total` runs, of which `kept` are stored."""
        self.total, self.done, self.failed = total - kept, 0, 0
        self.costs = costs or {}
        self.total_cost = sum(self.costs.values()) if costs else float(self.total)
        self.cost = 0.0
        self.start = time.monotonic()
        self._update_bar(f"{kept} stored, running")

    def finished(self, record: Record) -> None:
        """Count a run."""
        self.done += 1
        self.failed += not record.ok
        self.cost += self.costs.get(record.key, 1.0)
        self._update_bar(f"{record.method} on {record.dataset}{self._failures()}")

    def warn(self, sentence: str) -> None:
        """Print a warning."""
        if self.bar is None:
            self.output.note(f"warning: {sentence}")
        else:
            text = f"warning: {for_terminal(sentence)}"
            self.bar.console.print(text, markup=False, soft_wrap=True)

    def state(self) -> str:
        """Return the runs done, the time passed and an estimate of the time left."""
        passed = time.monotonic() - self.start
        if not self.total:
            return f"working, {duration(passed)} so far"
        left = ""
        if self.cost:
            seconds = passed * (self.total_cost - self.cost) / self.cost
            left = f", about {duration(seconds)} left"
        runs = f"{self.done} of {self.total} runs done{self._failures()}"
        return f"{runs} after {duration(passed)}{left}"

    def _failures(self) -> str:
        return f", {self.failed} failed" if self.failed else ""

    def _update_bar(self, description: str) -> None:
        if self.bar is not None and self.task is not None:
            self.bar.update(
                self.task,
                total=self.total_cost or None,
                completed=self.cost,
                description=description,
                count=f"{self.done}/{self.total}",
            )


@contextmanager
def run_progress(output: Output) -> Iterator[Watcher]:
    """Show the progress of an experiment; an interrupt says how to resume it."""
    try:
        if sys.stderr.isatty() and not output.quiet:
            with _bar(output) as bar:
                yield RunProgress(output, bar)
        else:
            progress = RunProgress(output)
            with periodic_lines(output, progress.state):
                yield progress
    except KeyboardInterrupt as interrupt:
        raise type(interrupt)(
            "interrupted; finished runs are stored, and the same command resumes the work."
        ) from None


def _bar(output: Output, time_left: str = "") -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn(f"left {time_left}".strip()),
        TimeRemainingColumn(),
        console=output.console(stderr=True),
        transient=True,
        speed_estimate_period=SPEED_SECONDS,
    )


def finish_runs(finished: FinishedStudy, out: Path, output: Output) -> None:
    """Print how many runs were computed; raise CellsFailed if some failed."""
    computed, reused, failed = finished.computed, finished.reused, finished.failed
    output.finish(f"{computed} runs computed, {reused} reused; tables and manifest in {out}")
    if failed:
        raise CellsFailed(
            f"{failed} of {computed + reused} runs failed; the notes say why, and --retry-failed "
            "runs them again."
        )
