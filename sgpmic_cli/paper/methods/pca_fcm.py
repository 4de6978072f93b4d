"""PCA-FCM and PPCA-FCM: fuzzy c-means on principal component scores, plain or probabilistic.

M. E. Tipping and C. M. Bishop, "Probabilistic Principal Component Analysis", Journal of the Royal
Statistical Society B 61, 1999.
"""

from dataclasses import dataclass

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.gp import pca, ppca
from sgpmic_cli.paper.methods.base import EmbeddingFCM
from sgpmic_cli.parameters import Flag


class PCAFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to unscaled principal component scores.

    Examples
    --------
    >>> from sgpmic_cli.paper.methods.pca_fcm import PCAFCM
    >>> from sgpmic_cli.data import load
    >>> model = PCAFCM(n_clusters=3, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return pca(Y, self.n_components)


@dataclass(eq=False, repr=False, kw_only=True)
class PPCAFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to the latent coordinates of probabilistic PCA.

    Whitened scores reproduce the paper's numbers; its text names the posterior means.
    """

    posterior: Flag = False

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return ppca(Y, self.n_components, posterior=self.posterior)
