"""The registry of named data sets: content, source, licence and use in the paper."""

import functools
import re
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
    kind: str  # "bundled" | "download" | "generated" | "random" | "installed"
    licence: str
    attribution: str
    values_sha256: str  # of values and labels, see Rows.sha256
    urls: tuple[str, ...] = ()
    filename: str = ""  # of the publisher's file
    size: int = 0  # bytes of the publisher's file
    sha256: str = ""  # of the publisher's file
    parser: str = ""
    seed: int | None = None  # generated sets only
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
    """Look up a data set; return None if it is not registered.

    `shape-N` is the random shape with seed N, which is not among the names.
    """
    if shape := re.fullmatch(r"shape-(\d{1,9})", name):
        return _random_shape(name, int(shape[1]))
    return _entries().get(name)


def entry(name: str) -> Entry:
    """Look up a data set. Raise UsageError with the valid names if it is unknown."""
    found = find(name)
    if found is None:
        raise UsageError(
            f"there is no data set {name!r}{nearest(name, names())}; valid names: "
            f"{', '.join(names())}, shape-N for a random shape, or the path of a CSV file"
        )
    return found


@functools.cache
def _random_shape(name: str, seed: int) -> Entry:
    from sgpmic_cli.data.random_shapes import random_shape

    rows, labels = random_shape(seed)
    n, p, n_classes = *rows.shape, int(labels.max()) + 1
    title = f"Random shape with seed {seed}"
    # It has no author, and no hash is registered.
    return Entry(name, title, n, p, n_classes, "random", "MIT", "", "", seed=seed)
