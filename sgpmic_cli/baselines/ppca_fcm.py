"""PPCA-FCM: fuzzy c-means on the latent coordinates of probabilistic PCA."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from sgpmic_cli.embeddings import ppca
from sgpmic_cli.fcm import FuzzyCMeans


class PPCAFCM(ClusterMixin, BaseEstimator):
    """Whitened scores (what the paper ran) or the posterior mean (what its text says), clustered by fuzzy c-means."""

    def __init__(self, n_clusters=8, n_components=2, *, posterior=False, random_state=None):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.posterior = posterior
        self.random_state = random_state

    def fit(self, Y, y=None):
        """Embed and cluster the rows of Y."""
        Y = validate_data(self, Y, dtype=np.float64)
        self.embedding_ = ppca(Y, self.n_components, posterior=self.posterior)
        self.labels_ = FuzzyCMeans(self.n_clusters, random_state=self.random_state).fit(self.embedding_).labels_
        return self
