"""Common clusterers of scikit-learn, each with one fixed configuration.

Their settings depend only on the number of rows.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import validate_data

from sgpmic_cli.estimators import check_clusters
from sgpmic_cli.scaling import offset_and_scale


class Peer(ClusterMixin, BaseEstimator):
    """A clusterer that standardises the columns and applies the one that `_clusterer` returns."""

    def __init__(
        self, n_clusters: int = 8, *, random_state: int | np.random.RandomState | None = None
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows X (n_samples, n_features)."""
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_clusters(self.n_clusters, Y)
        offset, scale = offset_and_scale(Y, "standard")
        self.labels_ = np.asarray(self._clusterer(len(Y)).fit_predict((Y - offset) / scale))
        return self

    def _clusterer(self, n: int) -> Any:
        raise NotImplementedError


class PeerKMeans(Peer):
    """A clusterer that applies k-means with ten starts."""

    def _clusterer(self, n: int) -> Any:
        return KMeans(self.n_clusters, n_init=10, random_state=self.random_state)


class PeerGaussianMixture(Peer):
    """A clusterer that fits a Gaussian mixture with full covariances and three starts."""

    def _clusterer(self, n: int) -> Any:
        return GaussianMixture(
            self.n_clusters, n_init=3, reg_covar=1e-3, random_state=self.random_state
        )


class PeerSpectral(Peer):
    """A clusterer that applies spectral clustering to the nearest-neighbour graph."""

    def _clusterer(self, n: int) -> Any:
        return SpectralClustering(
            self.n_clusters,
            affinity="nearest_neighbors",
            n_neighbors=min(12, n - 1),
            random_state=self.random_state,
        )


class PeerWard(Peer):
    """A clusterer that merges clusters by Ward's criterion."""

    def _clusterer(self, n: int) -> Any:
        return AgglomerativeClustering(self.n_clusters)


class PeerHDBSCAN(Peer):
    """A clusterer that applies HDBSCAN, which chooses their number. Noise rows have label -1."""

    def _clusterer(self, n: int) -> Any:
        return HDBSCAN(min_cluster_size=max(5, n // 50), copy=True)
