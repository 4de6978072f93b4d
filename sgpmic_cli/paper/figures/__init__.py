"""The paper's eight figures, drawn from our runs."""

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.paper.figures.panels import PlotOptions

MODULES = {  # of the function that draws each figure and has its name
    "figure1": "graphical_model",
    **dict.fromkeys(("figure2", "figure3", "figure4", "figure5"), "latent_spaces"),
    "figure6": "convergence",
    **dict.fromkeys(("figure7", "figure8"), "sweeps"),
}


def drawing(name: str) -> Callable[[Path, "PlotOptions"], None]:
    """Return the function that draws a figure."""
    return getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)


def resolve(names: Iterable[str]) -> list[str]:
    """Return the names of figures without repetition; `all` means those of the paper."""
    from sgpmic_cli.benchmark.methods import unknown

    valid = [*MODULES, "all"]
    chosen: dict[str, None] = {}
    for name in names:
        if name not in valid:
            raise UsageError(unknown("figure", name, valid))
        chosen |= dict.fromkeys(MODULES if name == "all" else [name])
    return list(chosen)
