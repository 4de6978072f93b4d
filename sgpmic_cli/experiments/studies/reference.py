"""Read and write the reference of the gate: the scores of every repeat of every cell."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.compare.comparison import METRICS, Place
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.files.output_folder import read_json

_FILE = Path(__file__).parents[1] / "reference.json"
# The reference of an installed package, which users do not change; None in a checkout.
INSTALLED = None if (Path(__file__).parents[3] / "pyproject.toml").is_file() else _FILE
PLACE = ("dataset", "variance", "method")
Scores = dict[str, list[float | None]]  # of a cell, by metric and repeat; None for a failed repeat


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
    cells: dict[Place, Scores]
    files: dict[str, OwnFile] = field(default_factory=dict)  # by data set
    label: str | None = None  # label column of these files


def default_path() -> Path:
    """Return the reference that is part of this package."""
    return _FILE


def read_reference(path: Path) -> Reference:
    """Read a reference. The paths of users' files are relative to it."""
    try:
        content = read_json(path)
        files = content.get("files", {}).items()
        return Reference(
            protocol=str(content["protocol"]),
            seed=int(content["seed"]),
            repeats=int(content["repeats"]),
            cells=dict(map(_read_cell, content["cells"])),
            files={
                name: OwnFile(path.parent / str(own["path"]), str(own["sha256"]))
                for name, own in files
            },
            label=content.get("label"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SgpmicError(
            f"'{path}' is not a reference, so nothing was compared ({error}): restore it, or make "
            "one with sgpmic check --update --reference FILE."
        ) from error


def _read_cell(entry: dict[str, Any]) -> tuple[Place, Scores]:
    values = {metric: list(entry[metric]) for metric in METRICS}
    for value in (value for repeats in values.values() for value in repeats):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0.0 <= value <= 100.0):
            raise ValueError(f"{value!r} is not a percentage")
    place = str(entry["dataset"]), int(entry["variance"]), str(entry["method"])
    return place, values


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
    for place, values in reference.cells.items():
        content = {**dict(zip(PLACE, place, strict=True)), **values}
        lines.append(f"  {json.dumps(content, allow_nan=False)}")
    cells = ",\n".join(lines)
    write_whole(path, f'{json.dumps(head)[:-1]}, "cells": [\n{cells}\n]}}\n')
