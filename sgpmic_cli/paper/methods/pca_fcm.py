"""PCA-FCM: fuzzy c-means on principal component scores."""

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.gp.pca import pca
from sgpmic_cli.paper.methods._clusterer import EmbeddingFCM


class PCAFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to unscaled principal component scores.

    Examples
    --------
    >>> from sgpmic_cli.paper.methods import PCAFCM
    >>> from sgpmic_cli.data import load
    >>> model = PCAFCM(n_clusters=3, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return pca(Y, self.n_components)
