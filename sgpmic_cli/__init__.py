"""Clustering with mixtures of sparse Gaussian processes (SGP-MIC), and the paper's experiments beside ours."""

from typing import TYPE_CHECKING, Any

from sgpmic_cli._version import __version__

__all__ = ["SGPMIC", "__version__"]

if TYPE_CHECKING:
    from sgpmic_cli.model.estimator import SGPMIC


def __getattr__(name: str) -> Any:
    # The estimator pulls in scikit-learn; `sgpmic --help` must not pay for that.
    if name == "SGPMIC":
        from sgpmic_cli.model.estimator import SGPMIC

        return SGPMIC
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
