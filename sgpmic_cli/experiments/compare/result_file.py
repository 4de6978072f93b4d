"""A finished table read back from the JSON document of a benchmark: the one reader for report, ranks and figures.

Every value is checked before anything is made from it. The printed numbers are not taken from the document but from the
paper's own file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.compare.comparison import (
    METRICS,
    SHOWN,
    GridPoint,
    Result,
    printed_beside,
)
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.plan.methods import Method, known
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.files.json_file import read_json

NUMBER = (int, float)
MAYBE_NUMBER = (int, float, type(None))


@dataclass(frozen=True)
class ResultTable:
    """A finished table and how it was made."""

    protocol: str
    repeats: int
    seed: int
    results: list[Result]

    def document(self) -> dict[str, Any]:
        """The JSON document of a benchmark."""
        head = {"protocol": self.protocol, "repeats": self.repeats, "seed": self.seed}
        return {**head, "cells": [result.document() for result in self.results]}


def read_results(path: Path) -> list[Result]:
    """The cells of a table."""
    return read_table(path).results


def read_table(path: Path) -> ResultTable:
    """The table that a benchmark wrote as `benchmark.json`."""
    content = read_document(path)
    with of_this_version(path):
        methods = known()
        results = [_result(cell, methods) for cell in content["cells"]]
        head = (
            expect(content["protocol"], str),
            expect(content["repeats"], int),
            expect(content["seed"], int),
        )
        return ResultTable(*head, results)


def read_document(path: Path) -> dict[str, Any]:
    """A JSON object that a benchmark wrote."""
    try:
        content = read_json(path)
    except FileNotFoundError:
        raise UsageError(
            f"there is no {str(path)!r}: run the benchmark of all data sets, variances and methods into its folder."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except ValueError as error:
        raise SgpmicError(f"{str(path)!r} is damaged ({error}): run the benchmark again.") from None
    with of_this_version(path):
        return expect(content, dict)


@contextmanager
def of_this_version(path: Path) -> Iterator[None]:
    """Turn whatever does not fit into one sentence."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        lacking = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is no document of this version ({lacking}): run the benchmark again."
        ) from None


def expect(value: Any, kind: type | tuple[type, ...]) -> Any:
    """The value, or a TypeError unless it is of a kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:40]!r} is out of place")
    return value


def _result(cell: Any, methods: dict[str, Method]) -> Result:
    expect(cell, dict)
    name, dataset, variance = (
        expect(cell["method"], str),
        expect(cell["dataset"], str),
        expect(cell["variance"], int),
    )
    entrant = methods[name] if name in methods else Method(name, name, in_paper=False)
    return Result(
        dataset=dataset,
        data=expect(cell["data"], str),
        variance=variance,
        q=expect(cell["q"], (int, type(None))),
        n_clusters=expect(cell["n_clusters"], int),
        entrant=entrant,
        scores={metric: expect(cell["scores"][metric], str) for metric in METRICS},
        settings=expect(cell["settings"], dict),
        repeats=expect(cell["repeats"], int),
        failed=expect(cell["failed"], int),
        ours={score: _stat(cell[score]) for score in SHOWN},
        paper=printed_beside(entrant, dataset, variance),
        verdict={metric: _verdict(cell["verdict"][metric]) for metric in METRICS},
        seconds=expect(cell["seconds"], MAYBE_NUMBER),
        note=expect(cell["note"], str),
        grid=tuple(_point(point) for point in cell.get("grid", [])),
    )


def _point(point: Any) -> GridPoint:
    settings = expect(point["settings"], dict)
    for value in settings.values():
        expect(value, NUMBER)
    stats = {metric: _stat(point[metric]) for metric in METRICS}
    return GridPoint(
        settings, stats, expect(point["failed"], int), expect(point["seconds"], MAYBE_NUMBER)
    )


def _stat(stat: Any) -> Stat:
    """A mean and a standard deviation, or neither."""
    mean, std = stat["mean"], stat["std"]
    if mean is None and std is None:
        return Stat()
    return Stat(expect(mean, NUMBER), expect(std, NUMBER))


def _verdict(word: Any) -> Verdict:
    try:
        return Verdict(word)
    except ValueError:
        raise ValueError(f"there is no verdict {word!r}") from None
