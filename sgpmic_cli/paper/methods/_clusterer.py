"""Base classes of the baselines: parameter checks, input validation and fuzzy c-means.

The baselines are data classes, which write the constructor that scikit-learn expects: it stores
every parameter under its name. `fit` checks the parameters by the rules in their annotations.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, get_type_hints

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.estimator_base import (
    BOOLEAN,
    MEMORY,
    Clusterer,
    Rule,
    check_clusters,
    check_dimensions,
    check_parameters,
    number,
    positive_integers,
    positive_number,
    whole,
)
from sgpmic_cli.files.array_cache import Memory
from sgpmic_cli.paper.fcm import FuzzyCMeans
from sgpmic_cli.row_blocks import threads_for

# Types of parameters.
Count = Annotated[int, whole()]
CountOrZero = Annotated[int, whole(0)]
Amount = Annotated[float, number()]
Positive = Annotated[float, positive_number()]
Flag = Annotated[bool, BOOLEAN]
Widths = Annotated[Sequence[int], positive_integers()]
Cache = Annotated[PathLike | Memory | None, MEMORY]


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

    n_clusters: Count = 8
    n_components: Count = 2
    _: KW_ONLY
    random_state: int | np.random.RandomState | None = None

    def _fit_to(self, X) -> None:
        check_parameters(self, parameter_rules(type(self)))
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_clusters(self.n_clusters, Y)
        check_dimensions(self.n_components, Y)
        with threads_for(len(Y)):
            self._learn(Y, check_random_state(self.random_state))

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        raise NotImplementedError


def parameter_rules(kind: type[EmbeddingClusterer]) -> dict[str, Rule]:
    """Return the rules in the annotations of the parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        name: rule
        for name, hint in hints.items()
        for rule in getattr(hint, "__metadata__", ())
        if isinstance(rule, Rule)
    }


class EmbeddingFCM(EmbeddingClusterer):
    """A clusterer that applies fuzzy c-means to the result of `_embed`."""

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        self.embedding_ = self._embed(Y, rng)
        self.labels_ = FuzzyCMeans(self.n_clusters, random_state=rng).fit(self.embedding_).labels_

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        raise NotImplementedError
