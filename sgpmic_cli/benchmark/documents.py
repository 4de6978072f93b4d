"""Read printed numbers, and write and read the JSON document of a benchmark."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import CELL, KEY, METRICS, NUMBERS, SHOWN, comparison
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.plan import USUAL_PERCENTAGE, Study
from sgpmic_cli.errors import SgpmicError, UsageError

# The fields of a cell in a document. Explained variance is `variance` there.
FIELDS = [*CELL, "repeats", "failed"]


def read_printed(path: Path) -> pd.DataFrame:
    """Read printed numbers from a CSV file; see `parse_printed`."""
    try:
        return parse_printed(path.read_bytes())
    except (OSError, KeyError, ValueError) as error:
        problem = f"column {error} is missing" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{str(path)!r} is not a CSV file of printed numbers: {problem}."
        ) from None


def parse_printed(content: bytes) -> pd.DataFrame:
    """Parse and check printed numbers: the columns KEY, NUMBERS and `data_differ` (False).

    `content` is a CSV file with the columns method, dataset, metric, mean, std and repeats. A
    column `variance` has the percentage of each row, which is otherwise 95. Lines without a mean
    and other columns are ignored.
    """
    text = io.BytesIO(content)
    table = pd.read_csv(text, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    table.index += 2  # the lines of the file
    table = table[table["mean"] != ""]
    if table.empty:
        raise ValueError("there is no number in it")
    if "variance" not in table:
        table = table.assign(variance=str(USUAL_PERCENTAGE))
    variance = table["variance"].replace("", str(USUAL_PERCENTAGE))
    printed = table.assign(metric=table["metric"].str.lower(), explained_variance=variance)
    printed = printed[[*KEY, *NUMBERS]]
    numbers = printed[["explained_variance", *NUMBERS]].apply(pd.to_numeric, errors="coerce")
    printed = printed.assign(**numbers)
    problems = {
        f"its metric is none of {', '.join(SHOWN)}": ~printed["metric"].isin(SHOWN),
        "a number is missing or wrong": ~np.isfinite(numbers).all(axis=1),
        "a number is negative": (printed["std"] < 0) | (printed["repeats"] <= 0),
        "it repeats an earlier cell": printed.duplicated(KEY),
    }
    for problem, wrong in problems.items():
        for line in printed.index[wrong]:
            raise ValueError(f"line {line}: {problem}")
    types: Any = {"explained_variance": int, **dict.fromkeys(NUMBERS, float)}
    return printed.astype(types).assign(data_differ=False).reset_index(drop=True)


def document(study: Study, table: pd.DataFrame) -> dict[str, Any]:
    """Return the JSON document of a benchmark."""
    cells = [_cell_document(plain_rows(cell)) for _, cell in table.groupby("cell", sort=False)]
    head = {"protocol": study.protocol, "repeats": study.repeats, "seed": study.seed}
    return {**head, "cells": cells}


def _cell_document(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a cell of the document from its rows, one for each metric."""
    first, by_metric = rows[0], {row["metric"]: row for row in rows}

    def numbers(metric: str, **columns: str) -> dict[str, Any]:
        return {name: by_metric[metric][column] for name, column in columns.items()}

    def printed(**columns: str) -> dict[str, dict[str, Any] | None]:
        """Return numbers of each metric, None where there is no printed one."""
        each = {metric: numbers(metric, **columns) for metric in METRICS}
        return {metric: row if row["mean"] is not None else None for metric, row in each.items()}

    paper = printed(mean="paper_mean", std="paper_std")
    return {
        **{"variance" if name == "explained_variance" else name: first[name] for name in FIELDS},
        **{metric: numbers(metric, mean="mean", std="std") for metric in SHOWN},
        "paper": paper if any(paper.values()) else None,
        "verdict": {metric: by_metric[metric]["verdict"] for metric in METRICS},
        "difference": printed(mean="difference", low="low", high="high"),
        **{name: first[name] for name in ("seconds", "note")},
    }


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame with the values of JSON: None for a missing number."""
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def read_document(
    path: Path, methods: Methods, printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Read the `benchmark.json` of a benchmark as a comparison; see `compare`."""
    with reading(path) as content:
        return comparison([_read_cell(cell) for cell in content["cells"]], methods, printed)


def _read_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    fields = {**cell, "explained_variance": cell["variance"]}
    return {
        **{name: fields[name] for name in FIELDS},
        "numbers": {metric: (cell[metric]["mean"], cell[metric]["std"]) for metric in SHOWN},
        "reasons": (),
        "seconds": cell["seconds"],
        "note": str(cell["note"]),
    }


@contextmanager
def reading(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a JSON object that a benchmark wrote. Turn every fault in it into one sentence."""
    try:
        yield dict(json.loads(path.read_bytes()))
    except (OSError, KeyError, TypeError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({problem}): run the benchmark again."
        ) from None
