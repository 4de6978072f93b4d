"""The rows that show best what a cluster is, and those that could as well be in another."""

from typing import NamedTuple

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.settings import full_covariances

SURE = 0.99  # rows more certain than this are not doubtful, however few others there are


class Doubtful(NamedTuple):
    """A row between two clusters."""

    name: str
    first: int
    first_probability: float
    second: int
    second_probability: float


def row_name(data: Dataset, row: int) -> str:
    """The id of a row, or its number in the file."""
    if data.ids is not None:
        return data.ids[row]
    return f"row {row + 1 if data.row_numbers is None else data.row_numbers[row]}"


def typical_rows(fitted: Fitted, cluster: int, most: int = 3) -> list[str]:
    """Names of the rows of a cluster that are nearest to its centre in the latent space, by its own covariance."""
    model = fitted.model
    rows = np.flatnonzero(model.labels_ == cluster)
    apart = model.embedding_[rows] - model.means_[cluster]
    distance = np.einsum(
        "nq,qr,nr->n", apart, np.linalg.inv(full_covariances(model)[cluster]), apart
    )
    return [
        row_name(fitted.data, int(row)) for row in rows[np.argsort(distance, kind="stable")[:most]]
    ]


def doubtful_rows(fitted: Fitted, most: int = 10) -> list[Doubtful]:
    """The rows whose cluster is least certain, the most doubtful first."""
    S = fitted.model.responsibilities_
    if S.shape[1] < 2:
        return []
    best = S.max(axis=1)
    rows = [int(row) for row in np.argsort(best, kind="stable")[:most] if best[row] < SURE]
    return [
        Doubtful(row_name(fitted.data, row), int(a), float(S[row, a]), int(b), float(S[row, b]))
        for row in rows
        for a, b in [np.argsort(-S[row], kind="stable")[:2]]
    ]
