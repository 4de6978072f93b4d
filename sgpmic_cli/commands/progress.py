"""Progress of an experiment on stderr."""

from collections.abc import Sequence

from sgpmic_cli.benchmark.plan.study import Run
from sgpmic_cli.benchmark.run.parallel import cost
from sgpmic_cli.benchmark.run.running import FinishedStudy, Watcher
from sgpmic_cli.benchmark.run.store import Row
from sgpmic_cli.commands.fit_progress import Progress
from sgpmic_cli.commands.output import Output, duration
from sgpmic_cli.errors import CellsFailed

OVERHEAD_SECONDS = 1.0  # of a run, besides its fit
RETRY = "the notes say why, and --retry-failed runs them again"


class RunProgress(Progress, Watcher):
    """Progress of an experiment in estimated seconds."""

    def __init__(self, output: Output):
        super().__init__(output, "planning")
        self.done = self.failed = 0
        self.costs: dict[str, float] = {}  # estimated seconds of each run

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """End the display; after an interrupt, say how to resume the work."""
        super().__exit__(kind, *error)
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            raise kind(
                "interrupted; finished runs are stored, and the same command resumes the work."
            ) from None

    def planned(self, kept: int, pending: Sequence[Run]) -> None:
        """Start with the pending runs; `kept` others are stored."""
        self.done = self.failed = 0
        self.costs = {run.key: OVERHEAD_SECONDS + cost(run.cell) for run in pending}
        seconds = sum(self.costs.values())
        self.bar.reset(self.task.id, total=seconds, count=f"0/{len(self.costs)}")
        self.update(f"{kept} stored, running")

    def finished(self, row: Row) -> None:
        """Count a run."""
        self.done += 1
        self.failed += row["status"] == "failed"
        self.update(
            f"{row['method']} on {row['dataset']}{self._failures()}",
            advance=self.costs[row["key"]],
            count=f"{self.done}/{len(self.costs)}",
        )

    def warn(self, sentence: str) -> None:
        """Print a warning as a line, which Rich moves above the bar."""
        self.output.note(f"warning: {sentence}")

    def state(self) -> str:
        """Return the runs done, the time passed and an estimate of the time left."""
        passed = self.task.elapsed or 0.0
        if not self.costs:
            return f"working, {duration(passed)} so far"
        left = ""
        if self.task.completed:
            seconds = passed * (self.task.remaining or 0.0) / self.task.completed
            left = f", about {duration(seconds)} left"
        runs = f"{self.done} of {len(self.costs)} runs done{self._failures()}"
        return f"{runs} after {duration(passed)}{left}"

    def _failures(self) -> str:
        return f", {self.failed} failed" if self.failed else ""


def finish_runs(finished: FinishedStudy, written: str, output: Output, advice: str = RETRY) -> None:
    """Print how many runs were computed and what was written; raise CellsFailed if some failed."""
    output.finish(f"{finished.computed} runs computed, {finished.reused} reused; {written}")
    if finished.failed:
        total = finished.computed + finished.reused
        raise CellsFailed(f"{finished.failed} of {total} runs failed; {advice}.")
