"""Live progress on stderr, and what is said when the work ends or is interrupted."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.errors import CellsFailed
from sgpmic_cli.experiments.run.pipeline import FinishedStudy
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.experiments.run.run_options import Watcher
from sgpmic_cli.safe_text import for_terminal

SPEED_SECONDS = 120  # the time left follows from the speed of the last minutes


class _Bar(Watcher):
    """A progress bar with the time left, in which a long run counts for more; silent when stderr is no terminal."""

    def __init__(self, progress: Progress):
        self.progress = progress
        self.task = progress.add_task("planning", total=None, count="")
        self.costs: Mapping[str, float] = {}
        self.total = self.done = self.failed = 0

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        self.total, self.done = total - kept, 0
        self.costs = costs or {}
        effort = sum(self.costs.values()) if costs else self.total
        self.progress.reset(self.task, total=effort, description=f"{kept} at hand, running", count=self._count())

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
        self.progress.console.print(f"warning: {for_terminal(sentence)}", markup=False, soft_wrap=True)

    def _count(self) -> str:
        return f"{self.done}/{self.total}"


@contextmanager
def watching(output: Output) -> Iterator[Watcher]:
    """Show progress while the work goes on; an interrupt leaves with the way to resume."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    shown = sys.stderr.isatty() and not output.quiet
    console = output.side_console()
    with Progress(
        *columns, console=console, transient=True, disable=not shown, speed_estimate_period=SPEED_SECONDS
    ) as progress:
        try:
            yield _Bar(progress)
        except KeyboardInterrupt as interrupt:
            raise type(interrupt)(
                "interrupted; finished runs are kept: the same command again goes on from here."
            ) from None


def tell_end(finished: FinishedStudy, out: Path, output: Output) -> None:
    """Say what was computed and where the tables are, and end with the exit code of failed runs if there are any."""
    computed, reused, failed = finished.computed, finished.reused, finished.failed
    output.remark(f"{computed} runs computed, {reused} reused; tables and manifest in {out}")
    if failed:
        total = computed + reused
        raise CellsFailed(f"{failed} of {total} runs failed; the notes say why, and --retry-failed runs them again.")
