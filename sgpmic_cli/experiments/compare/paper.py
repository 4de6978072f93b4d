"""Read the published numbers of Table 1, Table 2 and the figures."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

REPEATS = 10  # behind every printed mean and standard deviation
FIGURE_ARCS = {"acc": 99.32, "nmi": 97.35}  # figure 4, in the text


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
    """A printed mean and standard deviation, which always exist."""

    mean: float
    std: float


@cache
def table2() -> dict[tuple[str, str, int, str], Published]:
    """Return the printed cells by (metric, data set, variance, method); dashes are left out."""
    return {
        (row["metric"], row["dataset"], int(row["variance"]), row["method"]): Published(
            float(row["mean"]), float(row["std"])
        )
        for row in _rows("paper_table2.csv")
        if row["mean"]
    }


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
    path = files("sgpmic_cli.experiments.compare") / name
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ACC printed under the figures, by (figure, data set) and method.
FIGURE_ACC: dict[tuple[str, str], dict[str, float]] = {}
for _row in _rows("paper_figures.csv"):
    _printed = FIGURE_ACC.setdefault((_row["figure"], _row["dataset"]), {})
    _printed[_row["method"]] = float(_row["acc"])
