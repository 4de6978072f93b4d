"""Load the data sets of a study: names of the registry, `all`, paths or patterns of files."""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sgpmic_cli.benchmark.plan.methods import unknown
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registered import load_entry
from sgpmic_cli.data.registry import Entry, entry, find, names
from sgpmic_cli.errors import DataUnavailable, UsageError
from sgpmic_cli.estimator_base.scaling import Scale, offset_and_scale

PERCENTAGES = (50, 95, 99)  # of the variance
USUAL_PERCENTAGE = 95


@dataclass(frozen=True)
class LoadedData:
    """A requested data set with its data, or the reason why they are unavailable."""

    name: str
    explained_variances: tuple[int, ...]  # percentages, one row of the table each
    entry: Entry | None  # None for a user's file
    data: Dataset | None
    reason: str = ""


def load_data(
    datasets: Sequence[str],
    explained_variances: Sequence[str | int],
    *,
    label: str | None = None,
    scale: str | None = None,
    **source: Any,
) -> list[LoadedData]:
    """Load every data set. An unavailable one stays in the list with its reason.

    `source` are the arguments `data_dir`, `mirror` and `offline` of `load`.
    """
    wanted = _percentages(explained_variances)
    if label is not None and all(name == "all" or find(name) for name in datasets):
        raise UsageError(
            f"--label {label} names a column of a CSV file, and no CSV file is among the data sets."
        )
    loaded: dict[str, LoadedData] = {}
    for name, percentages in _requested(datasets, wanted):
        registered = find(name)
        try:
            data = _scaled(_load(name, registered, label, source), scale)
            new = LoadedData(data.name, percentages, registered, data)
        except DataUnavailable as error:
            new = LoadedData(name, percentages, registered, None, reason=str(error))
        if new.name in loaded and not registered:
            raise UsageError(f"two data sets are called {new.name!r}: rename the file {name!r}.")
        loaded.setdefault(new.name, new)
    if not loaded:
        raise UsageError(
            "no data set was named: give datasets=iris,wine for example, or all, or a CSV file."
        )
    if all(one.data is None for one in loaded.values()):
        raise DataUnavailable(" ".join(one.reason for one in loaded.values()))
    return list(loaded.values())


def _load(name: str, registered: Entry | None, label: str | None, source: Any) -> Dataset:
    """Load a data set. The last column of a file is its label column unless one is named."""
    if registered is not None:
        return load_entry(registered, **source)
    from sgpmic_cli.data.loading import last_column, load

    column = label or last_column(name)
    data = load(name, label=column, **source)
    if label is None and 2 * data.n_classes > len(data.Y):
        raise UsageError(
            f"the last column of {name}, {column!r}, has {data.n_classes} different values in "
            f"{len(data.Y)} rows, so it is not a label column: name one with --label COLUMN."
        )
    return data


def _requested(
    datasets: Sequence[str], wanted: tuple[int, ...] | None
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield names with their percentages, and the files of a pattern such as FOLDER/*.csv."""
    for name in datasets:
        if name == "all":  # only the registered rows
            for registered in names():
                rows = entry(registered).variances if entry(registered).in_paper else ()
                chosen = tuple(row for row in wanted or rows if row in rows)
                if chosen:
                    yield registered, chosen
        elif registered_entry := find(name):
            yield name, wanted or tuple(registered_entry.variances)
        elif not glob.has_magic(name) or os.path.exists(name):
            yield name, wanted or PERCENTAGES
        else:
            files = sorted(glob.glob(os.path.expanduser(name), recursive=True))
            if not files:
                raise UsageError(
                    f"no file matches {name!r}: check the folder, and put the pattern in quotes."
                )
            yield from ((file, wanted or PERCENTAGES) for file in files)


def _scaled(data: Dataset, scale: str | None) -> Dataset:
    if scale is None or scale == "none":
        return data
    offset, factor = offset_and_scale(data.Y, cast(Scale, scale))
    return replace(data, Y=(data.Y - offset) / factor)


def _percentages(given: Sequence[str | int]) -> tuple[int, ...] | None:
    """Parse percentages; None stands for all of each data set."""
    texts = [str(text).strip().removesuffix("%") for text in given]
    if "all" in texts:
        return None
    if not texts:
        raise UsageError(
            "no variance was named: give variances=50, 95 or 99, a list of them, or all."
        )
    for text in texts:
        if text not in map(str, PERCENTAGES):
            raise UsageError(unknown("variance", text, [*map(str, PERCENTAGES), "all"]))
    return tuple(dict.fromkeys(int(text) for text in texts))
