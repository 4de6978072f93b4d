"""ISOMAP-FCM: fuzzy c-means on ISOMAP coordinates, and a Gaussian mixture on them.

The mixture is the start of SGP-MIC without its Gaussian processes. It is a null model: its
agreement with SGP-MIC's printed column is no evidence for the Gaussian processes.

J. B. Tenenbaum, V. de Silva and J. C. Langford, "A Global Geometric Framework for Nonlinear
Dimensionality Reduction", Science 290, 2000.
"""

from dataclasses import dataclass
from typing import Annotated, Any, get_args

import numpy as np
from scipy.special import softmax
from sklearn.utils._param_validation import StrOptions

from sgpmic_cli._typing import Array
from sgpmic_cli.paper.fcm import fuzzy_c_means
from sgpmic_cli.paper.isomap import Parts, isomap
from sgpmic_cli.paper.methods.base import EmbeddingClusterer, EmbeddingFCM
from sgpmic_cli.parameters import Count, Flag

FLOOR = 1e-6  # added to the diagonal of the covariances; the coordinates have unit variance


@dataclass(eq=False, repr=False, kw_only=True)
class IsomapFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to ISOMAP coordinates.

    The defaults reproduce the paper's table; `isomap.py` explains them.
    """

    components: Annotated[Parts, StrOptions(set(get_args(Parts)))] = "largest"
    unit_variance: Flag = True
    memory: Any = None  # a folder or a joblib.Memory for the coordinates

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        how: Any = {"parts": self.components, "unit_variance": self.unit_variance}
        return isomap(Y, self.n_components, memory=self.memory, **how)


@dataclass(eq=False, repr=False, kw_only=True)
class IsomapMixture(EmbeddingClusterer):
    """A clusterer that updates the full covariances of a Gaussian mixture on ISOMAP coordinates.

    Fuzzy c-means gives the means. The squares of its memberships, scaled to a sum of one, are the
    first responsibilities, as in SGP-MIC as run. Means and equal weights stay fixed. Without the
    log-determinants of the covariances a row belongs to the cluster with the smallest Mahalanobis
    distance.
    """

    sweeps: Count = 8  # updates of the covariances, each followed by one of the responsibilities
    log_determinant: Flag = True
    memory: Any = None  # a folder or a joblib.Memory for the coordinates

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        X = isomap(Y, self.n_components, memory=self.memory)
        start = fuzzy_c_means(X, self.n_clusters, rng)
        centred = X - start.centers[:, None]  # (M, N, Q)
        S = start.memberships.T**2  # (M, N)
        S /= S.sum(axis=0)
        for _ in range(self.sweeps):
            covariances = np.einsum("mn,mnq,mnr->mqr", S, centred, centred)
            covariances /= np.maximum(S.sum(axis=1), FLOOR)[:, None, None]
            covariances += FLOOR * np.eye(X.shape[1])
            scaled = np.linalg.solve(covariances[:, None], centred[..., None])[..., 0]
            log_density = -0.5 * np.einsum("mnq,mnq->mn", centred, scaled)
            if self.log_determinant:
                log_density -= 0.5 * np.linalg.slogdet(covariances)[1][:, None]
            S = softmax(log_density, axis=0)
        self.embedding_, self.labels_ = X, S.argmax(axis=0)
