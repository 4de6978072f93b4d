"""Compare the data sets with Table 1: shapes, and latent dimensions beside the printed ones.

The dimensions are computed from the data. A note says where the benchmark takes the printed one
(Yale).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.compare.paper import printed_q, table1
from sgpmic_cli.benchmark.plan.table_data import VARIANCES, TableData, load_table_data
from sgpmic_cli.benchmark.tables.formats import (
    as_json,
    csv_text,
    escape,
    latex_row,
    latex_table,
    markdown_table,
)
from sgpmic_cli.data.registry import entry
from sgpmic_cli.files.output_folder import write_files
from sgpmic_cli.gp.pca import dimensions_for

COLUMNS = {
    **{"n": "instances", "p": "attributes", "n_classes": "classes"},
    **{f"q{variance}": f"Q at {variance} %" for variance in VARIANCES},
}
Shape = dict[str, Any]  # the numbers of one data set, the printed ones with the prefix `paper_`


def shapes(**source: Any) -> list[Shape]:
    """Return the shapes of the paper's data sets, as they are in the CSV and in the JSON file."""
    return [_shape(table) for table in load_table_data(["all"], ["all"], **source)]


def _shape(table: TableData) -> Shape:
    known, data = entry(table.name), table.data
    printed = dict(zip(COLUMNS, table1()[table.name], strict=False))
    printed |= {f"q{each}": q for (name, each), q in printed_q().items() if name == table.name}
    ours: dict[str, int] = {}
    notes = []
    if data is None:
        notes.append(table.reason)
    else:
        ours = {"n": len(data.Y), "p": data.Y.shape[1], "n_classes": data.n_classes}
        used = data.without(known.as_run_drop) if known.as_run_drop else data
        for variance in VARIANCES:
            if f"q{variance}" in printed:
                ours[f"q{variance}"] = dimensions_for(used.Y, variance / 100)
        if known.as_run_drop:
            columns = ", ".join(known.as_run_drop)
            notes.append(f"The printed dimensions are those without the column {columns}.")
        if known.printed_q:
            notes.append("The benchmark takes the printed dimensions instead of the computed ones.")
        if known.data_differ:
            notes.append("The public data are not those the paper used.")
    shape_names, q_names = list(COLUMNS)[:3], list(COLUMNS)[3:]
    return {
        "dataset": table.name,
        "title": known.title,
        **{name: ours.get(name) for name in shape_names},
        **{f"paper_{name}": printed.get(name) for name in shape_names},
        **{name: ours.get(name) for name in q_names},
        **{f"paper_{name}": printed.get(name) for name in q_names},
        "verdict": "unavailable" if not ours else "equal" if ours == printed else "differs",
        "note": " ".join(notes) or None,
    }


def write_table1(folder: Path, found: Sequence[Shape]) -> None:
    """Write the table as CSV, Markdown, LaTeX and JSON."""
    head, body = for_people(found)
    notes = "".join(f"- {shape['dataset']}: {shape['note']}\n" for shape in found if shape["note"])
    rows = [latex_row(map(escape, row)) for row in body]
    texts = {
        "table1.csv": csv_text(list(found[0]), [list(shape.values()) for shape in found]),
        "table1.md": markdown_table(head, body) + (f"\n{notes}" if notes else ""),
        "table1.tex": latex_table("lrrrrrrl", [*map(escape, head)], rows) + "\n",
        "table1.json": as_json({"datasets": found}),
    }
    write_files(folder, "table1", texts)


def for_people(found: Sequence[Shape]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows with our numbers, and the paper's in brackets where they differ."""
    body = []
    for shape in found:
        counts = [_beside(shape[name], shape[f"paper_{name}"]) for name in COLUMNS]
        body.append([shape["title"], *counts, shape["verdict"]])
    return ["data set", *COLUMNS.values(), "verdict"], body


def _beside(mine: int | None, theirs: int | None) -> str:
    if theirs is None:
        return ""
    if mine is None:
        return f"({theirs})"
    return str(mine) if mine == theirs else f"{mine} ({theirs})"
