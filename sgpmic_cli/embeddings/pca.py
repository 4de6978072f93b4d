"""Principal components of centred, unscaled data."""

import numpy as np
from numpy.typing import NDArray
from scipy import linalg


def principal_axes(Y: NDArray[np.float64], q: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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


def pca(Y: NDArray[np.float64], q: int) -> NDArray[np.float64]:
    """Scores on the q leading axes, not whitened (N, q)."""
    return principal_axes(Y, q)[0]


def _fix_signs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Point every axis so that its largest coordinate is positive: eigenvectors have no sign of their own."""
    largest = np.abs(scores).argmax(axis=0)
    signs = np.sign(scores[largest, np.arange(scores.shape[1])])
    return scores * np.where(signs == 0, 1.0, signs)
