"""Read a finished table from the JSON document of a benchmark, for the report, ranks and figures.

The printed numbers come from their own file, not from the document.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.compare.paper import SHOWN, Printed, Stat, table2
from sgpmic_cli.experiments.plan.methods import Method, known
from sgpmic_cli.files.output_folder import read_json


@dataclass(frozen=True)
class ResultTable:
    """A finished table and how it was computed."""

    protocol: str
    repeats: int
    seed: int
    results: list[Result]

    def document(self) -> dict[str, Any]:
        """Return the JSON document of a benchmark."""
        head = {"protocol": self.protocol, "repeats": self.repeats, "seed": self.seed}
        return {**head, "cells": [result.document() for result in self.results]}


def read_table(path: Path, printed: Printed | None = None) -> ResultTable:
    """Read the `benchmark.json` of a benchmark; `printed` replaces the numbers of the paper."""
    content = read_document(path)
    with of_this_version(path):
        methods = known()
        return ResultTable(
            protocol=str(content["protocol"]),
            repeats=int(content["repeats"]),
            seed=int(content["seed"]),
            results=[_result(cell, methods, printed) for cell in content["cells"]],
        )


def read_document(path: Path) -> dict[str, Any]:
    """Read a JSON object that a benchmark wrote."""
    with of_this_version(path):
        return dict(read_json(path))


@contextmanager
def of_this_version(path: Path) -> Iterator[None]:
    """Turn an absent file, damage, or a missing or wrong value into one sentence."""
    try:
        yield
    except (OSError, KeyError, TypeError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({problem}): run the benchmark again."
        ) from None


def _result(cell: dict[str, Any], methods: dict[str, Method], printed: Printed | None) -> Result:
    method = str(cell["method"])
    return Result(
        dataset=str(cell["dataset"]),
        data=str(cell["data"]),
        variance=int(cell["variance"]),
        q=None if cell["q"] is None else int(cell["q"]),
        n_clusters=int(cell["n_clusters"]),
        entrant=methods.get(method) or Method(method, method),
        scores=dict(cell["scores"]),
        settings=dict(cell["settings"]),
        repeats=int(cell["repeats"]),
        failed=int(cell["failed"]),
        ours={score: _stat(**cell[score]) for score in SHOWN},
        duration=_stat(cell["seconds"], 0.0),
        note=str(cell["note"]),
        tracebacks=tuple(map(str, cell.get("tracebacks", ()))),
        printed=table2() if printed is None else printed,
    )


def _stat(mean: Any, std: Any) -> Stat:
    return Stat() if mean is None else Stat(float(mean), float(std))
