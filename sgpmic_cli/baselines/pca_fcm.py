"""PCA-FCM: fuzzy c-means on unscaled principal component scores."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from sgpmic_cli.embeddings import pca
from sgpmic_cli.fcm import FuzzyCMeans


class PCAFCM(ClusterMixin, BaseEstimator):
    """Scores on the leading axes, not whitened, clustered by fuzzy c-means."""

    def __init__(self, n_clusters=8, n_components=2, *, random_state=None):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, Y, y=None):
        """Embed and cluster the rows of Y."""
        Y = validate_data(self, Y, dtype=np.float64)
        self.embedding_ = pca(Y, self.n_components)
        self.labels_ = FuzzyCMeans(self.n_clusters, random_state=self.random_state).fit(self.embedding_).labels_
        return self
