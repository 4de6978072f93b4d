"""Write labels.csv and embedding.csv, which have one line for each row of a data set."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.data.dataset import Dataset

LABELS, EMBEDDING = "labels.csv", "embedding.csv"
DIGITS = 4  # of probabilities


def row_numbers(data: Dataset) -> Indices:
    """Return the numbers (N,) of the rows in the file, counted from 1."""
    return np.arange(1, len(data.Y) + 1) if data.row_numbers is None else data.row_numbers


def append_rows(
    folder: Path,
    numbers: Indices,
    ids: Sequence[str] | None,
    S: Array,
    X: Array,
    unusual: BoolArray | None,
) -> None:
    """Append rows to both files, given their numbers (n,) in the data and their ids.

    labels.csv gets the most probable cluster, the probabilities S (n, M) and whether a row is
    `unusual` (n,), embedding.csv the latent coordinates X (n, Q).
    """
    keys = {"row": numbers} if ids is None else {"row": numbers, "id": ids}
    labels = {"cluster": S.argmax(axis=1)}
    labels |= {f"p{m}": S[:, m].round(DIGITS) for m in range(S.shape[1])}
    if unusual is not None:
        labels["unusual"] = unusual.astype(int)
    coordinates = {f"x{q + 1}": X[:, q] for q in range(X.shape[1])}
    _append(folder / LABELS, pd.DataFrame({**keys, **labels}))
    _append(folder / EMBEDDING, pd.DataFrame({**keys, **coordinates}))


def _append(path: Path, table: pd.DataFrame) -> None:
    table.to_csv(path, mode="a", header=not path.exists(), index=False, lineterminator="\n")
