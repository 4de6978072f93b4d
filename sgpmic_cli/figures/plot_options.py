"""What a figure is asked for with: where results lie, which seed, how many repeats."""

from dataclasses import dataclass, field
from pathlib import Path

from sgpmic_cli.data import Dataset, load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.run.pipeline import Watcher


@dataclass(frozen=True)
class PlotOptions:
    """The options of `sgpmic plot`."""

    results: Path = Path("results")  # tables and sweeps, each in its own folder
    store: Path = Path("results/runs")
    seed: int = 0
    repeats: int = 10
    n_jobs: int = 1
    data: str | None = None
    label: str | None = None
    clusters: int | None = None  # of the data set named
    data_dir: Path | None = None
    mirror: str | None = None
    offline: bool = False
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        """Refuse what leaves nothing to show."""
        if self.repeats < 1:
            raise UsageError(f"--repeats {self.repeats} leaves nothing to run: give 1 or more.")
        if self.n_jobs == 0:
            raise UsageError("--n-jobs 0 means no process at all: give 1 or more, or -1 for all cores.")

    def load(self, name: str) -> Dataset:
        """A registered data set."""
        return load(name, data_dir=self.data_dir, mirror=self.mirror, offline=self.offline)

    def load_named(self) -> Dataset:
        """The data set of --data."""
        if self.data is None:
            raise UsageError("this figure shows a data set of your choice: name it with --data, such as --data iris.")
        return load(self.data, label=self.label, data_dir=self.data_dir, mirror=self.mirror, offline=self.offline)
