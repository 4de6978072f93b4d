"""Data sets, arguments and tables that the scripts share."""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.mixture import GaussianMixture

from sgpmic_cli.benchmark.tables import markdown_table
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.manifest import commit, environment

BUNDLED = [name for name in names() if entry(name).kind == "bundled"]


def parse(
    given: Sequence[str] | None, document: str | None, *positional: str, **options: Any
) -> argparse.Namespace:
    """Parse the arguments of a script and create the folder OUT.

    Each option has a default, whose type is that of its values. A list takes several values.
    `positional` are names of folders that may be left out.
    """
    parser = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in positional:
        parser.add_argument(name, type=Path, nargs="?")
    for name, default in options.items():
        many, flag = isinstance(default, list), "--" + name.replace("_", "-")
        kind = type(default[0] if many else default)
        parser.add_argument(flag, type=kind, nargs="+" if many else None, default=default)
    asked = parser.parse_args(given)
    asked.out.mkdir(parents=True, exist_ok=True)
    return asked


def mixture(k: int, seed: int) -> GaussianMixture:
    """Return the Gaussian mixture that the models are compared with."""
    return GaussianMixture(k, n_init=3, reg_covar=1e-3, random_state=seed)


def progress(line: str) -> None:
    """Print a line to stderr."""
    print(line, file=sys.stderr, flush=True)


def tables_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and path of the tables NAME.csv and NAME.csv.gz of a folder."""
    for file in sorted({*folder.glob("*.csv"), *folder.glob("*.csv.gz")}):
        yield file.name.split(".csv")[0], file


def sha256(*paths: Path) -> str:
    """Return the hash of the files of an input, which results name beside its scores."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def write_csv(frame: pd.DataFrame, path: Path, form: str = "%.4f") -> None:
    """Write a table with rounded numbers."""
    frame.to_csv(path, index=False, float_format=form, lineterminator="\n")


def write_measurements(measured: dict[str, Any], path: Path) -> None:
    """Write measurements with the environment and the commit as JSON."""
    document = {**environment(), "commit": commit(), **measured}
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def number_table(corner: str, frame: pd.DataFrame, form: str) -> str:
    """Return the numbers of a data frame as a Markdown table with its index and columns."""
    rows = zip(map(str, frame.index), frame.to_numpy(), strict=True)
    body = [[name, *("" if x != x else form.format(x) for x in row)] for name, row in rows]
    return markdown_table([corner, *map(str, frame.columns)], body)
