"""PCA-FCM, PPCA-FCM and ISOMAP-FCM: fuzzy c-means on an embedding. And a mixture on ISOMAP.

The mixture is the start of SGP-MIC without its Gaussian processes. It is a null model: its
agreement with SGP-MIC's printed column is no evidence for the Gaussian processes.

M. E. Tipping and C. M. Bishop, "Probabilistic Principal Component Analysis", Journal of the Royal
Statistical Society B 61, 1999.
J. B. Tenenbaum, V. de Silva and J. C. Langford, "A Global Geometric Framework for Nonlinear
Dimensionality Reduction", Science 290, 2000.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax

from sgpmic_cli._typing import Array
from sgpmic_cli.estimators import Count, Flag
from sgpmic_cli.gp import from_covariances, log_densities, pca, principal_axes, scatters
from sgpmic_cli.paper.fcm import fuzzy_c_means
from sgpmic_cli.paper.isomap import Parts, isomap
from sgpmic_cli.paper.methods import EmbeddingClusterer, EmbeddingFCM

FLOOR = 1e-6  # added to the diagonal of the covariances; the coordinates have unit variance


class PCAFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to unscaled principal component scores."""

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return pca(Y, self.n_components)


@dataclass(eq=False, repr=False, kw_only=True)
class PPCAFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to the latent coordinates of probabilistic PCA.

    Whitened scores reproduce the paper's numbers; with `posterior`, the points are posterior means.
    """

    posterior: Flag = False

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        return ppca(Y, self.n_components, posterior=self.posterior)


@dataclass(eq=False, repr=False, kw_only=True)
class IsomapFCM(EmbeddingFCM):
    """A clusterer that applies fuzzy c-means to ISOMAP coordinates.

    The defaults reproduce the paper's table; `isomap.py` explains them.
    """

    components: Parts = "largest"
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
        centers, memberships = fuzzy_c_means(X, self.n_clusters, rng)
        S = memberships**2
        S /= S.sum(axis=1, keepdims=True)
        for _ in range(self.sweeps):
            sizes = np.maximum(S.sum(axis=0), FLOOR)[:, None, None]
            covariances = scatters(X, S, centers) / sizes + FLOOR * np.eye(X.shape[1])
            means, _, precisions, log_dets = from_covariances(centers, covariances)
            log_dets = self.log_determinant * log_dets
            S = softmax(log_densities(X, means, precisions, log_dets), axis=1)
        self.embedding_, self.labels_ = X, S.argmax(axis=1)


def ppca(Y: Array, q: int, *, posterior: bool = False) -> Array:
    """Return whitened scores, or the posterior means of probabilistic PCA (N, q).

    The data are centred and unscaled (Tipping and Bishop 1999).
    Whitened scores reproduce the paper's numbers. The posterior mean multiplies axis j by
    sqrt(1 - s2 / l_j), where s2 is the mean discarded variance.
    """
    scores, variances = principal_axes(Y, q)
    kept = variances[:q]
    safe = np.where(kept > 0, kept, 1.0)
    whitened = scores / np.sqrt(safe)
    if not posterior:
        return whitened
    p = Y.shape[1]
    noise = variances[q:].sum() / (p - q) if p > q else 0.0
    return whitened * np.sqrt(np.maximum(1.0 - noise / safe, 0.0))
