"""Compare the data sets with Table 1: shapes, and latent dimensions beside the printed ones.

The dimensions are computed from the data. A note says where the benchmark takes the printed one
(Yale).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.registry import entry
from sgpmic_cli.embeddings import dimensions_for
from sgpmic_cli.experiments.compare.paper import printed_q, table1
from sgpmic_cli.experiments.plan.table_data import VARIANCES, TableData, load_table_data
from sgpmic_cli.experiments.tables.formats import (
    as_json,
    csv_text,
    escape,
    latex_row,
    latex_table,
    markdown_table,
)
from sgpmic_cli.files.atomic import write_files


@dataclass(frozen=True)
class Shape:
    """The shape of one data set, ours and printed."""

    name: str
    title: str
    ours: tuple[int, int, int] | None  # instances, attributes, classes; None if unavailable
    printed: tuple[int, int, int]
    q: dict[int, int]  # by variance, computed from the data
    printed_q: dict[int, int]
    note: str

    @property
    def verdict(self) -> str:
        """Return `equal`, `differs`, or `unavailable`."""
        if self.ours is None:
            return "unavailable"
        return "equal" if (self.ours, self.q) == (self.printed, self.printed_q) else "differs"

    def document(self) -> dict[str, Any]:
        """Return the data set as it is in the CSV and in the JSON document."""
        names = ("n", "p", "n_classes")
        return {
            "dataset": self.name,
            "title": self.title,
            **dict(zip(names, self.ours or (None, None, None), strict=True)),
            **{f"paper_{name}": n for name, n in zip(names, self.printed, strict=True)},
            **{f"q{variance}": self.q.get(variance) for variance in VARIANCES},
            **{f"paper_q{variance}": self.printed_q.get(variance) for variance in VARIANCES},
            "verdict": self.verdict,
            "note": self.note or None,
        }


def shapes(
    *, data_dir: PathLike | None = None, mirror: str | None = None, offline: bool = False
) -> list[Shape]:
    """Return the shapes of the paper's data sets."""
    found = load_table_data(["all"], ["all"], data_dir=data_dir, mirror=mirror, offline=offline)
    return [_shape(table) for table in found]


def write_table1(folder: Path, found: Sequence[Shape]) -> None:
    """Write the table as CSV, Markdown, LaTeX and JSON."""
    head, body = for_people(found)
    notes = "".join(f"- {shape.name}: {shape.note}\n" for shape in found if shape.note)
    documents = [shape.document() for shape in found]
    rows = [latex_row(map(escape, row)) for row in body]
    texts = {
        "table1.csv": csv_text(list(documents[0]), [list(each.values()) for each in documents]),
        "table1.md": markdown_table(head, body) + (f"\n{notes}" if notes else ""),
        "table1.tex": latex_table("lrrrrrrl", [*map(escape, head)], rows) + "\n",
        "table1.json": as_json({"datasets": documents}),
    }
    write_files(folder, texts)


def for_people(found: Sequence[Shape]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows with our numbers, and the paper's in brackets where they differ."""
    dimensions = [f"Q at {variance} %" for variance in VARIANCES]
    head = ["data set", "instances", "attributes", "classes", *dimensions, "verdict"]
    body = []
    for shape in found:
        ours = shape.ours or (None, None, None)
        counts = [_beside(mine, theirs) for mine, theirs in zip(ours, shape.printed, strict=True)]
        counts += [_beside(shape.q.get(v), shape.printed_q.get(v)) for v in VARIANCES]
        body.append([shape.title, *counts, shape.verdict])
    return head, body


def _shape(table: TableData) -> Shape:
    known, data, printed = entry(table.name), table.data, table1()[table.name]
    theirs = {variance: q for (name, variance), q in printed_q().items() if name == table.name}
    if data is None:
        return Shape(table.name, known.title, None, printed, {}, theirs, table.reason)
    ours = len(data.Y), data.Y.shape[1], data.n_classes
    used = data.without(known.as_run_drop) if known.as_run_drop else data
    q = {variance: dimensions_for(used.Y, variance / 100) for variance in theirs}
    notes = []
    if known.as_run_drop:
        columns = ", ".join(known.as_run_drop)
        notes.append(f"The printed dimensions are those without the column {columns}.")
    if known.as_run_q:
        notes.append("The benchmark takes the printed dimensions instead of the computed ones.")
    if known.data_differ:
        notes.append("The public data are not those the paper used.")
    return Shape(table.name, known.title, ours, printed, q, theirs, " ".join(notes))


def _beside(mine: int | None, theirs: int | None) -> str:
    if theirs is None:
        return ""
    if mine is None:
        return f"({theirs})"
    return str(mine) if mine == theirs else f"{mine} ({theirs})"
