"""The options of a figure: results, seed, repeats, data, and how runs are computed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.plan import Study, Vary, unvaried
from sgpmic_cli.benchmark.run import RunOptions
from sgpmic_cli.paper.experiments.protocols import paper_suite
from sgpmic_cli.tables.options import TableOptions


@dataclass(frozen=True)
class PlotOptions:
    """Options of all figures; each figure uses those that it needs."""

    results: Path = Path("results")  # tables and sweeps, each in its own folder
    seed: int = 0
    repeats: int = 10
    data: str | None = None  # data set of the figures `embedding` and `convergence`
    table: TableOptions = field(default_factory=lambda: TableOptions(missing="model"))
    clusters: int | None = None
    scale: str | None = None
    running: RunOptions = field(default_factory=RunOptions)  # its store is not None

    def study(
        self, datasets: Iterable[str], methods: Iterable[str], vary: Vary = unvaried
    ) -> Study:
        """Return a study of cells of the paper's table at 95 % of the variance."""
        how: Any = {"repeats": self.repeats, "seed": self.seed}
        return paper_suite().study(list(datasets), methods, [95], vary=vary, **how)
