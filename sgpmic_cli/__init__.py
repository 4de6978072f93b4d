"""Cluster tables with a Gaussian-process map, and reproduce the SGP-MIC paper."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgpmic_cli.clustering.group_map import GroupMap
    from sgpmic_cli.describe import (
        plot_map,
        plot_profiles,
        plot_selection,
        report,
        show_map,
        write_report,
    )
    from sgpmic_cli.model_file import load
    from sgpmic_cli.paper.model.estimator import SGPMIC
    from sgpmic_cli.tables.encoder import TableEncoder
    from sgpmic_cli.tables.rows import RowResults

__version__ = "0.5.0"

__all__ = [
    "SGPMIC",
    "GroupMap",
    "RowResults",
    "TableEncoder",
    "__version__",
    "load",
    "plot_map",
    "plot_profiles",
    "plot_selection",
    "report",
    "show_map",
    "write_report",
]

# The modules of the public names are imported when they are used: `sgpmic --help` needs none.
_MODULES = {
    "GroupMap": "clustering.group_map",
    "SGPMIC": "paper.model.estimator",
    "RowResults": "tables.rows",
    "TableEncoder": "tables.encoder",
    "load": "model_file",
}


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'describe')}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
