"""Read a finished table from the JSON document of a benchmark, for the report, ranks and figures.

The printed numbers come from the paper's own file, not from the document.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.compare.comparison import METRICS, SHOWN, Result
from sgpmic_cli.experiments.compare.paper import Stat
from sgpmic_cli.experiments.plan.methods import Method, known
from sgpmic_cli.files.atomic import read_json

NUMBER = (int, float)
NONE = type(None)
# The values of a cell that the document holds unchanged, with their types.
STORED: dict[str, Any] = {
    **{"dataset": str, "data": str, "variance": int, "q": (int, NONE), "n_clusters": int},
    **{"scores": dict, "settings": dict, "repeats": int, "failed": int, "note": str},
}


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


def read_table(path: Path) -> ResultTable:
    """Read the table that a benchmark wrote as `benchmark.json`."""
    content = read_document(path)
    with of_this_version(path):
        methods = known()
        return ResultTable(
            protocol=expect(content["protocol"], str),
            repeats=expect(content["repeats"], int),
            seed=expect(content["seed"], int),
            results=[_result(expect(cell, dict), methods) for cell in content["cells"]],
        )


def read_document(path: Path) -> dict[str, Any]:
    """Read a JSON object that a benchmark wrote."""
    try:
        content = read_json(path)
    except FileNotFoundError:
        raise UsageError(
            f"there is no {str(path)!r}: run the benchmark of all data sets, variances and methods "
            "into its folder."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except ValueError as error:
        raise SgpmicError(f"{str(path)!r} is damaged ({error}): run the benchmark again.") from None
    with of_this_version(path):
        return expect(content, dict)


@contextmanager
def of_this_version(path: Path) -> Iterator[None]:
    """Turn a missing or wrong value of a document into one sentence."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({problem}): run the benchmark again."
        ) from None


def expect(value: Any, kind: type | tuple[type, ...]) -> Any:
    """Return the value. Raise TypeError unless it has one of the types."""
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:40]!r} has the wrong type")
    return value


def _result(cell: dict[str, Any], methods: dict[str, Method]) -> Result:
    method = expect(cell["method"], str)
    for point in cell.get("grid", ()):
        for value in (*expect(point["settings"], dict).values(), point["failed"]):
            expect(value, NUMBER)
        for metric in METRICS:
            _stat(point[metric])
    return Result(
        **{name: expect(cell[name], kind) for name, kind in STORED.items()},
        entrant=methods.get(method) or Method(method, method, in_paper=False),
        ours={score: _stat(cell[score]) for score in SHOWN},
        duration=Stat(expect(cell["seconds"], (*NUMBER, NONE))),
        grid=tuple(cell.get("grid", ())),
    )


def _stat(stat: Any) -> Stat:
    """Read a mean and a standard deviation, or neither."""
    mean, std = stat["mean"], stat["std"]
    if mean is None and std is None:
        return Stat()
    return Stat(expect(mean, NUMBER), expect(std, NUMBER))
