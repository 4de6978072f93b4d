"""Read and write the reference of the gate: the scores of every repeat of every cell."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.files.json_file import read_json

DIGITS = 4
_FILE = Path(__file__).parents[1] / "reference.json"
# The reference of an installed package, which users do not change; None in a checkout.
INSTALLED = None if (Path(__file__).parents[3] / "pyproject.toml").is_file() else _FILE
Place = tuple[str, int, str]  # data set, variance, method


@dataclass(frozen=True)
class Expected:
    """One cell of the reference."""

    place: Place
    chosen: dict[str, Any]  # the point of the method's grid that the labels chose
    values: dict[str, tuple[float | None, ...]]  # by metric and repeat; None for a failed repeat

    def stat(self, metric: str, repeats: int | None = None) -> Stat:
        """Return mean and standard deviation of the successful ones of the first repeats."""
        return Stat.of([value for value in self.values[metric][:repeats] if value is not None])


class OwnFile(NamedTuple):
    """A user's CSV file: its path, and the hash of its values and labels."""

    path: Path
    sha256: str


@dataclass(frozen=True)
class Reference:
    """All cells and how they were computed."""

    protocol: str
    seed: int
    repeats: int
    cells: dict[Place, Expected]
    files: dict[str, OwnFile] = field(default_factory=dict)  # by data set
    label: str | None = None  # label column of these files


def default_path() -> Path:
    """Return the reference that is part of this package."""
    return _FILE


def expected(outcome: Outcome) -> Expected:
    """Convert a computed cell to a cell of the reference."""
    cell = outcome.cell
    values = {
        metric: tuple(
            round(record.scores[cell.scores[metric]], DIGITS) if record.ok else None
            for record in outcome.records
        )
        for metric in METRICS
    }
    chosen = {name: outcome.settings[name] for name in cell.method.grid}
    return Expected(cell.place, chosen, values)


def read_reference(path: Path) -> Reference:
    """Read a reference. The paths of users' files are relative to it."""
    try:
        content = read_json(path)
        cells = [_read_cell(entry) for entry in content["cells"]]
        files = {
            name: OwnFile(path.parent / str(entry["path"]), str(entry["sha256"]))
            for name, entry in content.get("files", {}).items()
        }
        return Reference(
            protocol=str(content["protocol"]),
            seed=int(content["seed"]),
            repeats=int(content["repeats"]),
            cells={cell.place: cell for cell in cells},
            files=files,
            label=content.get("label"),
        )
    except FileNotFoundError:
        raise SgpmicError(
            f"there is no reference '{path}', so nothing was compared: make one with sgpmic check "
            "--update --reference FILE, and name this FILE later."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read the reference '{path}': {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SgpmicError(
            f"'{path}' is not a reference, so nothing was compared: restore it, or remove it and "
            "make one with --update."
        ) from error


def _read_cell(entry: dict[str, Any]) -> Expected:
    place = str(entry["dataset"]), int(entry["variance"]), str(entry["method"])
    values = {metric: tuple(entry[metric]) for metric in METRICS}
    for value in (value for repeats in values.values() for value in repeats):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0.0 <= value <= 100.0):
            raise ValueError(f"{value!r} is not a percentage")
    return Expected(place, dict(entry.get("chosen", {})), values)


def write_reference(path: Path, reference: Reference) -> None:
    """Write a reference with one line for each cell, so that version control shows changes."""
    names = ("protocol", "seed", "repeats")
    head: dict[str, Any] = {name: getattr(reference, name) for name in names}
    if reference.files:
        head["label"] = reference.label
        head["files"] = {
            name: {
                "path": Path(os.path.relpath(own.path, path.parent)).as_posix(),
                "sha256": own.sha256,
            }
            for name, own in reference.files.items()
        }
    lines = []
    for cell in reference.cells.values():
        entry = dict(zip(("dataset", "variance", "method"), cell.place, strict=True))
        chosen = {"chosen": cell.chosen} if cell.chosen else {}
        lines.append(f"  {json.dumps({**entry, **chosen, **cell.values}, allow_nan=False)}")
    cells = ",\n".join(lines)
    write_whole(path, f'{json.dumps(head)[:-1]}, "cells": [\n{cells}\n]}}\n')
