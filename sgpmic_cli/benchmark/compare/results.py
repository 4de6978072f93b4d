"""Aggregate the results frame, compare it with printed numbers, and read a written benchmark.

The comparison is a data frame with a row for each cell and score:

| columns | content |
|---|---|
| cell, dataset, explained_variance, method, metric | the place of the number |
| title, column, settings_searched | of the method, see `Method` |
| data, q, n_clusters, scores, settings | what was run |
| repeats, failed, mean, std, seconds | our runs; no mean if all failed or there are no data |
| note, reasons, tracebacks | warnings, and why runs failed or data are unavailable |
| experiment | equal for rows that show the same runs |
| paper_mean, paper_std, paper_repeats, data_differ | the printed number |
| difference, low, high, error, verdict, equivalent | see `judge` |
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare.verdicts import judge
from sgpmic_cli.benchmark.plan.datasets import USUAL_PERCENTAGE
from sgpmic_cli.benchmark.plan.methods import Method, Methods
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import read_regular
from sgpmic_cli.files.output_folder import read_json
from sgpmic_cli.scores import SCORES

# The scores of a table; `nmi` holds the definition of the protocol.
SHOWN = tuple(name for name in SCORES if name not in ("nmi_clusters", "nmi_stated"))
KEY = ["metric", "dataset", "explained_variance", "method"]
NUMBERS = ["mean", "std", "repeats"]
METRICS = ("acc", "nmi")  # the metrics of the tables
ROW = ["dataset", "explained_variance"]
KEPT_TRACEBACKS = 3  # of a cell; the runs have all
# The fields of a cell in a document, by their columns in the comparison.
FIELDS = {
    **{name: name for name in ("dataset", "data")},
    "explained_variance": "variance",
    **{name: name for name in ("q", "n_clusters", "method", "scores", "settings")},
    **{name: name for name in ("repeats", "failed")},
}


def compare(
    runs: pd.DataFrame, methods: Sequence[Method], printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Aggregate the results frame and compare it with printed numbers, if there are any."""
    cells: list[dict[str, Any]] = []
    for _, group in runs.groupby("cell", sort=False):
        cell, good = group.iloc[0], group[group["status"] == "ok"]
        repeats = int((group["status"] != "unavailable").sum())
        numbers = {}
        for metric in SHOWN:
            values = good[cell["scores"].get(metric, metric)].to_numpy(float) if len(good) else []
            numbers[metric] = (np.mean(values), np.std(values)) if len(good) else (None, None)
        reasons = group["reason"][group["status"] != "ok"].unique().tolist()
        tracebacks = [text for text in group.get("traceback", ()) if text] if repeats else []
        cells.append(
            {
                **{name: cell[name] for name in FIELDS if name in runs},
                "repeats": repeats,
                "failed": repeats - len(good),
                "seconds": good["seconds"].mean() if len(good) else None,
                "numbers": numbers,
                "reasons": tuple(reasons),
                "tracebacks": tuple(dict.fromkeys(tracebacks))[:KEPT_TRACEBACKS],
                "note": _note(group, good, reasons) if repeats else reasons[0],
            }
        )
    return with_printed(_long(cells, {method.name: method for method in methods}), printed)


def _note(runs: pd.DataFrame, good: pd.DataFrame, reasons: Sequence[str]) -> str:
    """Describe failures, warnings and an ACC that is not purity, in sentences."""
    parts = []
    if len(good) < len(runs):
        count = f"{len(runs) - len(good)} of" if len(good) else "All"
        parts.append(f"{count} {len(runs)} runs failed: {'; '.join(reasons).removesuffix('.')}.")
    warnings = dict.fromkeys(text for texts in good["warnings"] for text in texts)
    parts += [f"Warning: {text}" for text in warnings]
    if len(good) and runs["scores"].iloc[0]["acc"] != "acc":
        parts.append(
            "ACC is that of the best one-to-one match, as in the printed column; "
            f"purity is {good['acc'].mean():.2f}."
        )
    return " ".join(parts)


def _long(cells: Sequence[Mapping[str, Any]], methods: Methods) -> pd.DataFrame:
    """Return a row for each score of each cell. `numbers` of a cell are means and deviations."""
    rows = []
    for number, cell in enumerate(cells):
        method = methods.get(cell["method"]) or Method(cell["method"], "")
        place = cell["dataset"], cell["explained_variance"], method.name
        run = cell["data"], cell["q"], cell["n_clusters"], method.name
        facts = {
            "cell": number,
            **{name: value for name, value in cell.items() if name != "numbers"},
            "title": method.label,
            "column": method.column or method.name,
            "settings_searched": method.settings_searched,
            "experiment": run if cell["data"] else place,
        }
        for metric, (mean, std) in cell["numbers"].items():
            rows.append({**facts, "metric": metric, "mean": mean, "std": std})
    types: Any = {"q": "Int64", "mean": float, "std": float, "seconds": float}
    return pd.DataFrame(rows).astype(types)


def with_printed(table: pd.DataFrame, printed: pd.DataFrame | None) -> pd.DataFrame:
    """Add the printed numbers and the verdicts to the numbers of a benchmark."""
    columns = {name: f"paper_{name}" for name in ("mean", "std", "repeats")}
    if printed is None:
        table = table.assign(**dict.fromkeys(columns.values(), np.nan), data_differ=False)
    else:
        right = printed[[*KEY, *columns, "data_differ"]].rename(
            columns={**columns, "method": "column"}
        )
        table = table.merge(right, "left", on=["metric", *ROW, "column"])
        table["data_differ"] = table["data_differ"] == True  # noqa: E712 - NaN without a number
    note = "The public data are not those the paper used."
    differ = table["data_differ"] & ~table["note"].str.startswith(note) & (table["repeats"] > 0)
    table["note"] = table["note"].where(~differ, (note + " " + table["note"]).str.strip())
    return table.join(judge(table))


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a data frame, with its columns as attributes."""
    yield from table.itertuples()


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


def distinct(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers without those that repeat an earlier experiment."""
    return table.drop_duplicates(["experiment", "metric"])


def is_best(table: pd.DataFrame, column: str = "mean") -> pd.Series:
    """Return whether each mean is the best of its row, to two decimals; one alone is not."""
    means = table[column].round(2)
    rows = means.groupby([table[name] for name in ("metric", *ROW)], sort=False)
    return (means == rows.transform("max")) & (rows.transform("count") > 1)


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
        return Document(*head, _long(cells, methods))


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
