"""The space in which the clusters of a table are searched."""

from typing import NamedTuple, Self

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.model.clusters.base_clusterings import (
    Consensus,
    consensus,
    kmeans_consensus,
)
from sgpmic_cli.clustering.model.clusters.probabilities import ClusterPosterior
from sgpmic_cli.clustering.model.clusters.shared_dimensions import SharedDimensions


class ClusterSpace(NamedTuple):
    """Rows of the space, and how they follow from the columns.

    A table without discrete columns is its own space. Otherwise the space is a projection of the
    columns (`shared_dimensions.py`).
    """

    rows: Array
    shared: SharedDimensions | None = None
    projection: Array | None = None

    @classmethod
    def of(cls, Y: Array, shared: SharedDimensions | None, n_clusters: int) -> Self:
        """Return the space of `n_clusters` clusters of weighted rows."""
        if shared is None:
            return cls(Y)
        projection = shared.projection(n_clusters)
        rows = (Y - shared.mean) @ projection
        if len(np.unique(np.round(rows, 9), axis=0)) < n_clusters:
            return cls(Y)
        return cls(rows, shared, projection)

    def consensus(self, n_clusters: int) -> Consensus:
        """Cluster the rows.

        The space of mostly discrete columns is searched by k-means only. Its rows form small
        groups of equal rows, which mixtures and gaps would follow.
        """
        if self.shared is not None and self.shared.mostly_discrete:
            return kmeans_consensus(self.rows, n_clusters)
        return consensus(self.rows, n_clusters)

    def in_columns(self, posterior: ClusterPosterior | None) -> ClusterPosterior | None:
        """Return a posterior of this space as the posterior of the columns."""
        if posterior is None or self.projection is None or self.shared is None:
            return posterior
        return posterior.in_columns(self.projection, self.shared.mean)
