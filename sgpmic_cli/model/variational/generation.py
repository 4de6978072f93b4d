"""From the latent space back to rows: what a fitted mixture expects at a point, and rows drawn from it.

Rows are standardised, as the model sees them.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.variational.latent_prior import expected_log
from sgpmic_cli.model.variational.placement import Placer


def rows_at(fitted: Placer, X: ArrayLike) -> Array:
    """Means of the processes at latent points (n, Q), weighted by how likely each cluster is there."""
    points, q = np.atleast_2d(np.asarray(X, dtype=np.float64)), fitted.state.free.mu.shape[1]
    if points.ndim != 2 or points.shape[1] != q or not np.isfinite(points).all():
        raise ValueError(f"X must be finite latent points of shape (n, {q}).")
    known = np.zeros_like(points)
    return fitted.expected(
        points, known, softmax(expected_log(points, known, fitted.state.prior), axis=1)
    )


def drawn_rows(
    fitted: Placer, noise: Array, n_samples: int, random_state: np.random.RandomState
) -> tuple[Array, Indices]:
    """Rows drawn from the mixture with noise of these variances (M,), and their clusters, in ascending order."""
    alive, prior = fitted.processes, fitted.state.prior
    weights = prior.weights[list(alive)]
    labels = np.sort(random_state.choice(list(alive), size=n_samples, p=weights / weights.sum()))
    spread = np.sqrt(prior.variances[labels])
    points = prior.means[labels] + spread * random_state.standard_normal(spread.shape)
    seen = np.empty((n_samples, fitted.data.n_outputs))
    for m, process in alive.items():
        rows = labels == m
        seen[rows] = process.means(points[rows].T, np.zeros_like(points[rows].T)).f.T
    seen += np.sqrt(noise[labels])[:, None] * random_state.standard_normal(seen.shape)
    return seen, labels
