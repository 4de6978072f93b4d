"""The numbers that must not fall: the scores of every repeat of every cell, in one file under version control."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli.atomic import write_whole
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.json_file import read_json

DIGITS = 4
Place = tuple[str, int, str]  # data set, variance, method


@dataclass(frozen=True)
class Expected:
    """One cell of the reference."""

    place: Place
    chosen: dict[str, Any]  # what the labels chose of the method's grid
    values: dict[str, tuple[float | None, ...]]  # by metric, one for each repeat; None for a failed one

    def stat(self, metric: str, repeats: int | None = None) -> Stat:
        """Mean and spread of the first repeats that succeeded."""
        return Stat.of([value for value in self.values[metric][:repeats] if value is not None])


@dataclass(frozen=True)
class Reference:
    """All cells, and how they were computed."""

    protocol: str
    seed: int
    repeats: int
    cells: dict[Place, Expected]


def default_path() -> Path:
    """`results/reference.json` of the checkout that this package runs from, or of the current folder."""
    checkout = Path(__file__).parents[3] / "results"
    return (checkout if checkout.is_dir() else Path("results")) / "reference.json"


def expected(outcome: Outcome) -> Expected:
    """A computed cell as it goes into the reference."""
    cell = outcome.cell
    values = {
        metric: tuple(
            round(record.scores[cell.scores[metric]], DIGITS) if record.ok else None for record in outcome.records
        )
        for metric in METRICS
    }
    chosen = {name: outcome.settings[name] for name in cell.method.grid}
    return Expected((cell.dataset, cell.variance, cell.method.name), chosen, values)


def read_reference(path: Path) -> Reference:
    """The reference of a file."""
    try:
        content = read_json(path)
        cells = (_cell(entry) for entry in content["cells"])
        return Reference(
            str(content["protocol"]),
            int(content["seed"]),
            int(content["repeats"]),
            {cell.place: cell for cell in cells},
        )
    except FileNotFoundError:
        raise SgpmicError(
            f"there is no reference '{path}', so nothing was compared: make one with update=True."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read the reference '{path}': {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SgpmicError(
            f"'{path}' is no reference, so nothing was compared: restore it, or remove it and make one with "
            "update=True."
        ) from error


def write_reference(path: Path, reference: Reference) -> None:
    """Write the reference, a line for each cell, so that a change reads well as a difference of two versions."""
    head = {"protocol": reference.protocol, "seed": reference.seed, "repeats": reference.repeats}
    lines = ",\n".join(f"  {json.dumps(_entry(cell), allow_nan=False)}" for cell in reference.cells.values())
    opening = json.dumps(head)[:-1]
    write_whole(path, f'{opening}, "cells": [\n{lines}\n]}}\n')


def reference_of(outcomes: Iterable[Outcome], protocol: str, seed: int, repeats: int) -> Reference:
    """Computed cells as a reference; cells without data or without a successful run have no place in it."""
    cells = [expected(outcome) for outcome in outcomes if outcome.available and outcome.ok]
    return Reference(protocol, seed, repeats, {cell.place: cell for cell in cells})


def _cell(entry: dict[str, Any]) -> Expected:
    place = str(entry["dataset"]), int(entry["variance"]), str(entry["method"])
    values = {
        metric: tuple(None if value is None else _percentage(value) for value in entry[metric]) for metric in METRICS
    }
    return Expected(place, dict(entry.get("chosen", {})), values)


def _percentage(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 100.0:
        raise ValueError(f"{value!r} is no percentage")
    return float(value)


def _entry(cell: Expected) -> dict[str, Any]:
    dataset, variance, method = cell.place
    entry: dict[str, Any] = {"dataset": dataset, "variance": variance, "method": method}
    if cell.chosen:
        entry["chosen"] = cell.chosen
    return entry | {metric: list(values) for metric, values in cell.values.items()}
