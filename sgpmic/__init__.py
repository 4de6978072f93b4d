"""Public names of the package: `import sgpmic` gives what `import sgpmic_cli` gives."""

from typing import TYPE_CHECKING, Any

import sgpmic_cli

__all__ = ["SGPMIC", "PaperSGPMIC", "__version__", "load"]

__version__ = sgpmic_cli.__version__

if TYPE_CHECKING:
    from sgpmic_cli import SGPMIC, PaperSGPMIC, load


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(sgpmic_cli, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
