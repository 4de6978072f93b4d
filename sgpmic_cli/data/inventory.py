"""List the registered data sets with their state on this machine, and fetch downloads."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.originals import cache_folder, cached, fetch
from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable


def state(found: Entry, data_dir: PathLike | None = None) -> str:
    """Return the kind of a data set; for downloads 'present' (hash checked) or 'absent'."""
    if found.kind != "download":
        return found.kind
    return "absent" if cached(found, data_dir) is None else "present"


def describe(found: Entry, data_dir: PathLike | None = None) -> dict[str, Any]:
    """Return the registry entry, the state of the data set and the path of its file."""
    now = state(found, data_dir)
    paths = {
        "bundled": bundled_folder() / f"{found.name}.csv",
        "present": cache_folder(data_dir) / found.filename,
    }
    return {**asdict(found), "state": now, "path": str(paths[now]) if now in paths else None}


def describe_all(data_dir: PathLike | None = None) -> list[dict[str, Any]]:
    """Describe every registered data set, in the order of the registry."""
    return [describe(entry(name), data_dir) for name in names()]


def fetch_all(
    wanted: Sequence[str] = (),
    *,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> list[dict[str, Any]]:
    """Fetch the wanted data sets, or all downloads. A failure does not stop the others."""
    results = []
    for found in [entry(name) for name in wanted or names()]:
        result = {"name": found.name, "state": found.kind, "path": None, "reason": None}
        if found.kind == "download":
            try:
                path = fetch(found, data_dir=data_dir, mirror=mirror, offline=offline)
                result |= {"state": "present", "path": str(path)}
            except DataUnavailable as error:
                result |= {"state": "unavailable", "reason": str(error)}
        elif not wanted:
            continue
        results.append(result)
    return results
