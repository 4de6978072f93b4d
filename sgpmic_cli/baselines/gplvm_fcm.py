"""GPLVM-FCM: fuzzy c-means on the latent points of a full Gaussian-process latent variable model (Lawrence 2004).

    L = -P/2 (N log 2 pi + log |K|) - 1/2 tr(Y' K^-1 Y) + log N(X | 0, I),     K = rbf(X, X) + bias + white I
    dL/dK = 1/2 (K^-1 Y Y' K^-1 - P K^-1)

The white part is the noise, so there is no beta and nothing random before fuzzy c-means. Every step factors an N x N
matrix: the paper shows it in two figures and leaves it out of its table.

The number of steps is the only setting the figures leave open, and two cells are little to set it by. Out of 0, 5, 10,
20, 50, 100, 200 and 500, twenty come closest: Iris 72.67 (printed 74.00) and Wine without proline 67.42 (69.10). Up to
ten steps give Iris 76 to 77 and Wine 57 to 62, a hundred and more give Iris 54 to 57.
"""

from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines._ascent import Objective, climb
from sgpmic_cli.baselines._clusterer import EmbeddingFCM
from sgpmic_cli.baselines._scatter import centred
from sgpmic_cli.embeddings import ppca
from sgpmic_cli.estimator_base.parameter_checks import MEMORY, whole
from sgpmic_cli.files.array_cache import Arrays, remembered
from sgpmic_cli.model.paper.bound import observe
from sgpmic_cli.model.paper.kernels import LOG_LIMIT, RBF, gram, gram_gradients, positive, start_parameters
from sgpmic_cli.model.paper.cholesky import inverse, jittered_cholesky, log_determinant

MAX_ROWS = (
    3000  # a matrix of this size takes 72 MB, several are alive at once, and a step costs seconds
)


class GPLVMFCM(EmbeddingFCM):
    """Latent points that start at whitened PCA and climb the exact likelihood, then fuzzy c-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=2
        Number of latent dimensions.
    max_iter : int, default=20
        Steps of scaled conjugate gradients.
    memory : None, str, path-like or joblib.Memory, default=None
        Where the latent points of a data set are kept for the next fit.
    random_state : int, RandomState instance or None, default=None
        Seed of fuzzy c-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    embedding_ : ndarray of shape (n_samples, n_components)
        Latent points.
    objective_ : float
        Log of likelihood times prior at `embedding_`.

    References
    ----------
    .. [1] N. D. Lawrence, "Gaussian Process Latent Variable Models for Visualisation of High Dimensional Data",
       Advances in Neural Information Processing Systems 16, 2004.

    Examples
    --------
    >>> from sgpmic_cli.baselines import GPLVMFCM
    >>> from sgpmic_cli.data import load
    >>> model = GPLVMFCM(n_clusters=3, max_iter=2, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    objective_: float

    _rules: ClassVar = {"max_iter": whole(), "memory": MEMORY}

    def __init__(
        self, n_clusters=8, n_components=2, *, max_iter=20, memory=None, random_state=None
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.max_iter = max_iter
        self.memory = memory
        self.random_state = random_state

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        if len(Y) > MAX_ROWS:
            raise ValueError(
                f"A full GP-LVM factors an N x N matrix at every step and takes at most {MAX_ROWS} rows, "
                f"not {len(Y)}: use fgplvm-fcm, its sparse relative."
            )
        steps, q = self.max_iter, self.n_components
        found = remembered(
            self.memory, __name__, f"{q} {steps}", Y, lambda: _latent_points(Y, q, steps)
        )
        self.objective_ = float(found["objective"])
        return found["X"]


def _latent_points(Y: Array, q: int, steps: int) -> Arrays:
    objective = log_posterior(Y)
    X = ppca(Y, q)
    (X, _), reached = climb(objective, (X, start_parameters(RBF(), 1, X.shape[1])[0]), steps)
    return {"X": X, "objective": np.array(reached)}


def log_posterior(Y: Array) -> Objective:
    """L of Y - mean, with its gradients by X (N, Q) and the logs theta (T,) of variance, gamma, bias and white."""
    data, kernel = observe(centred(Y)), RBF()
    targets, P = data.Y, data.n_outputs

    def objective(X: Array, theta: Array) -> tuple[float, tuple[Array, ...]]:
        natural = positive(theta)
        K = gram(kernel, natural, X)
        L, _ = jittered_cholesky(K)
        K_inverse = inverse(L)
        solved = K_inverse @ targets  # K^-1 Y (N, P)
        value = -0.5 * P * (len(X) * np.log(2.0 * np.pi) + log_determinant(L)) - 0.5 * float(
            np.sum(targets * solved)
        )
        value -= 0.5 * (X.size * np.log(2.0 * np.pi) + float(np.sum(X**2)))
        D = 0.5 * (solved @ solved.T - P * K_inverse)
        dX, dtheta = gram_gradients(kernel, natural, X, K, D)
        return value, (dX - X, np.where(np.abs(theta) < LOG_LIMIT, dtheta, 0.0))

    return objective
