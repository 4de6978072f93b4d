"""What is written for every row of a data set: its number in the file, its id, its cluster, its latent point."""

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
    """labels.csv and embedding.csv while they are written, a block of rows after the other."""

    def __init__(self, labels: Any, embedding: Any):
        self.labels, self.embedding = labels, embedding  # csv writers
        self.headed = False

    def add(self, numbers: Indices, ids: Sequence[str] | None, S: Array, X: Array) -> None:
        """Rows by their numbers (n,) in the file and their ids: probabilities S (n, M), latent points X (n, Q).

        labels.csv gets the most probable cluster of each row and the probabilities of all clusters, embedding.csv its
        latent coordinates.
        """
        if not self.headed:
            names = ["row"] if ids is None else ["row", "id"]
            self.labels.writerow([*names, "label", *(f"p{m}" for m in range(S.shape[1]))])
            self.embedding.writerow([*names, *(f"x{q + 1}" for q in range(X.shape[1]))])
            self.headed = True
        keys = [numbers.tolist()] if ids is None else [numbers.tolist(), ids]
        self.labels.writerows(zip(*keys, S.argmax(axis=1).tolist(), *S.T.tolist(), strict=True))
        self.embedding.writerows(zip(*keys, *X.T.tolist(), strict=True))


@contextmanager
def row_tables(folder: Path) -> Iterator[RowTables]:
    """Both files in a folder, open."""
    with _opened(folder / LABELS) as labels, _opened(folder / EMBEDDING) as embedding:
        yield RowTables(_writer(labels), _writer(embedding))


def write_rows(
    folder: Path, numbers: Indices | None, ids: Sequence[str] | None, S: Array, X: Array
) -> None:
    """Both files at once, for all rows; without numbers the rows are counted."""
    with row_tables(folder) as tables:
        for rows in row_blocks(len(S)):
            counted = np.arange(rows.start + 1, rows.stop + 1) if numbers is None else numbers[rows]
            tables.add(counted, None if ids is None else ids[rows], S[rows], X[rows])


def write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV whose numbers read back as the very same numbers."""
    with _opened(path) as file:
        _writer(file).writerows(chain([heading], rows))


def _opened(path: Path) -> Any:
    return path.open("w", encoding="utf-8", newline="")


def _writer(file: Any) -> Any:
    return csv.writer(file, lineterminator="\n")
