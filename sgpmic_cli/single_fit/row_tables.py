"""Write labels.csv and embedding.csv, which have one line for each row of a data set."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.row_blocks import row_blocks

LABELS, EMBEDDING = "labels.csv", "embedding.csv"


class RowTables:
    """Writers of labels.csv and embedding.csv."""

    def __init__(self, labels: Any, embedding: Any):
        self.labels, self.embedding = labels, embedding  # csv writers
        self.has_heading = False

    def add(self, numbers: Indices, ids: Sequence[str] | None, S: Array, X: Array) -> None:
        """Write rows, given their numbers (n,) in the file and their ids.

        labels.csv gets the most probable cluster and the probabilities S (n, M), embedding.csv the
        latent coordinates X (n, Q).
        """
        if not self.has_heading:
            names = ["row"] if ids is None else ["row", "id"]
            self.labels.writerow([*names, "label", *(f"p{m}" for m in range(S.shape[1]))])
            self.embedding.writerow([*names, *(f"x{q + 1}" for q in range(X.shape[1]))])
            self.has_heading = True
        keys = [numbers.tolist()] if ids is None else [numbers.tolist(), ids]
        self.labels.writerows(zip(*keys, S.argmax(axis=1).tolist(), *S.T.tolist(), strict=True))
        self.embedding.writerows(zip(*keys, *X.T.tolist(), strict=True))


@contextmanager
def row_tables(folder: Path) -> Iterator[RowTables]:
    """Open both files in a folder."""
    with _opened(folder / LABELS) as labels, _opened(folder / EMBEDDING) as embedding:
        yield RowTables(_writer(labels), _writer(embedding))


def write_rows(
    folder: Path, numbers: Indices | None, ids: Sequence[str] | None, S: Array, X: Array
) -> None:
    """Write both files for all rows. Without `numbers` the rows are counted from 1."""
    if numbers is None:
        numbers = np.arange(1, len(S) + 1)
    with row_tables(folder) as tables:
        for rows in row_blocks(len(S)):
            tables.add(numbers[rows], None if ids is None else ids[rows], S[rows], X[rows])


def write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file with full precision."""
    with _opened(path) as file:
        _writer(file).writerows(chain([heading], rows))


def _opened(path: Path) -> Any:
    return path.open("w", encoding="utf-8", newline="")


def _writer(file: Any) -> Any:
    return csv.writer(file, lineterminator="\n")
