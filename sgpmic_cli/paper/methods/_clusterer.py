"""Base classes of the baselines: parameter checks, input validation and fuzzy c-means.

The baselines are data classes, which write the constructor that scikit-learn expects: it stores
every parameter under its name. Annotations are the valid types, which `fit` checks by `_rules`.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.estimator_base.parallel import threads_for
from sgpmic_cli.estimator_base.parameter_checks import (
    Rule,
    check_clusters,
    check_dimensions,
    check_parameters,
    whole,
)
from sgpmic_cli.paper.fcm import FuzzyCMeans

SHARED_RULES = {"n_clusters": whole(), "n_components": whole()}


@dataclass(eq=False, repr=False)
class EmbeddingClusterer(Clusterer):
    """Base class of the baselines; `_learn` sets `embedding_` and `labels_`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=2
        Number of latent dimensions.
    random_state : int, RandomState instance or None, default=None
        Seed of all random numbers of a fit.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    embedding_ : ndarray of shape (n_samples, n_components)
        Latent coordinates from which the labels were computed.
    """

    n_clusters: int = 8
    n_components: int = 2
    _: KW_ONLY
    random_state: int | np.random.RandomState | None = None

    _rules: ClassVar[Mapping[str, Rule]] = {}  # of the parameters that are not in SHARED_RULES

    def _fit_to(self, X) -> None:
        check_parameters(self, {**SHARED_RULES, **self._rules})
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_clusters(self.n_clusters, Y)
        check_dimensions(self.n_components, Y)
        with threads_for(len(Y)):
            self._learn(Y, check_random_state(self.random_state))

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        raise NotImplementedError


class EmbeddingFCM(EmbeddingClusterer):
    """A clusterer that applies fuzzy c-means to the result of `_embed`."""

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        self.embedding_ = self._embed(Y, rng)
        self.labels_ = FuzzyCMeans(self.n_clusters, random_state=rng).fit(self.embedding_).labels_

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        raise NotImplementedError
