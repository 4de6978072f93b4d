"""Data sets: bundled, downloaded, generated, or anybody's CSV. Importing this folder stays cheap; loading is not."""

from typing import TYPE_CHECKING, Any

from sgpmic_cli.data.intake.options import TableOptions, TextFormat
from sgpmic_cli.data.registry import Entry, entry, names

__all__ = ["Dataset", "Entry", "TableOptions", "TextFormat", "entry", "load", "names"]

if TYPE_CHECKING:
    from sgpmic_cli.data.dataset import Dataset
    from sgpmic_cli.data.loading import load


def __getattr__(name: str) -> Any:
    # Shell completion and help texts ask for names only and must not pay for numpy.
    if name == "Dataset":
        from sgpmic_cli.data.dataset import Dataset

        return Dataset
    if name == "load":
        from sgpmic_cli.data.loading import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
