"""PCA and probabilistic PCA (Tipping and Bishop 1999) of centred, unscaled data."""

import numpy as np
from scipy import linalg

from sgpmic_cli._typing import Array


def principal_axes(Y: Array, q: int) -> tuple[Array, Array]:
    """Return scores on q axes (N, q) and the variances (ddof 1) of all axes in decreasing order.

    The smaller one of the two Gram matrices is decomposed.
    """
    centred = Y - Y.mean(axis=0)
    n, p = centred.shape
    degrees = max(n - 1, 1)
    if p <= n:
        values, axes = linalg.eigh(centred.T @ centred)
        scores = centred @ axes[:, ::-1][:, :q]
    else:
        values, axes = linalg.eigh(centred @ centred.T)
        scores = axes[:, ::-1][:, :q] * np.sqrt(np.maximum(values[::-1][:q], 0.0))
    return with_fixed_signs(scores), np.maximum(values[::-1], 0.0) / degrees


def with_fixed_signs(axes: Array) -> Array:
    """Make the largest coordinate of every column positive, because its sign is arbitrary."""
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return axes * np.where(largest < 0, -1.0, 1.0)


def pca(Y: Array, q: int) -> Array:
    """Return the unscaled scores on the q leading axes (N, q)."""
    return principal_axes(Y, q)[0]


def ppca(Y: Array, q: int, *, posterior: bool = False) -> Array:
    """Return whitened scores, or the posterior means of probabilistic PCA (N, q).

    Whitened scores reproduce the paper's numbers. The posterior mean multiplies axis j by
    sqrt(1 - s2 / l_j), where s2 is the mean discarded variance.
    """
    scores, variances = principal_axes(Y, q)
    kept = variances[:q]
    safe = np.where(kept > 0, kept, 1.0)
    whitened = scores / np.sqrt(safe)
    if not posterior:
        return whitened
    p = Y.shape[1]
    noise = variances[q:].sum() / (p - q) if p > q else 0.0
    return whitened * np.sqrt(np.maximum(1.0 - noise / safe, 0.0))


def dimensions_for(Y: Array, fraction: float) -> int:
    """Return the smallest number of principal axes that explain this fraction of the variance.

    This is the paper's rule for Q.
    """
    variances = principal_axes(Y, 1)[1]
    total = variances.sum()
    if total <= 0.0:
        return 1
    # The tolerance excludes axes of rounding noise for fraction = 1.
    reached = np.cumsum(variances) / total >= fraction - 1e-12
    return int(reached.argmax()) + 1
