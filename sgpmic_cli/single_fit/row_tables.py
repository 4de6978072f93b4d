"""What is written for every row of a data set: its number in the file, its id, its cluster, its latent point."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import Array
from sgpmic_cli.data.dataset import Dataset


def write_labels(path: Path, data: Dataset, S: Array) -> None:
    """Most probable cluster of each row and the probabilities of all clusters, from S (N, M)."""
    values = ([label, *shares] for label, shares in zip(S.argmax(axis=1).tolist(), S.tolist(), strict=True))
    _write_rows(path, data, ["label", *(f"p{m}" for m in range(S.shape[1]))], values)


def write_embedding(path: Path, data: Dataset, X: Array) -> None:
    """Latent coordinates of each row, from X (N, Q)."""
    _write_rows(path, data, [f"x{q + 1}" for q in range(X.shape[1])], X.tolist())


def _write_rows(path: Path, data: Dataset, heading: Sequence[str], values: Iterable[Sequence[Any]]) -> None:
    """Values under a heading, after what tells a row: its number in the file, from 1, and its id if it has one."""
    numbers = range(1, len(data.Y) + 1) if data.row_numbers is None else data.row_numbers.tolist()
    keys = [[number] for number in numbers] if data.ids is None else zip(numbers, data.ids, strict=True)
    names = ["row"] if data.ids is None else ["row", "id"]
    write_csv(path, [*names, *heading], ([*key, *row] for key, row in zip(keys, values, strict=True)))


def write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV whose numbers read back as the very same numbers."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(rows)
