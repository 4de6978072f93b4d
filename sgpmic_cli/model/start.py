"""Where a fit begins: latent points by ISOMAP, clusters by fuzzy c-means on them, inducing inputs among them."""

import os
import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from sgpmic_cli.embeddings import isomap
from sgpmic_cli.embeddings.isomap import Components
from sgpmic_cli.fcm import FuzzyCMeans
from sgpmic_cli.model.bound import Parameters
from sgpmic_cli.model.kernels import Kernel, start_parameters
from sgpmic_cli.model.mixture import CovarianceType, maximise, mixture

Array = NDArray[np.float64]


def latent_start(Y: Array, q: int, components: Components, memory: str | os.PathLike[str] | None) -> Array:
    """ISOMAP coordinates at unit variance (N, q)."""
    return isomap(Y, q, components=components, memory=memory)


def start(
    kernel: Kernel,
    X: Array,
    n_clusters: int,
    n_inducing: int,
    log_beta: float,
    covariance_type: CovarianceType,
    covariance_floor: float,
    random_state: np.random.RandomState,
) -> tuple[Parameters, Array]:
    """Parameters and responsibilities before the first E-step.

    Equal weights, fuzzy c-means centres, covariances of its memberships; kernel parameters at the paper's values.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # coincident centres are a start to be improved, no result
        fcm = FuzzyCMeans(n_clusters, random_state=random_state).fit(X)
    S = fcm.memberships_
    q = X.shape[1]
    Z = X[random_state.permutation(len(X))[:n_inducing]].copy()
    prior = mixture(np.full(n_clusters, 1.0 / n_clusters), fcm.centers_, np.tile(np.eye(q), (n_clusters, 1, 1)))
    spread = maximise(X, S, covariance_type, covariance_floor, prior).covariances
    prior = mixture(prior.weights, prior.means, spread)
    return Parameters(X, Z, start_parameters(kernel, n_clusters, q), log_beta, prior), S
