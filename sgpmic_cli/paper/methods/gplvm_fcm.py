"""GPLVM-FCM and FGPLVM-FCM: fuzzy c-means on the latent points of a full or a sparse GP-LVM.

The full model, in which the white variance is the noise variance, factors N x N matrices:

    L = -P/2 (N log 2 pi + log |K|) - 1/2 tr(Y' K^-1 Y) + log N(X | 0, I)
    K = rbf(X, X) + bias + white I
    dL/dK = 1/2 (K^-1 Y Y' K^-1 - P K^-1)

The sparse model is SGP-MIC with one component, unit responsibilities and a standard normal prior.
The bound of SGP-MIC is then the DTC likelihood, so that one M-step of SGP-MIC is the fit. The paper
shows the full model in two figures only. docs/printed-numbers.md says by what the noise
precision and the numbers of steps were chosen.

N. D. Lawrence, "Gaussian Process Latent Variable Models for Visualisation of High Dimensional
Data", Advances in Neural Information Processing Systems 16, 2004.
N. D. Lawrence, "Learning for Larger Datasets with the Gaussian Process Latent Variable Model",
AISTATS, 2007.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.estimators import Count
from sgpmic_cli.gp import ascend
from sgpmic_cli.paper.isomap import check_rows, isomap
from sgpmic_cli.paper.methods import EmbeddingFCM, centred
from sgpmic_cli.paper.methods.embedding_fcm import ppca
from sgpmic_cli.paper.model import kernels
from sgpmic_cli.paper.model.bound import Bound, Parameters, observe
from sgpmic_cli.paper.model.dtc import inverse, jittered_cholesky, log_determinant
from sgpmic_cli.paper.model.em import m_step, scg
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.paper.model.mixture import mixture

MAX_ROWS = 3000  # one N x N matrix of this size takes 72 MB, and several exist at the same time
NO_START = "The likelihood has no finite value at the start of the fit; rescale the data."


@dataclass(eq=False, repr=False, kw_only=True)
class GPLVMFCM(EmbeddingFCM):
    """A clusterer that maximises the GP-LVM posterior from whitened PCA and applies fuzzy c-means.

    `objective_` is the log posterior density at `embedding_`.
    """

    max_iter: Count = 20  # steps of scaled conjugate gradients

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        check_rows("The full GP-LVM (unlike fgplvm-fcm)", Y, MAX_ROWS)
        objective = log_posterior(Y)  # refuses data that overflow
        start = ppca(Y, self.n_components), kernels.RBF().start(self.n_components)
        (X, _), _, self.objective_ = ascend(objective, start, scg, self.max_iter)
        if not np.isfinite(self.objective_):
            raise FloatingPointError(NO_START)
        return X


@dataclass(eq=False, repr=False, kw_only=True)
class FGPLVMFCM(EmbeddingFCM):
    """A clusterer that maximises the DTC likelihood from ISOMAP and applies fuzzy c-means.

    `objective_` is the log posterior density at `embedding_`.
    """

    n_inducing: Count = 50  # inducing inputs, which start at random rows of the latent points
    max_iter: Count = 5  # steps of scaled conjugate gradients
    memory: Any = None  # a folder or a joblib.Memory for the coordinates of ISOMAP

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        variance = float(np.mean(np.var(Y, axis=0, ddof=1)))
        if variance == 0.0:
            raise ValueError("All rows are equal; the data need at least two distinct rows.")
        X = isomap(Y, self.n_components, memory=self.memory)
        Z = X[rng.permutation(len(X))[: self.n_inducing]]
        q, kernel = X.shape[1], kernels.RBF()
        prior = mixture(np.ones(1), np.zeros((1, q)), np.eye(q)[None])
        p = Parameters(X, Z, kernel.start(q)[None], float(np.log(4.0 / variance)), prior)
        bound = Bound(kernel, observe(Y - Y.mean(axis=0)), np.ones((len(Y), 1)))
        settings = SGPMIC(optimizer="scg", optimizer_steps=self.max_iter, learn_noise=True)
        p, at_start = m_step(bound, p, settings)
        if not np.isfinite(at_start):
            raise FloatingPointError(NO_START)
        self.objective_, _ = bound.value(replace(p, prior=prior))  # the M-step moves the prior
        return p.X


def log_posterior(Y: Array) -> Callable[[Array, Array], tuple[float, tuple[Array, Array]]]:
    """Return the function (X, theta) -> L and its gradients, for centred Y.

    X has shape (N, Q); theta (T,) holds the logarithms of variance, gamma, bias and white.
    """
    data, kernel = observe(centred(Y)), kernels.RBF()
    targets, P = data.Y, data.n_outputs

    def objective(X: Array, theta: Array) -> tuple[float, tuple[Array, Array]]:
        natural = kernels.positive(theta)
        (K,) = kernels.gram(kernel, natural[None], X)
        L, _ = jittered_cholesky(K)
        K_inverse = inverse(L)
        solved = K_inverse @ targets  # K^-1 Y (N, P)
        log_det = len(X) * np.log(2.0 * np.pi) + log_determinant(L)  # |2 pi K|
        value = -0.5 * P * log_det - 0.5 * float(np.sum(targets * solved))
        value -= 0.5 * (X.size * np.log(2.0 * np.pi) + float(np.sum(X**2)))
        D = 0.5 * (solved @ solved.T - P * K_inverse)
        dX, (dtheta,) = kernels.gram_gradients(kernel, natural[None], X, K[None], D[None])
        return value, (dX - X, np.where(np.abs(theta) < kernels.LOG_LIMIT, dtheta, 0.0))

    return objective
