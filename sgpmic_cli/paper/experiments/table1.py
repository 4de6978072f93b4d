"""Compare the data sets with Table 1: shapes, and latent dimensions beside the printed ones.

The dimensions are computed from the data. A note says where the benchmark takes the printed one
(Yale).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.plan import PERCENTAGES, LoadedData, load_data
from sgpmic_cli.benchmark.tables import as_json, markdown_table
from sgpmic_cli.data.registry import entry
from sgpmic_cli.files import write_files
from sgpmic_cli.gp import dimensions_for
from sgpmic_cli.paper.experiments.protocols import table1

SHAPE = {"n": "instances", "p": "attributes", "n_classes": "classes"}
DIMENSIONS = {f"q{percentage}": f"Q at {percentage} %" for percentage in PERCENTAGES}
Shape = dict[str, Any]  # the numbers of one data set, the printed ones with the prefix `paper_`


def shapes() -> list[Shape]:
    """Return the shapes of the paper's data sets, as they are in the CSV and in the JSON file."""
    return [_shape(loaded) for loaded in load_data(["all"], ["all"])]


def _shape(loaded: LoadedData) -> Shape:
    registered, data = entry(loaded.name), loaded.data
    printed = table1()[loaded.name]
    ours: dict[str, int] = {}
    notes = [] if data else [loaded.reason]
    if data is not None:
        used = data.without(registered.as_run_drop) if registered.as_run_drop else data
        ours = {"n": len(data.Y), "p": data.Y.shape[1], "n_classes": data.n_classes}
        rows = (row for row in PERCENTAGES if f"q{row}" in printed)
        ours |= {f"q{row}": dimensions_for(used.Y, row / 100) for row in rows}
        if registered.as_run_drop:
            columns = ", ".join(registered.as_run_drop)
            notes.append(f"The printed dimensions are those without the column {columns}.")
        if registered.printed_q:
            notes.append("The benchmark takes the printed dimensions instead of the computed ones.")
        if registered.data_differ:
            notes.append("The public data are not those the paper used.")
    shape: Shape = {"dataset": loaded.name, "title": registered.title}
    for names in (SHAPE, DIMENSIONS):
        shape |= {name: ours.get(name) for name in names}
        shape |= {f"paper_{name}": printed.get(name) for name in names}
    verdict = "unavailable" if not ours else "equal" if ours == printed else "differs"
    return {**shape, "verdict": verdict, "note": " ".join(notes) or None}


def write_table1(folder: Path, table: Sequence[Shape]) -> None:
    """Write the table as CSV, Markdown and JSON."""
    head, body = for_people(table)
    notes = "".join(f"- {shape['dataset']}: {shape['note']}\n" for shape in table if shape["note"])
    texts = {
        "table1.csv": pd.DataFrame(table, dtype=object).to_csv(index=False, lineterminator="\n"),
        "table1.md": markdown_table(head, body) + (f"\n{notes}" if notes else ""),
        "table1.json": as_json({"datasets": table}),
    }
    write_files(folder, "table1", texts)


def for_people(table: Sequence[Shape]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows with our numbers, and the paper's in brackets where they differ."""
    columns = SHAPE | DIMENSIONS
    body = []
    for shape in table:
        numbers = [_beside(shape[name], shape[f"paper_{name}"]) for name in columns]
        body.append([shape["title"], *numbers, shape["verdict"]])
    return ["data set", *columns.values(), "verdict"], body


def _beside(mine: int | None, theirs: int | None) -> str:
    if theirs is None:
        return ""
    if mine is None:
        return f"({theirs})"
    return str(mine) if mine == theirs else f"{mine} ({theirs})"
