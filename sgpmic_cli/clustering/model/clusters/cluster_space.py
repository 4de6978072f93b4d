"""The space in which the clusters of a table are searched."""

from typing import NamedTuple, Self

import numpy as np

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.clustering.model.clusters.base_clusterings import (
    Consensus,
    consensus,
    named_clustering,
)
from sgpmic_cli.clustering.model.clusters.probabilities import ClusterGaussians
from sgpmic_cli.clustering.model.clusters.shared_dimensions import SharedDimensions


class ClusterSpace(NamedTuple):
    """Rows of the space, what is imputed in them, and how they follow from the columns.

    A table without discrete columns is its own space. Otherwise the space is a projection of the
    columns (`shared_dimensions.py`).
    """

    rows: Array
    mask: BoolArray | None
    shared: SharedDimensions | None = None
    projection: Array | None = None

    @classmethod
    def of(
        cls, Y: Array, mask: BoolArray | None, shared: SharedDimensions | None, n_clusters: int
    ) -> Self:
        """Return the space of `n_clusters` clusters of weighted rows, imputed under `mask`."""
        if shared is None:
            return cls(Y, mask)
        projection = shared.projection(n_clusters)
        rows = (Y - shared.mean) @ projection
        if len(np.unique(np.round(rows, 9), axis=0)) < n_clusters:
            return cls(Y, mask)
        if shared.mostly_discrete or mask is None:
            return cls(rows, None, shared, projection)
        # A projected column is known as far as the other columns are.
        return cls(rows, mask & ~shared.discrete, shared, projection)

    def consensus(self, n_clusters: int, seed: int) -> Consensus:
        """Cluster the rows.

        The space of mostly discrete columns is searched by k-means only. Its rows form small
        groups of equal rows, which mixtures and gaps would follow.
        """
        if self.shared is not None and self.shared.mostly_discrete:
            return named_clustering("k-means", self.rows, n_clusters, seed)
        found = consensus(self.rows, n_clusters, seed, self.mask)
        if (
            len(np.unique(found.labels)) < n_clusters
        ):  # the majority may leave a cluster without rows
            return named_clustering("k-means", self.rows, n_clusters, seed)
        return found

    def in_columns(self, gaussians: ClusterGaussians | None) -> ClusterGaussians | None:
        """Return linear posteriors of this space as posteriors of the columns."""
        if gaussians is None or self.projection is None or self.shared is None:
            return gaussians
        coefficients = self.projection @ gaussians.coefficients
        intercepts = gaussians.intercepts - self.shared.mean @ coefficients
        return gaussians._replace(coefficients=coefficients, intercepts=intercepts)
