"""Live progress on stderr, and what is said when the work is interrupted."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sgpmic_cli.commands._output import Output
from sgpmic_cli.experiments.benchmark import Watcher
from sgpmic_cli.experiments.store import Record


class _Bar(Watcher):
    """A progress bar with the time left; silent when stderr is no terminal."""

    def __init__(self, progress: Progress, output: Output):
        self.progress = progress
        self.output = output
        self.task = progress.add_task("planning", total=None)
        self.failed = 0

    def planned(self, total: int, kept: int) -> None:
        self.progress.reset(self.task, total=total - kept, description=f"{kept} at hand, running")

    def finished(self, record: Record) -> None:
        self.failed += not record.ok
        failures = f", {self.failed} failed" if self.failed else ""
        description = f"{record.method} on {record.dataset}{failures}"
        self.progress.update(self.task, advance=1, description=description)

    def warn(self, sentence: str) -> None:
        self.progress.console.print(f"warning: {sentence}", markup=False)


@contextmanager
def watching(output: Output) -> Iterator[Watcher]:
    """Show progress while the work goes on; an interrupt leaves with the way to resume."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    shown = sys.stderr.isatty() and not output.quiet
    with Progress(*columns, console=output.side_console(), transient=True, disable=not shown) as progress:
        bar = _Bar(progress, output)
        try:
            yield bar
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                "interrupted; finished runs are kept: the same command again goes on from here."
            ) from None
