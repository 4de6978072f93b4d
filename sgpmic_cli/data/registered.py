"""Load a registered data set: bundled, part of a library, or a publisher's file.

A publisher's file is read from the cache folder, in which `fetch` puts it.
"""

import hashlib
import os
from dataclasses import asdict
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable, UsageError
from sgpmic_cli.files import replacing
from sgpmic_cli.tables.rows import Rows


def load_entry(found: Entry) -> Rows:
    """Load a registered data set. Raise DataUnavailable if its file is not on this machine."""
    if found.kind == "download":
        return _load_matlab(found, publishers_file(found))
    if found.kind == "installed":
        from sklearn.datasets import load_digits

        digits = load_digits()
        return Rows.from_classes(
            found.name, digits.data, [*map(str, digits.target)], digits.feature_names
        )
    table = pd.read_csv(bundled_folder() / f"{found.name}.csv", dtype=str)
    *columns, label = table.columns
    # Python's float rounds correctly, which the parser of pandas does not.
    return Rows.from_classes(
        found.name, table[columns].to_numpy(float), table[label].tolist(), columns
    )


def _load_matlab(found: Entry, path: Path) -> Rows:
    """Load Deng Cai's layout: `fea` has one row per image, `gnd` the numbers of the classes."""
    from scipy.io import loadmat

    arrays = loadmat(path, variable_names=["fea", "gnd"])
    Y, classes = arrays["fea"].astype(float), [str(int(number)) for number in arrays["gnd"].ravel()]
    width = len(str(Y.shape[1]))
    return Rows.from_classes(
        found.name, Y, classes, [f"v{j + 1:0{width}d}" for j in range(Y.shape[1])]
    )


def cache_folder() -> Path:
    """Return the folder SGPMIC_DATA, or else one in the user's cache folder."""
    if chosen := os.environ.get("SGPMIC_DATA"):
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sgpmic"


def publishers_file(found: Entry) -> Path:
    """Return the path of the publisher's file in the cache."""
    path = cache_folder() / found.filename
    if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == found.sha256:
        return path
    raise DataUnavailable(
        f"{found.name} is unavailable: run `sgpmic datasets fetch {found.name}`, with "
        f"`--from FILE` if you have the publisher's file {found.filename}"
    )


def import_file(found: Entry, file: Path) -> None:
    """Copy the publisher's file into the cache."""
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != found.sha256:
        raise UsageError(f"'{file}' is not the publisher's {found.filename}: its SHA-256 differs.")
    cache_folder().mkdir(parents=True, exist_ok=True)
    with replacing(cache_folder() / found.filename) as copy:
        copy.write(content)


def fetch(found: Entry) -> Path:
    """Download the publisher's file into the cache if it is not on this machine."""
    from sklearn.datasets import fetch_file

    try:
        return publishers_file(found)
    except DataUnavailable:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
    reasons = []
    for url in found.urls:
        try:
            return fetch_file(url, folder, found.filename, found.sha256)
        except (OSError, HTTPException) as error:
            reasons.append(f"{url} ({error})")
    raise DataUnavailable(
        f"{found.name} is unavailable: no download from {' or '.join(reasons)}; retry later, or "
        f"give the publisher's file {found.filename} with --from FILE"
    )


def describe(found: Entry) -> dict[str, Any]:
    """Return the registry entry, the state of the data set and the path of its file.

    The state of a download is 'present' or 'absent', that of another data set is its kind.
    """
    state, path = found.kind, None
    if state == "download":
        try:
            state, path = "present", str(publishers_file(found))
        except DataUnavailable:
            state = "absent"
    elif state != "installed":
        path = str(bundled_folder() / f"{found.name}.csv")
    return {**asdict(found), "state": state, "path": path}


def describe_all() -> list[dict[str, Any]]:
    """Describe every registered data set, in the order of the registry."""
    return [describe(entry(name)) for name in names()]
