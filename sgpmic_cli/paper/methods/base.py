"""Base classes of the baselines: parameters, their constraints, input validation, fuzzy c-means.

The baselines are data classes, which write the constructor that scikit-learn expects: it stores
every parameter under its name. `fit` checks the parameters by the constraints in their annotations.
"""

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Annotated, Any, Self, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_parameter_constraints
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.paper.fcm import coincide, fuzzy_c_means
from sgpmic_cli.parameters import check_clusters, check_dimensions
from sgpmic_cli.row_blocks import threads_for

# Types of parameters.
Count = Annotated[int, Interval(Integral, 1, None, closed="left")]
CountOrZero = Annotated[int, Interval(Integral, 0, None, closed="left")]
Amount = Annotated[float, Interval(Real, 0, None, closed="left")]
Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
Flag = Annotated[bool, "boolean"]


@dataclass(eq=False, repr=False)
class EmbeddingClusterer(ClusterMixin, BaseEstimator):
    """Base class of the baselines; `_learn` sets the results.

    They are `embedding_` (n_samples, n_components), the latent coordinates, and `labels_`
    (n_samples,), the clusters that were computed from them.
    """

    n_clusters: Count = 8
    n_components: Count = 2  # latent dimensions
    _: KW_ONLY
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X (n_samples, n_features); y is ignored."""
        hints = get_type_hints(type(self), include_extras=True)
        rules = {name: list(getattr(hint, "__metadata__", [])) for name, hint in hints.items()}
        rules = {name: rule for name, rule in rules.items() if rule}
        validate_parameter_constraints(rules, self.get_params(deep=False), type(self).__name__)
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_clusters(self.n_clusters, Y)
        check_dimensions(self.n_components, Y)
        with threads_for(len(Y)):
            self._learn(Y, check_random_state(self.random_state))
        return self

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        raise NotImplementedError


class EmbeddingFCM(EmbeddingClusterer):
    """A clusterer that applies fuzzy c-means to the result of `_embed`."""

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        self.embedding_ = self._embed(Y, rng)
        found = fuzzy_c_means(self.embedding_, self.n_clusters, rng)
        self.labels_: Indices = found.labels
        if coincide(found.centers, self.embedding_):
            warnings.warn(
                "Fuzzy c-means ended with coincident centres, so the labels are unreliable; "
                "use fewer dimensions or clusters.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        raise NotImplementedError
