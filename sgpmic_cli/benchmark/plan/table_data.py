"""Load the data sets of a table: names of the registry, `all`, paths or patterns of files."""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sgpmic_cli.benchmark.plan.methods import unknown
from sgpmic_cli.data import load
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.loading import last_column
from sgpmic_cli.data.registry import Entry, entry, find, names
from sgpmic_cli.errors import DataUnavailable, UsageError
from sgpmic_cli.estimator_base.scaling import Scale, offset_and_scale

VARIANCES = (50, 95, 99)
USUAL_VARIANCE = 95


@dataclass(frozen=True)
class TableData:
    """A requested data set with its data, or the reason why they are unavailable."""

    name: str
    variances: tuple[int, ...]  # percentages, one row of the table each
    entry: Entry | None  # None for a user's file
    data: Dataset | None
    reason: str = ""


def load_table_data(
    datasets: Sequence[str],
    variances: Sequence[str | int],
    *,
    label: str | None = None,
    scale: str | None = None,
    **source: Any,
) -> list[TableData]:
    """Load every data set. An unavailable one stays in the list with its reason.

    `source` are the arguments `data_dir`, `mirror` and `offline` of `load`.
    """
    wanted = _variances(variances)
    if label is not None and all(name == "all" or find(name) for name in datasets):
        raise UsageError(
            f"--label {label} names a column of a CSV file, and no CSV file is among the data sets."
        )
    found: dict[str, TableData] = {}
    for name, percentages in _requested(datasets, wanted):
        known = find(name)
        try:
            classes = None if known else label or last_column(name)
            data = load(name, label=classes, **source)
            if label is None and not known and 2 * data.n_classes > len(data.Y):
                raise UsageError(
                    f"the last column of {name}, {classes!r}, has {data.n_classes} different "
                    f"values in {len(data.Y)} rows, so it is not a label column: name one with "
                    "--label COLUMN."
                )
            loaded = TableData(data.name, percentages, known, _scaled(data, scale))
        except DataUnavailable as error:
            loaded = TableData(name, percentages, known, None, reason=str(error))
        if loaded.name in found and not known:
            raise UsageError(f"two data sets are called {loaded.name!r}: rename the file {name!r}.")
        found.setdefault(loaded.name, loaded)
    if not found:
        raise UsageError(
            "no data set was named: give datasets=iris,wine for example, or all, or a CSV file."
        )
    if all(loaded.data is None for loaded in found.values()):
        raise DataUnavailable(" ".join(loaded.reason for loaded in found.values()))
    return list(found.values())


def _requested(
    datasets: Sequence[str], variances: tuple[int, ...] | None
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield names with their percentages, and the files of a pattern such as FOLDER/*.csv."""
    for asked in datasets:
        if asked == "all":  # `all` has the percentages of the paper only
            for name in names():
                printed = tuple(entry(name).variances) if entry(name).in_paper else ()
                chosen = tuple(each for each in variances or printed if each in printed)
                if chosen:
                    yield name, chosen
        elif known := find(asked):
            yield asked, variances or tuple(known.variances)
        elif not glob.has_magic(asked) or os.path.exists(asked):
            yield asked, variances or VARIANCES
        else:
            files = sorted(glob.glob(os.path.expanduser(asked), recursive=True))
            if not files:
                raise UsageError(
                    f"no file matches {asked!r}: check the folder, and put the pattern in quotes."
                )
            yield from ((file, variances or VARIANCES) for file in files)


def _scaled(data: Dataset, scale: str | None) -> Dataset:
    if scale is None or scale == "none":
        return data
    offset, factor = offset_and_scale(data.Y, cast(Scale, scale))
    return replace(data, Y=(data.Y - offset) / factor)


def _variances(asked: Sequence[str | int]) -> tuple[int, ...] | None:
    """Parse percentages; None stands for all of each data set."""
    texts = [str(text).strip().removesuffix("%") for text in asked]
    if "all" in texts:
        return None
    if not texts:
        raise UsageError(
            "no variance was named: give variances=50, 95 or 99, a list of them, or all."
        )
    for text in texts:
        if text not in map(str, VARIANCES):
            raise UsageError(unknown("variance", text, [*map(str, VARIANCES), "all"]))
    return tuple(dict.fromkeys(int(text) for text in texts))
