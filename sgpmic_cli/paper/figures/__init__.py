"""The paper's eight figures, drawn from our runs."""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.methods import unknown
from sgpmic_cli.benchmark.plan import Study, Vary, unvaried
from sgpmic_cli.benchmark.run import RunOptions
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.experiments.protocols import paper_suite

MODULES = {  # of the function that draws each figure and has its name
    "figure1": "graphical_model",
    **dict.fromkeys(("figure2", "figure3", "figure4", "figure5", "figure6"), "fits"),
    **dict.fromkeys(("figure7", "figure8"), "sweeps"),
}


@dataclass(frozen=True)
class PlotOptions:
    """Options of the paper's figures; each figure uses those that it needs."""

    results: Path = Path("results")  # tables and sweeps, each in its own folder
    seed: int = 0
    repeats: int = 10
    running: RunOptions = field(default_factory=RunOptions)  # its store is not None

    def study(
        self, datasets: Iterable[str], methods: Iterable[str], vary: Vary = unvaried
    ) -> Study:
        """Return a study of cells of the paper's table at 95 % of the variance."""
        how: Any = {"repeats": self.repeats, "seed": self.seed}
        return paper_suite().study(list(datasets), methods, [95], vary=vary, **how)


def drawings(names: Iterable[str]) -> dict[str, Callable[[Path, PlotOptions], None]]:
    """Return the functions that draw figures by name; `all` means those of the paper."""
    valid = [*MODULES, "all"]
    chosen = {}
    for name in names:
        if name not in valid:
            raise UsageError(unknown("figure", name, valid))
        for each in MODULES if name == "all" else [name]:
            chosen[each] = getattr(importlib.import_module(f"{__name__}.{MODULES[each]}"), each)
    return chosen
