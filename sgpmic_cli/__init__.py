"""Cluster tables with a Gaussian-process map, and reproduce the SGP-MIC paper."""

from importlib import import_module
from typing import TYPE_CHECKING

from sgpmic_cli._version import __version__

if TYPE_CHECKING:
    from sgpmic_cli.data.intake.table_encoder import TableEncoder
    from sgpmic_cli.figures.plotting import plot_map, plot_profiles, plot_selection
    from sgpmic_cli.model.estimator import SGPMIC, load
    from sgpmic_cli.model.paper.estimator import PaperSGPMIC
    from sgpmic_cli.report.fit_page import write_report

__all__ = [
    "SGPMIC",
    "PaperSGPMIC",
    "TableEncoder",
    "__version__",
    "load",
    "plot_map",
    "plot_profiles",
    "plot_selection",
    "write_report",
]

# The modules of the public names are imported when they are used: `sgpmic --help` needs none.
_MODULES = {
    "SGPMIC": "model.estimator",
    "PaperSGPMIC": "model.paper.estimator",
    "TableEncoder": "data.intake.table_encoder",
    "load": "model.estimator",
    "plot_map": "figures.plotting",
    "plot_profiles": "figures.plotting",
    "plot_selection": "figures.plotting",
    "write_report": "report.fit_page",
}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
