"""Read printed numbers, and write and read the JSON document of a benchmark."""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import FIELDS, KEY, METRICS, NUMBERS, SHOWN, long_table
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.plan import USUAL_PERCENTAGE
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import read_regular
from sgpmic_cli.files.output_folder import read_json


def read_printed(path: Path) -> pd.DataFrame:
    """Read printed numbers from a CSV file; see `parse_printed`."""
    try:
        return parse_printed(read_regular(path))
    except (OSError, KeyError, ValueError) as error:
        problem = f"column {error} is missing" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{str(path)!r} is not a CSV file of printed numbers: {problem}."
        ) from None


def parse_printed(content: bytes) -> pd.DataFrame:
    """Parse and check printed numbers.

    Parameters
    ----------
    content : bytes
        CSV with the columns method, dataset, metric, mean, std and repeats. A column `variance` has
        the percentage of each row, which is otherwise 95. Lines without a mean and other columns
        are ignored.

    Returns
    -------
    printed : DataFrame
        The columns KEY, NUMBERS and `data_differ` (False).
    """
    text = io.BytesIO(content)
    try:
        table = pd.read_csv(text, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except pd.errors.EmptyDataError:
        table = pd.DataFrame(columns=["mean"])
    table.index += 2  # the lines of the file
    table = table[table["mean"].fillna("") != ""]
    if table.empty:
        raise ValueError("there is no number in it")
    variance = table["variance"] if "variance" in table else pd.Series("", table.index)
    variance = variance.fillna("").replace("", str(USUAL_PERCENTAGE))
    names = {name: table[name] for name in ("dataset", "method")}
    numbers = {name: _numbers(table[name]) for name in NUMBERS}
    printed = pd.DataFrame(
        {
            "metric": table["metric"].str.lower(),
            **names,
            "explained_variance": _numbers(variance).astype(int),
            **numbers,
            "data_differ": False,
        }
    )
    for line, metric in printed["metric"].items():
        if metric not in SHOWN:
            raise ValueError(f"metric {metric!r} in line {line} is none of {', '.join(SHOWN)}")
    finite = np.isfinite(printed[NUMBERS].to_numpy(float)).all(axis=1)
    for line in printed.index[~finite | (printed["std"] < 0.0) | (printed["repeats"] <= 0)]:
        raise ValueError(f"a number in line {line} is negative or infinite")
    for line in printed.index[printed.duplicated(KEY)]:
        raise ValueError(f"line {line} repeats an earlier cell")
    return printed[[*KEY, *NUMBERS, "data_differ"]].reset_index(drop=True)


def _numbers(texts: pd.Series) -> pd.Series:
    for line, text in texts.items():
        try:
            float(text)
        except (TypeError, ValueError):
            raise ValueError(f"a number in line {line} is missing or wrong") from None
    return texts.astype(float)


@dataclass(frozen=True)
class Document:
    """A written benchmark that was read back, and how it was computed."""

    protocol: str
    repeats: int
    table: pd.DataFrame  # without printed numbers


def document(table: pd.DataFrame, **head: Any) -> dict[str, Any]:
    """Return the JSON document of a benchmark, whose head says how it was computed."""
    cells = table.groupby("cell", sort=False)
    return {**head, "cells": [_cell_document(cell) for _, cell in cells]}


def _cell_document(cell: pd.DataFrame) -> dict[str, Any]:
    first = cell.iloc[0]
    judged = cell[cell["metric"].isin(METRICS)].set_index("metric")

    def numbers(columns: Mapping[str, str]) -> dict[str, Any]:
        """Return the numbers of each metric by their names in the document; None without any."""
        return {
            str(metric): plain_values({name: row[column] for column, name in columns.items()})
            for metric, row in judged.iterrows()
        }

    paper = numbers({"paper_mean": "mean", "paper_std": "std"})
    paper = {metric: each if each["mean"] is not None else None for metric, each in paper.items()}
    differences = numbers({"difference": "mean", "low": "low", "high": "high"})
    scores = cell[["mean", "std"]].to_dict("records")
    return {
        **plain_values({name: first[column] for column, name in FIELDS.items()}),
        **dict(zip(cell["metric"], map(plain_values, scores), strict=True)),
        "paper": paper if any(paper.values()) else None,
        "verdict": judged["verdict"].to_dict(),
        "difference": {
            metric: each if each["mean"] is not None else None
            for metric, each in differences.items()
        },
        "seconds": None if pd.isna(first["seconds"]) else float(first["seconds"]),
        "note": first["note"],
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


def read_document(path: Path, methods: Methods) -> Document:
    """Read the `benchmark.json` of a benchmark."""
    with reading(path) as content:
        cells = [_read_cell(cell) for cell in content["cells"]]
        head = str(content["protocol"]), int(content["repeats"])
        return Document(*head, long_table(cells, methods))


def _read_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    fields = {column: cell[name] for column, name in FIELDS.items()}
    types: dict[str, Any] = {
        "dataset": str,
        "data": str,
        "method": str,
        "scores": dict,
        "settings": dict,
    }
    types |= dict.fromkeys(("explained_variance", "n_clusters", "repeats", "failed"), int)
    fields |= {name: kind(fields[name]) for name, kind in types.items()}
    return fields | {
        "q": None if fields["q"] is None else int(fields["q"]),
        "numbers": {score: _read_numbers(**cell[score]) for score in SHOWN},
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
        yield dict(read_json(path))
    except (OSError, KeyError, TypeError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({problem}): run the benchmark again."
        ) from None
