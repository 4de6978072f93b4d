"""ISOMAP-FCM: fuzzy c-means on geodesic coordinates."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from sgpmic_cli.embeddings import isomap
from sgpmic_cli.fcm import FuzzyCMeans


class IsomapFCM(ClusterMixin, BaseEstimator):
    """ISOMAP coordinates, by default as the printed table needs them (see `embeddings/isomap.py`), and fuzzy c-means.

    `memory` is a folder where the coordinates of a data set are kept for the next fit.
    """

    def __init__(
        self,
        n_clusters=8,
        n_components=2,
        *,
        components="largest",
        unit_variance=True,
        memory=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.components = components
        self.unit_variance = unit_variance
        self.memory = memory
        self.random_state = random_state

    def fit(self, Y, y=None):
        """Embed and cluster the rows of Y."""
        Y = validate_data(self, Y, dtype=np.float64)
        self.embedding_ = isomap(
            Y, self.n_components, parts=self.components, unit_variance=self.unit_variance, memory=self.memory
        )
        self.labels_ = FuzzyCMeans(self.n_clusters, random_state=self.random_state).fit(self.embedding_).labels_
        return self
