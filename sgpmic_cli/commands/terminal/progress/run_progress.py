"""Live progress on stderr, a bar or a line every ten seconds, and what is said when the work ends or is interrupted."""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sgpmic_cli.commands.terminal.output import Output, spoken
from sgpmic_cli.commands.terminal.progress.heartbeat import beating
from sgpmic_cli.errors import CellsFailed
from sgpmic_cli.experiments.run.pipeline import FinishedStudy
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.experiments.run.run_options import Watcher
from sgpmic_cli.safe_text import for_terminal

SPEED_SECONDS = 120  # the time left follows from the speed of the last minutes


class _Bar(Watcher):
    """A progress bar with the time left, in which a long run counts for more."""

    def __init__(self, progress: Progress):
        self.progress = progress
        self.task = progress.add_task("planning", total=None, count="")
        self.costs: Mapping[str, float] = {}
        self.total = self.done = self.failed = 0

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        self.total, self.done = total - kept, 0
        self.costs = costs or {}
        effort = sum(self.costs.values()) if costs else self.total
        self.progress.reset(
            self.task, total=effort, description=f"{kept} at hand, running", count=self._count()
        )

    def finished(self, record: Record) -> None:
        self.done += 1
        self.failed += not record.ok
        failures = f", {self.failed} failed" if self.failed else ""
        self.progress.update(
            self.task,
            advance=self.costs.get(record.key, 1.0),
            description=f"{record.method} on {record.dataset}{failures}",
            count=self._count(),
        )

    def warn(self, sentence: str) -> None:
        self.progress.console.print(
            f"warning: {for_terminal(sentence)}", markup=False, soft_wrap=True
        )

    def _count(self) -> str:
        return f"{self.done}/{self.total}"


class _Lines(Watcher):
    """The same as one sentence, for those who read a log."""

    def __init__(self, output: Output):
        self.output = output
        self.total = self.done = self.failed = 0
        self.effort = self.spent = 0.0
        self.costs: Mapping[str, float] = {}
        self.start = time.monotonic()

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        self.total, self.done, self.failed = total - kept, 0, 0
        self.costs = costs or {}
        self.effort, self.spent = sum(self.costs.values()) if costs else float(self.total), 0.0
        self.start = time.monotonic()

    def finished(self, record: Record) -> None:
        self.done += 1
        self.failed += not record.ok
        self.spent += self.costs.get(record.key, 1.0)

    def warn(self, sentence: str) -> None:
        self.output.remark(f"warning: {sentence}")

    def state(self) -> str:
        """Where the work stands, and how long it will take as far as its speed tells."""
        passed = time.monotonic() - self.start
        left = passed * (self.effort - self.spent) / self.spent if self.spent else None
        failures = f", {self.failed} failed" if self.failed else ""
        ahead = "" if left is None or not self.total else f", about {spoken(left)} left"
        doing = f"{self.done} of {self.total} runs done{failures}" if self.total else "working"
        return f"{doing} after {spoken(passed)}{ahead}"


@contextmanager
def watching(output: Output) -> Iterator[Watcher]:
    """Show progress while the work goes on; an interrupt leaves with the way to resume."""
    try:
        if sys.stderr.isatty() and not output.quiet:
            with _bar(output) as progress:
                yield _Bar(progress)
        else:
            lines = _Lines(output)
            with beating(output, lines.state):
                yield lines
    except KeyboardInterrupt as interrupt:
        raise type(interrupt)(
            "interrupted; finished runs are kept: the same command again goes on from here."
        ) from None


def _bar(output: Output) -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(
        *columns, console=output.side_console(), transient=True, speed_estimate_period=SPEED_SECONDS
    )


def tell_end(finished: FinishedStudy, out: Path, output: Output) -> None:
    """Say what was computed and where the tables are, and end with the exit code of failed runs if there are any."""
    computed, reused, failed = finished.computed, finished.reused, finished.failed
    output.ending(f"{computed} runs computed, {reused} reused; tables and manifest in {out}")
    if failed:
        total = computed + reused
        raise CellsFailed(
            f"{failed} of {total} runs failed; the notes say why, and --retry-failed runs them again."
        )
