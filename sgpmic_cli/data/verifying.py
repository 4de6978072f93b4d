"""Proof that the data here are the published data: hashes, and the publishers' files value by value."""

import os
from dataclasses import dataclass

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.loading import load_bundled, load_generated, load_installed, parse_original
from sgpmic_cli.data.originals import NotOriginal, cache_folder, cached, chosen_mirror, from_source
from sgpmic_cli.data.registry import Entry, entry, names
from sgpmic_cli.errors import DataUnavailable, SgpmicError


@dataclass(frozen=True)
class Check:
    """One thing looked at: 'ok', 'failed', 'unavailable' (asked for, not to be had) or 'absent' (not asked for)."""

    dataset: str
    check: str
    state: str
    detail: str


def verify(
    *,
    data_dir: str | os.PathLike[str] | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> list[Check]:
    """Check every registered set; with a mirror also its publisher's file against what is loaded from here."""
    mirror = chosen_mirror(mirror)
    checks = []
    for name in names():
        found = entry(name)
        checks.append(
            _check_cache(found, data_dir) if found.kind == "download" else _check_values(found)
        )
        if mirror and found.filename:
            checks.append(_check_original(found, mirror, offline))
    return checks


def exit_code(checks: list[Check]) -> int:
    """1 when a check failed, else 4 when something asked for is unavailable, else 0."""
    states = {check.state for check in checks}
    return 1 if "failed" in states else DataUnavailable.exit_code if "unavailable" in states else 0


READERS = {"bundled": load_bundled, "generated": load_generated, "installed": load_installed}


def _check_values(found: Entry) -> Check:
    try:
        dataset = READERS[found.kind](found)
    except SgpmicError as error:
        return Check(found.name, "values", "failed", str(error))
    return _compare_hash(found, dataset, "values")


def _check_cache(found: Entry, data_dir: str | os.PathLike[str] | None) -> Check:
    path = cache_folder(data_dir) / found.filename
    raw = cached(found, data_dir)
    if raw is not None:
        return _compare_hash(found, parse_original(found, raw), "cache")
    if path.exists():
        return Check(
            found.name,
            "cache",
            "failed",
            f"{path} is not the publisher's file; remove it and fetch again",
        )
    return Check(
        found.name,
        "cache",
        "absent",
        f"not downloaded yet; sgpmic datasets fetch {found.name} gets it",
    )


def _compare_hash(found: Entry, dataset: Dataset, check: str) -> Check:
    n, p = dataset.Y.shape
    if dataset.sha256 == found.values_sha256:
        return Check(
            found.name,
            check,
            "ok",
            f"{n} x {p} values, {dataset.n_classes} classes, hash as registered",
        )
    return Check(
        found.name,
        check,
        "failed",
        f"the {n} x {p} values hash to {dataset.sha256}, not as registered",
    )


def _check_original(found: Entry, mirror: str, offline: bool) -> Check:
    try:
        raw = from_source(found, mirror, offline=offline)
    except NotOriginal as error:
        return Check(found.name, "original", "failed", str(error))
    except DataUnavailable as error:
        return Check(found.name, "original", "unavailable", str(error))
    original = parse_original(found, raw)
    if found.kind == "download":
        return _compare_hash(found, original, "original")
    try:
        difference = first_difference(load_bundled(found), original)
    except SgpmicError as error:
        difference = str(error)
    if difference:
        return Check(
            found.name,
            "original",
            "failed",
            f"the bundled file differs from {found.filename}: {difference}",
        )
    return Check(
        found.name,
        "original",
        "ok",
        f"{original.Y.size} values and {found.n} classes equal {found.filename}",
    )


def first_difference(ours: Dataset, original: Dataset) -> str | None:
    """Where two data sets first differ, in words, or None when every value and class is equal."""
    if ours.Y.shape != original.Y.shape:
        return f"{ours.Y.shape[0]} x {ours.Y.shape[1]} values against {original.Y.shape[0]} x {original.Y.shape[1]}"
    for row, column in np.argwhere(ours.Y != original.Y)[:1]:
        values = f"{ours.Y[row, column]!s} against {original.Y[row, column]!s}"
        return f"row {row + 1}, column {ours.feature_names[column]!r}: {values}"
    pairs = zip(_classes(ours), _classes(original), strict=True)
    for row, (our_class, original_class) in enumerate(pairs, start=1):
        if our_class != original_class:
            return f"row {row}: class {our_class!r} against {original_class!r}"
    return None


def _classes(dataset: Dataset) -> list[str]:
    return (
        [] if dataset.labels is None else [dataset.class_names[label] for label in dataset.labels]
    )
