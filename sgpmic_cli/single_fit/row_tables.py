"""What is written for every row of a data set: its cluster, its probabilities, its latent point. Rows count from 1."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import Array


def write_labels(path: Path, S: Array) -> None:
    """Row, most probable cluster and the probabilities of all clusters, from S (N, M)."""
    heading = ["row", "label", *(f"p{m}" for m in range(S.shape[1]))]
    rows = enumerate(zip(S.argmax(axis=1).tolist(), S.tolist(), strict=True), start=1)
    write_csv(path, heading, ([row, label, *shares] for row, (label, shares) in rows))


def write_embedding(path: Path, X: Array) -> None:
    """Row and latent coordinates, from X (N, Q)."""
    heading = ["row", *(f"x{q + 1}" for q in range(X.shape[1]))]
    write_csv(path, heading, ([row, *point] for row, point in enumerate(X.tolist(), start=1)))


def write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV whose numbers read back as the very same numbers."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(rows)
