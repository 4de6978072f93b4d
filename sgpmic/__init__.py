"""Public names of the package: `import sgpmic` gives what `import sgpmic_cli` gives."""

from typing import TYPE_CHECKING

import sgpmic_cli
from sgpmic_cli import __version__

if TYPE_CHECKING:
    from sgpmic_cli import (
        SGPMIC,
        PaperSGPMIC,
        TableEncoder,
        load,
        plot_map,
        plot_profiles,
        plot_selection,
        write_report,
    )

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


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(sgpmic_cli, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
