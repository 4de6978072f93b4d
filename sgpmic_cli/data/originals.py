"""The publishers' own files: from the cache, a mirror or the network, never used before their hash is checked."""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from sgpmic_cli.data.download import Refused, download
from sgpmic_cli.data.registry import Entry
from sgpmic_cli.errors import DataUnavailable

_ADVICE = (
    "retry later, or name a folder or server that holds {filename} with --mirror or the environment variable "
    "SGPMIC_MIRROR"
)


def cache_folder(data_dir: str | Path | None = None) -> Path:
    """Where downloads are kept: --data-dir, then SGPMIC_DATA, then the platform's cache folder of the user."""
    chosen = data_dir or os.environ.get("SGPMIC_DATA")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "sgpmic" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sgpmic"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sgpmic"


def cached(entry: Entry, data_dir: str | Path | None = None) -> bytes | None:
    """The publisher's file from the cache, or None when it is not there or not whole."""
    try:
        raw = (cache_folder(data_dir) / entry.filename).read_bytes()
    except OSError:
        return None
    return raw if hashlib.sha256(raw).hexdigest() == entry.sha256 else None


def read_original(
    entry: Entry, *, data_dir: str | Path | None = None, mirror: str | None = None, offline: bool = False
) -> bytes:
    """The bytes of the publisher's file; a mirror that is a folder is read in place, downloads are kept."""
    raw = cached(entry, data_dir)
    if raw is not None:
        return raw
    mirror = mirror or os.environ.get("SGPMIC_MIRROR") or None
    if mirror and "://" not in mirror:
        return _from_folder(entry, Path(mirror).expanduser())
    raw = _from_network(entry, mirror, offline)
    _keep(entry, raw, data_dir)
    return raw


def fetch(
    entry: Entry, *, data_dir: str | Path | None = None, mirror: str | None = None, offline: bool = False
) -> Path:
    """Make sure the publisher's file is in the cache, and say where."""
    raw = read_original(entry, data_dir=data_dir, mirror=mirror, offline=offline)
    if cached(entry, data_dir) is None:
        _keep(entry, raw, data_dir)
    return cache_folder(data_dir) / entry.filename


def _from_folder(entry: Entry, folder: Path) -> bytes:
    path = folder / entry.filename
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataUnavailable(
            f"{entry.name} is unavailable: the mirror's file {path} cannot be read ({reason.lower()}); "
            f"put the publisher's {entry.filename} there or name another --mirror"
        ) from None
    if hashlib.sha256(raw).hexdigest() != entry.sha256:
        raise DataUnavailable(
            f"{entry.name} is unavailable: {path} is not the publisher's file (its sha256 differs); "
            "replace it or name another --mirror"
        )
    return raw


def _from_network(entry: Entry, mirror: str | None, offline: bool) -> bytes:
    advice = _ADVICE.format(filename=entry.filename)
    if offline:
        raise DataUnavailable(
            f"{entry.name} is unavailable: {entry.filename} is not in the cache and --offline forbids "
            f"a download; {advice}"
        )
    urls = (f"{mirror.rstrip('/')}/{entry.filename}",) if mirror else entry.urls
    refusals = []
    for url in urls:
        try:
            return download(url, sha256=entry.sha256, size=entry.size)
        except Refused as refusal:
            refusals.append(f"{url} {refusal}")
    raise DataUnavailable(f"{entry.name} is unavailable: {', and '.join(refusals)}; {advice}")


def _keep(entry: Entry, raw: bytes, data_dir: str | Path | None) -> None:
    """Put checked bytes into the cache: a file of its own first, then one rename, so that no reader sees a part."""
    folder = cache_folder(data_dir)
    temporary: str | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{entry.filename}.", dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / entry.filename)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise DataUnavailable(
            f"{entry.name} is unavailable: {entry.filename} cannot be kept in {folder} ({error.strerror or error}); "
            "free some space or choose another folder with --data-dir or SGPMIC_DATA"
        ) from None
