"""Read printed numbers, and write and read the JSON document of a benchmark."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import KEY, METRICS, NUMBERS, SHOWN, long_table
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.plan import USUAL_PERCENTAGE, Study
from sgpmic_cli.errors import SgpmicError, UsageError

# The fields of a cell in a document with their types. Explained variance is `variance` there.
FIELDS: dict[str, Any] = {
    **{"dataset": str, "data": str, "explained_variance": int, "q": lambda q: q},
    **{"n_clusters": int, "method": str, "scores": dict, "settings": dict},
    **{"repeats": int, "failed": int},
}


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
    cells = [_cell_document(cell) for _, cell in table.groupby("cell", sort=False)]
    head = {"protocol": study.protocol, "repeats": study.repeats, "seed": study.seed}
    return {**head, "cells": cells}


def _cell_document(cell: pd.DataFrame) -> dict[str, Any]:
    first = plain_values(cell.iloc[0].to_dict())

    def numbers(metrics: tuple[str, ...], **columns: str) -> dict[str, dict[str, Any]]:
        """Return the numbers of each metric by their names in the document."""
        chosen = cell[cell["metric"].isin(metrics)].set_index("metric")[list(columns.values())]
        rows = chosen.set_axis(list(columns), axis="columns").to_dict("index")
        return {str(metric): plain_values(row) for metric, row in rows.items()}

    def printed(**columns: str) -> dict[str, dict[str, Any] | None]:
        """Return the same numbers; None instead of those without a mean."""
        rows = numbers(METRICS, **columns)
        return {metric: None if row["mean"] is None else row for metric, row in rows.items()}

    paper = printed(mean="paper_mean", std="paper_std")
    return {
        **{"variance" if name == "explained_variance" else name: first[name] for name in FIELDS},
        **numbers(SHOWN, mean="mean", std="std"),
        "paper": paper if any(paper.values()) else None,
        "verdict": {m: row["verdict"] for m, row in numbers(METRICS, verdict="verdict").items()},
        "difference": printed(mean="difference", low="low", high="high"),
        **{name: first[name] for name in ("seconds", "note")},
        **({"tracebacks": list(first["tracebacks"])} if first["tracebacks"] else {}),
    }


def plain_values(fields: Mapping[Any, Any]) -> dict[str, Any]:
    """Convert the values of a frame to those of JSON: None for a missing number."""
    values = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in fields.items()
    }
    return {
        name: None if value is pd.NA or (isinstance(value, float) and np.isnan(value)) else value
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Document:
    """A written benchmark that was read back, and how it was computed."""

    protocol: str
    repeats: int
    table: pd.DataFrame  # without printed numbers


def read_document(path: Path, methods: Methods) -> Document:
    """Read the `benchmark.json` of a benchmark."""
    with reading(path) as content:
        cells = [_read_cell(cell) for cell in content["cells"]]
        head = str(content["protocol"]), int(content["repeats"])
        return Document(*head, long_table(cells, methods))


def _read_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    fields = {**cell, "explained_variance": cell["variance"]}
    numbers = {metric: _read_numbers(**cell[metric]) for metric in SHOWN}
    return {name: kind(fields[name]) for name, kind in FIELDS.items()} | {
        "numbers": numbers,
        "seconds": cell["seconds"],
        "reasons": (),
        "tracebacks": tuple(map(str, cell.get("tracebacks", ()))),
        "note": str(cell["note"]),
    }


def _read_numbers(mean: Any, std: Any) -> tuple[float | None, float | None]:
    return (None, None) if mean is None else (float(mean), float(std))


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
