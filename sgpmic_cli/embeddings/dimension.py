"""How many latent dimensions keep a given share of the variance: the paper's rule for Q."""

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.embeddings.pca import principal_axes


def dimensions_for(Y: Array, share: float) -> int:
    """The smallest Q whose principal axes hold at least `share` (0 < share <= 1) of the variance of Y."""
    if not 0.0 < share <= 1.0:
        raise ValueError(f"The share of variance must lie in (0, 1], not {share}.")
    variances = principal_axes(Y, 1)[1]
    total = variances.sum()
    if total <= 0.0:
        return 1
    # A share of 1 must not ask for axes that hold nothing but rounding noise.
    reached = np.cumsum(variances) / total >= share - 1e-12
    return int(reached.argmax()) + 1
