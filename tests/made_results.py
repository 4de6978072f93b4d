"""Results for tests, without a fit."""

import numpy as np

from sgpmic_cli.data import Rows
from sgpmic_cli.result.result import Result
from sgpmic_cli.tables.rows import RowResults


def made_result(labels, n_clusters=None, *, Y=None, S=None, density=None, rows=None, **fields):
    """Return a result of clusters (N,), whose rows have zeros as values and as points."""
    labels = np.asarray(labels)
    m = n_clusters or int(labels.max()) + 1
    Y = np.zeros((len(labels), 2)) if Y is None else np.asarray(Y, dtype=float)
    names = tuple("abcdefgh"[: Y.shape[1]])
    rows = Rows("t", Y, None, (), names) if rows is None else rows
    points, S = np.zeros((len(labels), 2)), np.eye(m)[labels] if S is None else np.asarray(S)
    density = np.zeros(len(labels)) if density is None else np.asarray(density, dtype=float)
    return Result(
        rows, RowResults(S.argmax(axis=1), S, points, points, density, density < -9.0), **fields
    )


def verdicts(*kinds):
    """Return a verdict for each cluster."""
    return [{"verdict": kind} for kind in kinds]
