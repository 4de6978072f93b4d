"""What a figure is asked for with: where results lie, which seed, how many repeats, and how runs are computed."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from sgpmic_cli.data import Dataset, load
from sgpmic_cli.data.intake.options import TableOptions
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.study import Study, Vary, unvaried
from sgpmic_cli.experiments.run.run_options import RunOptions


@dataclass(frozen=True)
class PlotOptions:
    """What every figure is given; each takes what it needs."""

    results: Path = Path("results")  # tables and sweeps, each in its own folder
    seed: int = 0
    repeats: int = 10
    data: str | None = None  # the data set that a figure of any data shows
    table: TableOptions = field(
        default_factory=lambda: TableOptions(missing="model")
    )  # of that data set, if a file
    clusters: int | None = None  # to look for in it
    scale: str | None = None  # of its columns
    running: RunOptions = field(default_factory=RunOptions)

    def study(
        self, datasets: Iterable[str], methods: Iterable[str], vary: Vary = unvaried
    ) -> Study:
        """Cells of the paper's table at 95 % of the variance, varied as the figure needs them."""
        return Study(list(datasets), [95], list(methods), self.repeats, self.seed, vary=vary)

    def run_options(self) -> RunOptions:
        """Runs are kept beside the tables unless a store is named."""
        return (
            self.running
            if self.running.store is not None
            else replace(self.running, store=self.results / "runs")
        )

    def load_named(self) -> Dataset:
        """The data set that a figure of any data shows."""
        if self.data is None:
            raise UsageError(
                "this figure shows a data set of your choice: name it, such as data=iris."
            )
        where = self.running
        return load(
            self.data,
            table=self.table,
            data_dir=where.data_dir,
            mirror=where.mirror,
            offline=where.offline,
        )
