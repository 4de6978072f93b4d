"""Probabilistic PCA (Tipping and Bishop 1999)."""

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.embeddings.pca import principal_axes


def ppca(Y: Array, q: int, *, posterior: bool = False) -> Array:
    """Latent coordinates (N, q): whitened scores, or the posterior mean of the maximum-likelihood model.

    The paper's printed cells are those of whitened scores (unit variance per axis), as the GP toolboxes of its time
    return them. The posterior mean shrinks axis j by sqrt(1 - s2 / l_j), where s2 is the mean discarded variance.
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
