"""Clusterers that people use today, to be compared with: thin covers around scikit-learn's, each with one setting.

Every one brings the columns to one scale by itself (`scale="standard"`), is told the number of clusters where it can be
told, and gets no setting that depends on the data set beyond its number of rows.
"""

from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import validate_data

from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.estimator_base.parameter_checks import check_clusters
from sgpmic_cli.model.scaling import offset_and_scale

NEIGHBOURS = 12  # of the spectral graph


class Peer(Clusterer):
    """Rows at one scale, handed to the clusterer that `_clusterer` makes for their number."""

    def _fit_to(self, X) -> None:
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_clusters(getattr(self, "n_clusters", 1), Y)
        offset, scale = offset_and_scale(Y, self.scale)
        self.labels_ = np.asarray(self._clusterer(len(Y)).fit_predict((Y - offset) / scale))

    def _clusterer(self, n: int) -> Any:
        raise NotImplementedError


class ToldPeer(Peer):
    """A peer that is told the number of clusters."""

    def __init__(self, n_clusters=8, *, scale="standard", random_state=None):
        self.n_clusters = n_clusters
        self.scale = scale
        self.random_state = random_state


class PeerKMeans(ToldPeer):
    """k-means, the best of ten starts."""

    def _clusterer(self, n: int) -> Any:
        return KMeans(self.n_clusters, n_init=10, random_state=self.random_state)


class PeerGaussianMixture(ToldPeer):
    """A mixture of Gaussians with full covariances, the best of three starts."""

    def _clusterer(self, n: int) -> Any:
        return GaussianMixture(
            self.n_clusters, n_init=3, reg_covar=1e-3, random_state=self.random_state
        )


class PeerSpectral(ToldPeer):
    """Spectral clustering of the graph of nearest neighbours."""

    def _clusterer(self, n: int) -> Any:
        return SpectralClustering(
            self.n_clusters,
            affinity="nearest_neighbors",
            n_neighbors=min(NEIGHBOURS, n - 1),
            random_state=self.random_state,
        )


class PeerWard(ToldPeer):
    """Agglomerative clustering by Ward's criterion, which has no chance in it."""

    def __init__(self, n_clusters=8, *, scale="standard"):
        self.n_clusters = n_clusters
        self.scale = scale

    def _clusterer(self, n: int) -> Any:
        return AgglomerativeClustering(self.n_clusters)


class PeerHDBSCAN(Peer):
    """HDBSCAN, which finds the number of clusters by itself; the rows it calls noise (-1) count as one more cluster."""

    def __init__(self, *, scale="standard"):
        self.scale = scale

    def _clusterer(self, n: int) -> Any:
        return HDBSCAN(min_cluster_size=max(5, n // 50), copy=True)
