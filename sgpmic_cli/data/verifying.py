"""Verify the data sets and the publishers' files by the hashes of their values."""

from dataclasses import dataclass

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.loading import load_entry, parse_original
from sgpmic_cli.data.originals import NotOriginal, cache_folder, cached, chosen_mirror, from_source
from sgpmic_cli.data.registry import Entry, entry, names
from sgpmic_cli.errors import DataUnavailable, SgpmicError


@dataclass(frozen=True)
class Check:
    """The result of one check.

    The state is 'ok', 'failed', 'unavailable' (the publisher's file cannot be read) or 'absent' (a
    download that has not been fetched).
    """

    dataset: str
    check: str
    state: str
    detail: str


def verify(
    *, data_dir: PathLike | None = None, mirror: str | None = None, offline: bool = False
) -> list[Check]:
    """Check the values of every data set; with a mirror also those of the publishers' files."""
    mirror = chosen_mirror(mirror)
    checks = []
    for found in map(entry, names()):
        download = found.kind == "download"
        checks.append(_check_cache(found, data_dir) if download else _check_values(found))
        if mirror and found.filename:
            checks.append(_check_original(found, mirror, offline))
    return checks


def exit_code(checks: list[Check]) -> int:
    """Return 1 if a check failed, else 4 if a file is unavailable, else 0."""
    states = {check.state for check in checks}
    return 1 if "failed" in states else DataUnavailable.exit_code if "unavailable" in states else 0


def _check_values(found: Entry) -> Check:
    try:
        return _compare_hash(found, load_entry(found), "values")
    except SgpmicError as error:
        return Check(found.name, "values", "failed", str(error))


def _check_cache(found: Entry, data_dir: PathLike | None) -> Check:
    path = cache_folder(data_dir) / found.filename
    raw = cached(found, data_dir)
    if raw is not None:
        return _compare_hash(found, parse_original(found, raw), "cache")
    if path.exists():
        detail = f"{path} is not the publisher's file; remove it and fetch again"
        return Check(found.name, "cache", "failed", detail)
    detail = f"not downloaded yet; sgpmic datasets fetch {found.name} gets it"
    return Check(found.name, "cache", "absent", detail)


def _check_original(found: Entry, mirror: str, offline: bool) -> Check:
    try:
        original = parse_original(found, from_source(found, mirror, offline=offline))
    except DataUnavailable as error:
        state = "failed" if isinstance(error, NotOriginal) else "unavailable"
        return Check(found.name, "original", state, str(error))
    return _compare_hash(found, original, "original")


def _compare_hash(found: Entry, dataset: Dataset, check: str) -> Check:
    n, p = dataset.Y.shape
    if dataset.sha256 == found.values_sha256:
        detail = f"{n} x {p} values, {dataset.n_classes} classes, hash as registered"
        return Check(found.name, check, "ok", detail)
    detail = f"the {n} x {p} values hash to {dataset.sha256}, not as registered"
    return Check(found.name, check, "failed", detail)
