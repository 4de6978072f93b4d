"""Read printed numbers from CSV files: those of this paper, and those of a user's file."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from sgpmic_cli.benchmark.plan.table_data import USUAL_VARIANCE
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.atomic import read_regular
from sgpmic_cli.scores import SCORES

FIGURE_ARCS = {"acc": 99.32, "nmi": 97.35}  # figure 4, in the text
# The scores of a table; `nmi` holds the definition of the protocol.
SHOWN = tuple(name for name in SCORES if name not in ("nmi_clusters", "nmi_stated"))


@dataclass(frozen=True)
class Stat:
    """Mean and population standard deviation; both None if no run succeeded."""

    mean: float | None = None
    std: float | None = None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Stat":
        """Compute the statistic of values in the order of the repeats."""
        return cls(float(np.mean(values)), float(np.std(values))) if values else cls()


@dataclass(frozen=True)
class Published(Stat):
    """A printed mean and standard deviation, which always exist, and the number of runs."""

    mean: float
    std: float
    repeats: int = field(kw_only=True)


Printed = dict[tuple[str, str, int, str], Published]  # by metric, data set, variance, method


@cache
def table2() -> Printed:
    """Return the numbers of the paper's Table 2."""
    return _parse(_rows("paper_table2.csv"))


def read_printed(path: Path) -> Printed:
    """Read printed numbers from a CSV file.

    The columns are method, dataset, metric, mean, std and repeats. A column `variance` has the
    percentage of each row, which is otherwise 95. Lines without a mean and other columns are
    ignored.
    """
    try:
        text = read_regular(path).decode("utf-8-sig")
        printed = _parse(csv.DictReader(io.StringIO(text), strict=True))
        if not printed:
            raise ValueError("there is no number in it")
    except (OSError, KeyError, ValueError, csv.Error) as error:
        problem = f"column {error} is missing" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{str(path)!r} is not a CSV file of printed numbers: {problem}."
        ) from None
    return printed


def _parse(rows: Iterable[dict[str, str]]) -> Printed:
    printed: Printed = {}
    for line, row in enumerate(rows, start=2):
        if not row["mean"]:
            continue
        metric, method = row["metric"].lower(), row["method"]
        try:
            key = metric, row["dataset"], int(row.get("variance") or USUAL_VARIANCE), method
            mean, std, repeats = float(row["mean"]), float(row["std"]), int(row["repeats"])
        except (TypeError, ValueError):
            raise ValueError(f"a number in line {line} is missing or wrong") from None
        if metric not in SHOWN:
            raise ValueError(f"metric {metric!r} in line {line} is none of {', '.join(SHOWN)}")
        if not (math.isfinite(mean) and 0.0 <= std < math.inf and repeats > 0):
            raise ValueError(f"a number in line {line} is negative or infinite")
        if key in printed:
            raise ValueError(f"line {line} repeats an earlier cell")
        printed[key] = Published(mean, std, repeats=repeats)
    return printed


@cache
def table1() -> dict[str, tuple[int, int, int]]:
    """Return the printed instances, attributes and classes of every data set."""
    return {
        row["dataset"]: (int(row["n"]), int(row["p"]), int(row["n_classes"]))
        for row in _rows("paper_table1.csv")
    }


@cache
def printed_q() -> dict[tuple[str, int], int]:
    """Return the printed latent dimensions by (data set, variance)."""
    return {
        (row["dataset"], int(row["variance"])): int(row["q"]) for row in _rows("paper_table2.csv")
    }


def _rows(name: str) -> list[dict[str, str]]:
    path = files("sgpmic_cli.benchmark.compare") / name
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ACC printed under the figures, by (figure, data set) and method.
FIGURE_ACC: dict[tuple[str, str], dict[str, float]] = {}
for _row in _rows("paper_figures.csv"):
    _printed = FIGURE_ACC.setdefault((_row["figure"], _row["dataset"]), {})
    _printed[_row["method"]] = float(_row["acc"])
