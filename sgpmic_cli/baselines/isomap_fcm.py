"""ISOMAP-FCM: fuzzy c-means on geodesic coordinates."""

from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines._clusterer import EmbeddingFCM
from sgpmic_cli.embeddings import isomap
from sgpmic_cli.estimator_base.parameter_checks import MEMORY, SWITCH, one_of


class IsomapFCM(EmbeddingFCM):
    """ISOMAP coordinates, by default as the printed table needs them (see `embeddings/isomap.py`), and fuzzy c-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=2
        Number of axes.
    components : {"largest", "joined", "auto"}, default="largest"
        What is done with data whose neighbour graph falls apart: unroll the largest part only, bridge the parts, or
        bridge them where none holds more than half of the rows.
    unit_variance : bool, default=True
        Bring every axis to unit variance.
    memory : None, str, path-like or joblib.Memory, default=None
        Where the coordinates of a data set are kept for the next fit.
    random_state : int, RandomState instance or None, default=None
        Seed of fuzzy c-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    embedding_ : ndarray of shape (n_samples, n_components)
        ISOMAP coordinates.

    References
    ----------
    .. [1] J. B. Tenenbaum, V. de Silva and J. C. Langford, "A Global Geometric Framework for Nonlinear Dimensionality
       Reduction", Science 290, 2000.

    Examples
    --------
    >>> from sgpmic_cli.baselines import IsomapFCM
    >>> from sgpmic_cli.data import load
    >>> model = IsomapFCM(n_clusters=3, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    _rules: ClassVar = {
        "components": one_of("largest", "joined", "auto"),
        "unit_variance": SWITCH,
        "memory": MEMORY,
    }

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

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return isomap(
            Y,
            self.n_components,
            parts=self.components,
            unit_variance=self.unit_variance,
            memory=self.memory,
        )
