"""Clustering with mixtures of sparse Gaussian processes, and the paper's experiments repeated."""

from typing import TYPE_CHECKING, Any

from sgpmic_cli._version import __version__

__all__ = ["SGPMIC", "PaperSGPMIC", "__version__", "load"]

if TYPE_CHECKING:
    from sgpmic_cli.model.estimator import SGPMIC, load
    from sgpmic_cli.model.paper.estimator import PaperSGPMIC


def __getattr__(name: str) -> Any:
    # The estimators import scikit-learn, which `sgpmic --help` does not need.
    if name == "SGPMIC":
        from sgpmic_cli.model.estimator import SGPMIC

        return SGPMIC
    if name == "PaperSGPMIC":
        from sgpmic_cli.model.paper.estimator import PaperSGPMIC

        return PaperSGPMIC
    if name == "load":
        from sgpmic_cli.model.estimator import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
