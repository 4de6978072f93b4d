"""The methods that SGP-MIC is compared with: those of the paper, variants and null models.

The baselines are data classes, which write the constructor that scikit-learn expects: it stores
every parameter under its name. `fit` checks the parameters by the constraints of their types.
"""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.estimators import Count, check_clusters, check_dimensions, check_parameters
from sgpmic_cli.paper.fcm import fuzzy_c_means
from sgpmic_cli.row_blocks import threads_for


@dataclass(eq=False, repr=False)
class EmbeddingClusterer(ClusterMixin, BaseEstimator):
    """Base class of the baselines, whose `_learn` sets the results of a fit.

    They are `embedding_` (n_samples, n_components), the latent coordinates, and `labels_`
    (n_samples,), the clusters that were computed from them.
    """

    n_clusters: Count = 8
    n_components: Count = 2  # latent dimensions
    _: KW_ONLY
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X (n_samples, n_features); y is ignored."""
        check_parameters(self)
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_clusters(self.n_clusters, Y)
        check_dimensions(self.n_components, Y)
        with threads_for(len(Y)):
            self._learn(Y, check_random_state(self.random_state))
        return self


class EmbeddingFCM(EmbeddingClusterer):
    """Base class of clusterers that apply fuzzy c-means to the result of their `_embed`."""

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        self.embedding_ = self._embed(Y, rng)
        centers, memberships = fuzzy_c_means(self.embedding_, self.n_clusters, rng)
        self.labels_: Indices = memberships.argmax(axis=1)
        spread = np.sqrt(self.embedding_.var(axis=0).sum())
        if pdist(centers).min(initial=np.inf) < 1e-3 * spread:
            warnings.warn(
                "Fuzzy c-means ended with coincident centres, so the labels are unreliable; "
                "use fewer dimensions or clusters.",
                ConvergenceWarning,
                stacklevel=3,
            )


def centred(Y: Array) -> Array:
    """Subtract the column means. Raise ValueError if the squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        Yc = Y - Y.mean(axis=0)
        if not np.isfinite(np.vdot(Yc, Yc)):
            raise ValueError(
                "The squares of the data overflow; divide the columns by a common unit first."
            )
    return Yc
