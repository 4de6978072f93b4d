"""Data sets: bundled, downloaded, generated, or read from a user's file."""

from typing import TYPE_CHECKING, Any

from sgpmic_cli.data.registry import Entry, entry, names
from sgpmic_cli.tables.options import TableOptions, TextFormat

__all__ = ["Dataset", "Entry", "TableOptions", "TextFormat", "entry", "load", "names"]

if TYPE_CHECKING:
    from sgpmic_cli.data.dataset import Dataset
    from sgpmic_cli.data.loading import load


def __getattr__(name: str) -> Any:
    # Import NumPy and pandas only on use: help texts and shell completion must start fast.
    if name in ("Dataset", "load"):
        from sgpmic_cli.data import dataset, loading

        return dataset.Dataset if name == "Dataset" else loading.load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
