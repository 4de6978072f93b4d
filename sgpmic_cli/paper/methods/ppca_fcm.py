"""PPCA-FCM: fuzzy c-means on the latent coordinates of probabilistic PCA.

M. E. Tipping and C. M. Bishop, "Probabilistic Principal Component Analysis", Journal of the Royal
Statistical Society B 61, 1999.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.parameter_checks import BOOLEAN
from sgpmic_cli.gp.pca import ppca
from sgpmic_cli.paper.methods._clusterer import EmbeddingFCM


@dataclass(eq=False, repr=False, kw_only=True)
class PPCAFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to the latent coordinates of probabilistic PCA.

    Parameters
    ----------
    posterior : bool, default=False
        If True, use the posterior means of probabilistic PCA, which the paper's text names. If
        False, use the whitened scores, which reproduce the paper's numbers.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Whitened scores or posterior means.
    """

    posterior: bool = False

    _rules: ClassVar = {"posterior": BOOLEAN}

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return ppca(Y, self.n_components, posterior=self.posterior)
