"""List, fetch and verify the registered data sets on this machine."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.registered import (
    NotOriginal,
    cache_folder,
    cached,
    chosen_mirror,
    fetch_original,
    from_source,
    load_entry,
    parse_original,
)
from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable, SgpmicError
from sgpmic_cli.tables.rows import Rows


def describe_entry(found: Entry, data_dir: PathLike | None = None) -> dict[str, Any]:
    """Return the registry entry, the state of the data set and the path of its file.

    The state of a download is 'present' (hash checked) or 'absent', of another set its kind.
    """
    state, path = found.kind, None
    if state == "bundled":
        path = str(bundled_folder() / f"{found.name}.csv")
    elif state == "download":
        state = "absent"
        if cached(found, data_dir) is not None:
            state, path = "present", str(cache_folder(data_dir) / found.filename)
    return {**asdict(found), "state": state, "path": path}


def describe_all(data_dir: PathLike | None = None) -> list[dict[str, Any]]:
    """Describe every registered data set, in the order of the registry."""
    return [describe_entry(entry(name), data_dir) for name in names()]


def fetch_all(wanted: Sequence[str] = (), **source: Any) -> list[dict[str, Any]]:
    """Fetch the wanted data sets, or all downloads. A failure does not stop the others.

    `source` are arguments of `read_original`.
    """
    results = []
    downloads = [name for name in names() if entry(name).kind == "download"]
    for found in [entry(name) for name in wanted or downloads]:
        result = {"name": found.name, "state": found.kind, "path": None, "reason": None}
        if found.kind == "download":
            try:
                result |= {"state": "present", "path": str(fetch_original(found, **source))}
            except DataUnavailable as error:
                result |= {"state": "unavailable", "reason": str(error)}
        results.append(result)
    return results


class Check(NamedTuple):
    """The result of one check.

    The state is 'ok', 'failed', 'unavailable' (the publisher's file cannot be read) or 'absent' (a
    download that has not been fetched).
    """

    dataset: str
    check: str
    state: str
    detail: str


def verify_all(
    *, data_dir: PathLike | None = None, mirror: str | None = None, offline: bool = False
) -> list[Check]:
    """Check the values of every data set; with a mirror also those of the publishers' files."""
    mirror = chosen_mirror(mirror)
    checks = []
    folder = cache_folder(data_dir)
    for found in map(entry, names()):
        if found.kind != "download":
            checks.append(_check_values(found, "values", partial(load_entry, found)))
        elif (folder / found.filename).exists():
            original = partial(_load_original, found, str(folder))
            checks.append(_check_values(found, "cache", original))
        else:
            detail = f"not downloaded yet; sgpmic datasets fetch {found.name} gets it"
            checks.append(Check(found.name, "cache", "absent", detail))
        if mirror and found.filename:
            original = partial(_load_original, found, mirror, offline)
            checks.append(_check_values(found, "original", original))
    return checks


def _load_original(found: Entry, place: str, offline: bool = False) -> Rows:
    return parse_original(found, from_source(found, place, offline=offline))


def _check_values(found: Entry, check: str, load: Callable[[], Rows]) -> Check:
    try:
        dataset = load()
    except SgpmicError as error:
        unavailable = check == "original" and not isinstance(error, NotOriginal)
        return Check(found.name, check, "unavailable" if unavailable else "failed", str(error))
    n, p = dataset.Y.shape
    if dataset.sha256 == found.values_sha256:
        detail = f"{n} x {p} values, {dataset.n_classes} classes, hash as registered"
        return Check(found.name, check, "ok", detail)
    detail = f"the {n} x {p} values hash to {dataset.sha256}, not as registered"
    return Check(found.name, check, "failed", detail)
