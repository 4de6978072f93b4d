"""The short name: `import sgpmic` is `import sgpmic_cli`. The wheel carries this file as `sgpmic.py`."""

from typing import TYPE_CHECKING, Any

import sgpmic_cli

__all__ = ["SGPMIC", "PaperSGPMIC", "__version__"]

__version__ = sgpmic_cli.__version__

if TYPE_CHECKING:
    from sgpmic_cli.model.estimator import SGPMIC
    from sgpmic_cli.model.paper.estimator import PaperSGPMIC


def __getattr__(name: str) -> Any:
    if name == "PaperSGPMIC":
        from sgpmic_cli.model.paper.estimator import PaperSGPMIC

        return PaperSGPMIC
    if name == "SGPMIC":  # imported when asked for, as in sgpmic_cli
        return sgpmic_cli.SGPMIC
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
