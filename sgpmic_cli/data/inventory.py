"""What is there: the state of every registered set on this machine, and fetching what is not."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sgpmic_cli.data.originals import cache_folder, cached, fetch
from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable


def state(found: Entry, data_dir: str | os.PathLike[str] | None = None) -> str:
    """'bundled', 'generated', or for downloads 'present' (whole, hash checked) or 'absent'."""
    if found.kind != "download":
        return found.kind
    return "absent" if cached(found, data_dir) is None else "present"


def describe(found: Entry, data_dir: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Everything the registry says of a set, its state here and the path it is read from."""
    now = state(found, data_dir)
    paths = {
        "bundled": bundled_folder() / f"{found.name}.csv",
        "present": cache_folder(data_dir) / found.filename,
    }
    return {**asdict(found), "state": now, "path": str(paths[now]) if now in paths else None}


def describe_all(data_dir: str | os.PathLike[str] | None = None) -> list[dict[str, Any]]:
    """`describe` for every registered set, in the registry's order."""
    return [describe(entry(name), data_dir) for name in names()]


def fetch_all(
    wanted: Sequence[str] = (),
    *,
    data_dir: str | os.PathLike[str] | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> list[dict[str, Any]]:
    """Bring downloads (all of them, or the wanted names) into the cache; a failed one does not stop the others."""
    found = [entry(name) for name in wanted or names()]
    outcomes = []
    for one in found:
        if one.kind != "download":
            if wanted:
                outcomes.append({"name": one.name, "state": one.kind, "path": None, "reason": None})
            continue
        try:
            path = fetch(one, data_dir=data_dir, mirror=mirror, offline=offline)
            outcomes.append(
                {"name": one.name, "state": "present", "path": str(path), "reason": None}
            )
        except DataUnavailable as error:
            outcomes.append(
                {"name": one.name, "state": "unavailable", "path": None, "reason": str(error)}
            )
    return outcomes
