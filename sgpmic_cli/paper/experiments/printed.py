"""The numbers that the paper prints, read from CSV files on first use."""

import csv
from functools import cache
from importlib.resources import files

import pandas as pd

from sgpmic_cli.benchmark.documents import parse_printed
from sgpmic_cli.data.registry import entry, names

FIGURE_ARCS = {"acc": 99.32, "nmi": 97.35}  # figure 4, in the text
FOLDER = files("sgpmic_cli.paper.experiments")


@cache
def table2() -> pd.DataFrame:
    """Return the numbers of Table 2; `data_differ` marks those whose data are not public."""
    printed = parse_printed((FOLDER / "table2.csv").read_bytes())
    different = [name for name in names() if entry(name).data_differ]
    return printed.assign(data_differ=printed["dataset"].isin(different))


@cache
def table1() -> dict[str, tuple[int, int, int]]:
    """Return the printed instances, attributes and classes of every data set."""
    return {
        row["dataset"]: (int(row["n"]), int(row["p"]), int(row["n_classes"]))
        for row in _rows("table1.csv")
    }


@cache
def printed_q() -> dict[tuple[str, int], int]:
    """Return the printed latent dimensions by data set and explained variance."""
    return {(row["dataset"], int(row["variance"])): int(row["q"]) for row in _rows("table2.csv")}


@cache
def figure_acc() -> dict[tuple[str, str, str], float]:
    """Return the ACC printed under the figures by figure, data set and method."""
    return {
        (row["figure"], row["dataset"], row["method"]): float(row["acc"])
        for row in _rows("figures.csv")
    }


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
