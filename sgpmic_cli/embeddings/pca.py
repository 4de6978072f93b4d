"""Principal components of centred, unscaled data."""

import numpy as np
from scipy import linalg

from sgpmic_cli._typing import Array


def principal_axes(Y: Array, q: int) -> tuple[Array, Array]:
    """Centred scores on the q leading axes (N, q), and the variances (ddof 1) of all axes in falling order.

    The smaller of the two Gram matrices is decomposed, so that 1024 pixels of 165 faces cost what 165 columns do.
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
    return _fix_signs(scores), np.maximum(values[::-1], 0.0) / degrees


def pca(Y: Array, q: int) -> Array:
    """Scores on the q leading axes, not whitened (N, q)."""
    return principal_axes(Y, q)[0]


def _fix_signs(scores: Array) -> Array:
    """Point every axis so that its largest coordinate is positive: eigenvectors have no sign of their own."""
    largest = np.abs(scores).argmax(axis=0)
    signs = np.sign(scores[largest, np.arange(scores.shape[1])])
    return scores * np.where(signs == 0, 1.0, signs)
