"""Load a registered data set: bundled, generated, part of a library, or a publisher's file.

Publishers' files come from the cache, a mirror or the network, and are checked and parsed.
"""

import hashlib
import io
import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli._version import __version__
from sgpmic_cli.data.registry import Entry, bundled_folder
from sgpmic_cli.errors import DataUnavailable, SgpmicError
from sgpmic_cli.files.atomic import read_regular, replacing
from sgpmic_cli.interrupts import within
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import printable, shortened, without_login

TIMEOUT = 15.0  # seconds without data before an attempt fails
DOWNLOAD_ATTEMPTS = 3  # at all addresses
BACKOFF = 0.5  # seconds before the second attempt, doubled each time
MIN_SECONDS = 60.0  # allowed for a file of any size, all attempts and addresses together
MIN_SPEED = 50_000.0  # bytes per second; allows more time for larger files
HEADERS = {"User-Agent": f"sgpmic/{__version__}"}

Parsed = tuple[np.ndarray, list[str]]  # values (N, P) and class names, in the order of the file


class NotOriginal(DataUnavailable):
    """A file that has the publisher's name but not the publisher's content."""


def load_entry(registered: Entry, **source: Any) -> Rows:
    """Load a registered data set. Raise DataUnavailable if it is not as published.

    `source` are the arguments `data_dir`, `mirror` and `offline` of `load`.
    """
    columns: Sequence[str]
    if registered.kind == "download":
        return parse_original(registered, read_original(registered, **source))
    if registered.kind == "generated":
        from sgpmic_cli.data.generated import generate

        size = registered.n, registered.n_classes
        Y, classes, columns = generate(registered.name, *size, registered.seed)
    elif registered.kind == "random":
        from sgpmic_cli.data.random_shapes import random_shape

        Y, labels = random_shape(registered.seed or 0)
        columns = [f"x{p + 1}" for p in range(registered.p)]
        classes = [f"curve {label + 1}" for label in labels]
    elif registered.kind == "installed":
        from sklearn.datasets import load_digits

        digits = load_digits()
        Y, classes, columns = digits.data, [*map(str, digits.target)], digits.feature_names
    else:
        return _load_bundled(registered)
    return Rows.from_classes(registered.name, Y, classes, columns)


def _load_bundled(registered: Entry) -> Rows:
    path = bundled_folder() / f"{registered.name}.csv"
    try:
        table = pd.read_csv(path, dtype=str)
        *columns, label = table.columns
        # Python's float rounds correctly, which the parser of pandas does not.
        Y, classes = table[columns].to_numpy(float), table[label].tolist()
        dataset = Rows.from_classes(registered.name, Y, classes, columns)
    except (TypeError, ValueError):
        dataset = None
    if dataset is None or dataset.sha256 != registered.values_sha256:
        raise DataUnavailable(
            f"the bundled file {path.name} in {path.parent} is not the published data any more; "
            "reinstall sgpmic or restore the file"
        )
    return dataset


def cache_folder(data_dir: PathLike | None = None) -> Path:
    """Return `data_dir`, else SGPMIC_DATA, else the user's cache folder."""
    chosen = data_dir or os.environ.get("SGPMIC_DATA")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sgpmic"


def cached(entry: Entry, data_dir: PathLike | None = None) -> bytes | None:
    """Read the publisher's file from the cache. Return None if it is absent or damaged."""
    try:
        return from_source(entry, str(cache_folder(data_dir)))
    except DataUnavailable:
        return None


def read_original(
    entry: Entry,
    *,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> bytes:
    """Read the publisher's file. Store a download in the cache; read a mirror folder in place."""
    raw = cached(entry, data_dir)
    if raw is None:
        mirror = chosen_mirror(mirror)
        raw = from_source(entry, mirror, offline=offline)
        if not mirror or "://" in mirror:
            with suppress(SgpmicError):  # an unwritable cache must not lose the data
                _store(entry, raw, data_dir)
    return raw


def fetch_original(entry: Entry, *, data_dir: PathLike | None = None, **source: Any) -> Path:
    """Put the publisher's file into the cache and return its path; see `read_original`."""
    raw = read_original(entry, data_dir=data_dir, **source)
    if cached(entry, data_dir) is None:
        _store(entry, raw, data_dir)
    return cache_folder(data_dir) / entry.filename


def chosen_mirror(mirror: str | None = None) -> str | None:
    """Return `mirror`, else SGPMIC_MIRROR, else None for the publishers' own servers."""
    return mirror or os.environ.get("SGPMIC_MIRROR") or None


def from_source(entry: Entry, mirror: str | None, *, offline: bool = False) -> bytes:
    """Get the publisher's file from the mirror or the publisher's addresses, not the cache."""
    if mirror and "://" not in mirror:
        path = Path(mirror).expanduser() / entry.filename
        try:
            raw = read_regular(path)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            reason = f"{path} cannot be read ({why}); put the file there"
            raise _unavailable(entry, reason) from None
        if hashlib.sha256(raw).hexdigest() != entry.sha256:
            reason = f"{path} is not the publisher's file (its sha256 differs); replace it"
            raise _unavailable(entry, reason, NotOriginal)
        return raw
    if offline:
        missing = f"{entry.filename} is not in the cache, or is damaged there"
        raise _unavailable(entry, f"{missing}, and --offline forbids a download; allow it")
    urls = [f"{mirror.rstrip('/')}/{entry.filename}"] if mirror else entry.urls
    seconds = MIN_SECONDS + entry.size / MIN_SPEED
    try:
        # A timeout of the connection restarts with every byte; this limit holds for everything.
        return within(seconds, lambda: _download(entry, urls))
    except TimeoutError:
        shown = " and ".join(shortened(without_login(url)) for url in urls)
        raise _unavailable(
            entry, f"{shown} did not send the file within {seconds:.0f} s; retry later"
        ) from None


def parse_original(entry: Entry, raw: bytes) -> Rows:
    """Parse the publisher's file, whose hash has been checked."""
    Y, classes = PARSERS[entry.parser](raw)
    width = len(str(Y.shape[1]))
    feature_names = [f"v{j + 1:0{width}d}" for j in range(Y.shape[1])]
    return Rows.from_classes(entry.name, Y, classes, feature_names)


def _download(entry: Entry, urls: Sequence[str]) -> bytes:
    """Try the addresses in order. Raise DataUnavailable or NotOriginal if all of them fail."""
    # Imported here because it takes long, and most data sets are bundled.
    import urllib.error
    import urllib.request
    from http.client import HTTPException

    for attempt in range(DOWNLOAD_ATTEMPTS):
        time.sleep(BACKOFF * 2 ** (attempt - 1) if attempt else 0.0)
        failures: dict[str, str] = {}  # by reason: two addresses of one host usually fail alike
        kind: type[DataUnavailable] = DataUnavailable
        for url in urls:
            try:
                if not re.match(r"https?://[^/@]+/", url):  # errors would repeat a password
                    raise ValueError("neither another protocol nor a login")
                request = urllib.request.Request(url, headers=HEADERS)
                with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                    raw: bytes = response.read(entry.size + 1)
            except urllib.error.HTTPError as error:
                reason = f"answered {error.code} {error.reason}"
            except (OSError, HTTPException) as error:
                cause = getattr(error, "reason", error) or type(error).__name__
                reason = f"cannot be reached or broke the connection ({cause})"
            except ValueError:
                reason = "is not a valid http:// or https:// address without a login"
            else:
                if hashlib.sha256(raw).hexdigest() == entry.sha256:
                    return raw
                if len(raw) < entry.size:
                    reason = f"sent only {len(raw)} of {entry.size} bytes"
                else:
                    reason = "sent another file than the publisher's (its sha256 differs)"
                    kind = NotOriginal
            failures.setdefault(reason, shortened(without_login(url)))
    reasons = ", and ".join(f"{url} {reason}" for reason, url in failures.items())
    raise _unavailable(entry, f"{reasons} ({DOWNLOAD_ATTEMPTS} attempts); retry later", kind)


def _unavailable(
    entry: Entry, reason: str, kind: type[DataUnavailable] = DataUnavailable
) -> DataUnavailable:
    remedy = f"name a folder or server that holds {entry.filename} with --mirror PLACE"
    return kind(printable(f"{entry.name} is unavailable: {reason}, or {remedy} or SGPMIC_MIRROR"))


def _store(entry: Entry, raw: bytes, data_dir: PathLike | None) -> None:
    folder = cache_folder(data_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / entry.filename) as file:
            file.write(raw)
    except OSError as error:
        raise SgpmicError(
            f"{entry.filename} of {entry.name} cannot be stored in {folder} "
            f"({error.strerror or error}); free some space or choose another folder with "
            "--data-dir FOLDER or SGPMIC_DATA"
        ) from None


def _parse_text(
    raw: bytes, separator: str = ",", class_column: int = -1, id_column: int | None = None
) -> Parsed:
    """Parse one row per line."""
    cells = pd.read_csv(
        io.BytesIO(raw), sep=separator, header=None, dtype=str, skipinitialspace=True
    )
    cells = cells[(cells != "?").all(axis=1)]  # the paper leaves incomplete rows of BC out
    classes = cells.iloc[:, class_column]
    others = cells.drop(columns=[classes.name, *([] if id_column is None else [id_column])])
    return others.to_numpy(dtype=np.float64), classes.str.strip().tolist()


def _parse_matlab(raw: bytes) -> Parsed:
    """Parse Deng Cai's layout: `fea` has one row per image, `gnd` the numbers of the classes."""
    from scipy.io import loadmat

    # scipy-stubs only allow paths, but SciPy also reads open files.
    arrays = loadmat(io.BytesIO(raw), variable_names=["fea", "gnd"])  # type: ignore[arg-type]
    return arrays["fea"].astype(np.float64), [str(int(number)) for number in arrays["gnd"].ravel()]


PARSERS: dict[str, Callable[[bytes], Parsed]] = {
    "class-last": _parse_text,
    "class-first": partial(_parse_text, class_column=0),
    "id-class-first": partial(_parse_text, class_column=1, id_column=0),
    "id-first-class-last": partial(_parse_text, id_column=0),
    "spaces-class-last": partial(_parse_text, separator=r"\s+"),
    "matlab": _parse_matlab,
}
