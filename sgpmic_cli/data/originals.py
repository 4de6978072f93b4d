"""The publishers' own files: from the cache, a mirror or the network, never used before their hash is checked."""

import errno
import hashlib
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from sgpmic_cli.data.download import Refused, WrongFile, download, seconds_for
from sgpmic_cli.data.registry import Entry
from sgpmic_cli.errors import DataUnavailable, SgpmicError
from sgpmic_cli.files.atomic import replacing
from sgpmic_cli.safe_text import shortened, without_login


class NotOriginal(DataUnavailable):
    """A file under the publisher's name that is not the publisher's."""


_ADVICE = "or name a folder or server that holds {filename} with mirror=PLACE or SGPMIC_MIRROR"


def cache_folder(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Where downloads are kept: `data_dir`, then SGPMIC_DATA, then the platform's cache folder of the user."""
    chosen = data_dir or os.environ.get("SGPMIC_DATA")
    if chosen:
        return Path(os.path.expanduser(chosen))
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
            / "sgpmic"
            / "Cache"
        )
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sgpmic"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sgpmic"


def cached(entry: Entry, data_dir: str | os.PathLike[str] | None = None) -> bytes | None:
    """The publisher's file from the cache, or None when it is not there or not whole."""
    try:
        raw = _read(cache_folder(data_dir) / entry.filename, entry)
    except OSError:
        return None
    return raw if hashlib.sha256(raw).hexdigest() == entry.sha256 else None


def read_original(
    entry: Entry,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> bytes:
    """The bytes of the publisher's file; a mirror that is a folder is read in place, downloads are kept."""
    raw = cached(entry, data_dir)
    if raw is not None:
        return raw
    mirror = chosen_mirror(mirror)
    poisoned = (cache_folder(data_dir) / entry.filename).exists()
    raw = from_source(entry, mirror, offline=offline, poisoned=poisoned)
    if not mirror or _is_server(mirror):
        with suppress(
            SgpmicError
        ):  # a cache that takes nothing costs another download later on, not the data
            _keep(entry, raw, data_dir)
    return raw


def chosen_mirror(mirror: str | None = None) -> str | None:
    """`mirror`, then SGPMIC_MIRROR, then none: the publishers' own servers."""
    return mirror or os.environ.get("SGPMIC_MIRROR") or None


def from_source(
    entry: Entry, mirror: str | None, *, offline: bool = False, poisoned: bool = False
) -> bytes:
    """The publisher's file past the cache: from the mirror when there is one, else from the publisher's addresses.

    `poisoned` says that the cache has a file of that name which is not the publisher's.
    """
    if mirror and not _is_server(mirror):
        return _from_folder(entry, Path(os.path.expanduser(mirror)))
    return _from_network(entry, mirror, offline, poisoned)


def _is_server(mirror: str) -> bool:
    return "://" in mirror


def fetch(
    entry: Entry,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> Path:
    """Make sure the publisher's file is in the cache, and say where."""
    raw = read_original(entry, data_dir=data_dir, mirror=mirror, offline=offline)
    if cached(entry, data_dir) is None:
        _keep(entry, raw, data_dir)
    return cache_folder(data_dir) / entry.filename


def _read(path: Path, entry: Entry) -> bytes:
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")  # a pipe would keep us waiting
    with path.open("rb") as file:
        return file.read(entry.size + 1)  # one byte too many is enough to tell another file


def _from_folder(entry: Entry, folder: Path) -> bytes:
    path = folder / entry.filename
    try:
        raw = _read(path, entry)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataUnavailable(
            f"{entry.name} is unavailable: the mirror's file {path} cannot be read ({reason.lower()}); "
            f"put the publisher's {entry.filename} there or name another mirror"
        ) from None
    if hashlib.sha256(raw).hexdigest() != entry.sha256:
        raise NotOriginal(
            f"{entry.name} is unavailable: {path} is not the publisher's file (its sha256 differs); "
            "replace it or name another mirror"
        )
    return raw


def _from_network(entry: Entry, mirror: str | None, offline: bool, poisoned: bool) -> bytes:
    advice = _ADVICE.format(filename=entry.filename)
    if offline:
        missing = "in the cache is damaged" if poisoned else "is not in the cache"
        raise DataUnavailable(
            f"{entry.name} is unavailable: {entry.filename} {missing} and offline=True forbids a download; "
            f"allow it, {advice}"
        )
    urls = (f"{mirror.rstrip('/')}/{entry.filename}",) if mirror else entry.urls
    refusals: dict[str, str] = {}  # by reason: two addresses of one host usually fail alike
    kind = DataUnavailable
    deadline = time.monotonic() + seconds_for(entry.size)
    for url in urls:
        try:
            return download(url, sha256=entry.sha256, size=entry.size, deadline=deadline)
        except Refused as refusal:
            refusals.setdefault(str(refusal), shortened(without_login(url)))
            kind = NotOriginal if isinstance(refusal, WrongFile) else kind
    reasons = ", and ".join(f"{url} {reason}" for reason, url in refusals.items())
    raise kind(f"{entry.name} is unavailable: {reasons}; retry later, {advice}")


def _keep(entry: Entry, raw: bytes, data_dir: str | os.PathLike[str] | None) -> None:
    """Put checked bytes into the cache, whole or not at all."""
    folder = cache_folder(data_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / entry.filename) as file:
            file.write(raw)
    except OSError as error:
        raise SgpmicError(
            f"{entry.filename} of {entry.name} cannot be kept in {folder} ({error.strerror or error}); "
            "free some space or choose another folder with data_dir=FOLDER or SGPMIC_DATA"
        ) from None
