"""Data sets: bundled, downloaded, generated, or read from a user's file."""

from typing import TYPE_CHECKING, Any

from sgpmic_cli.data.registry import Entry, entry, names
from sgpmic_cli.tables.options import TableOptions, TextFormat

__all__ = ["Entry", "Rows", "TableOptions", "TextFormat", "entry", "load", "names"]

if TYPE_CHECKING:
    from sgpmic_cli.data.loading import load
    from sgpmic_cli.tables.rows import Rows


def __getattr__(name: str) -> Any:
    # Import NumPy and pandas only on use: help texts and shell completion must start fast.
    if name in ("Rows", "load"):
        from sgpmic_cli.data import loading

        return loading.Rows if name == "Rows" else loading.load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
