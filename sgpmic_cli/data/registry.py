"""The registry of named data sets: content, source, licence and use in the paper."""

import functools
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest


@dataclass(frozen=True)
class Entry:
    """One data set of `datasets/registry.toml`."""

    name: str
    title: str
    n: int
    p: int
    n_classes: int
    kind: str  # "bundled" | "generated" | "download" | "installed"
    licence: str
    attribution: str
    values_sha256: str  # of values and labels, see Rows.sha256
    urls: tuple[str, ...] = ()
    filename: str = ""  # of the publisher's file, of downloads only
    sha256: str = ""  # of the publisher's file
    as_run_drop: tuple[str, ...] = ()  # columns that the paper's numbers do not use
    printed_q: dict[int, int] = field(default_factory=dict)  # by variance, if it is not ours
    inducing: int = 50  # number of inducing points
    variances: tuple[int, ...] = (50, 95, 99)  # percentages that set Q, one row each
    in_paper: bool = False  # has rows in the paper's Table 2
    data_differ: bool = False  # the public data differ from those of the paper


def bundled_folder() -> Path:
    """Return the folder of the bundled CSV files, in the installed package or in a checkout."""
    installed = Path(__file__).parent / "bundled"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "datasets"


@functools.cache
def _entries() -> dict[str, Entry]:
    tables = tomllib.loads((bundled_folder() / "registry.toml").read_text(encoding="utf-8"))
    for table in tables.values():
        # Convert TOML lists to tuples and the keys of `printed_q` to integers.
        table |= {key: tuple(value) for key, value in table.items() if isinstance(value, list)}
        table["printed_q"] = {int(key): q for key, q in table.get("printed_q", {}).items()}
    return {name: Entry(name=name, **table) for name, table in tables.items()}


def names() -> list[str]:
    """Return the names of the registered data sets, those of the paper first, in its order."""
    return list(_entries())


def find(name: str) -> Entry | None:
    """Look up a data set; return None if it is not registered."""
    return _entries().get(name)


def entry(name: str) -> Entry:
    """Look up a data set. Raise UsageError with the valid names if it is unknown."""
    found = find(name)
    if found is None:
        raise UsageError(
            f"there is no data set {name!r}{nearest(name, names())}; valid names: "
            f"{', '.join(names())}, or the path of a CSV file"
        )
    return found
