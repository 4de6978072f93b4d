"""Run a benchmark (plan, run, compare, render), and write and read its JSON document."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare import METRICS, SHOWN, compare, has_print, long_table, rows_of
from sgpmic_cli.benchmark.counts import summary
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.benchmark.render import tables
from sgpmic_cli.benchmark.run import FinishedStudy, RunOptions, run_study, write_study
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.output_folder import read_json

# The fields of a cell in a document with their types. Explained variance is `variance` there.
FIELDS: dict[str, Any] = {
    **{"dataset": str, "data": str, "explained_variance": int, "q": lambda q: q},
    **{"n_clusters": int, "method": str, "scores": dict, "settings": dict},
    **{"repeats": int, "failed": int},
}


def benchmark(
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    printed: pd.DataFrame | None = None,
    with_trace: bool = False,
) -> tuple[FinishedStudy, pd.DataFrame]:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    Parameters
    ----------
    study, options : Study, RunOptions
        What is run, and how.
    out : path
        Output folder.
    printed : DataFrame or None
        Printed numbers to compare with; see `read_printed`.
    with_trace : bool
        Whether to write trace.csv as well: the losses and bounds of every run by iteration.

    Returns
    -------
    finished, table : FinishedStudy, DataFrame
        The runs, and their comparison (see `compare`).
    """
    finished = run_study(study, options, out)
    table = compare(finished.runs, study.methods, printed)
    files = {
        "table.csv": tables.tidy_csv(table),
        "table.md": tables.markdown(table),
        "table.tex": tables.latex(table),
        "ari.md": tables.ranking_markdown(table),
        "benchmark.json": tables.as_json(document(study, table)),
    }
    if has_print(table):
        counts = summary(table, printed)
        files["summary.json"] = tables.as_json(counts)
        files["summary.md"] = tables.summary_markdown(counts)
    if with_trace:
        files["trace.csv"] = _trace_csv(finished.distinct_runs)
    write_study(Path(out), files, finished)
    return finished, table


def _trace_csv(runs: pd.DataFrame) -> str:
    """Return the losses and bounds of the fits, one line for each iteration."""
    heading = ["dataset", "q", "method", "settings", "repeat", "curve", "step", "value"]
    rows: list[list[Any]] = []
    for run in rows_of(runs.sort_values(["dataset", "method", "q", "key"])):
        settings = json.dumps(run.settings, sort_keys=True)
        place = [run.dataset, run.q, run.method, settings, int(run.repeat)]
        for curve, values in run.trace.items():
            rows += [[*place, curve, step, value] for step, value in enumerate(values, start=1)]
    return tables.csv_text(heading, rows)


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
    numbers = {metric: (cell[metric]["mean"], cell[metric]["std"]) for metric in SHOWN}
    return {name: kind(fields[name]) for name, kind in FIELDS.items()} | {
        "numbers": numbers,
        "seconds": cell["seconds"],
        "reasons": (),
        "tracebacks": tuple(map(str, cell.get("tracebacks", ()))),
        "note": str(cell["note"]),
    }


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
