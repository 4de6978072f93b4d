"""Where a fit begins: latent points by ISOMAP, clusters by fuzzy c-means on them, inducing inputs among them."""

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.embeddings import isomap
from sgpmic_cli.embeddings.isomap import Parts
from sgpmic_cli.embeddings.landmarks import N_LANDMARKS, landmark_isomap
from sgpmic_cli.fcm import FuzzyCMeans, memberships_of
from sgpmic_cli.files.array_cache import Memory
from sgpmic_cli.model.paper.bound import Parameters
from sgpmic_cli.model.paper.kernels import Kernel, start_parameters
from sgpmic_cli.model.paper.mixture import CovarianceType, maximise, mixture

EXACT_ROWS = 5000  # beyond these the N x N geodesics of ISOMAP cost more than the fit
FCM_ROWS = (
    50_000  # centres of so many points are those of all, to far more digits than a start needs
)


def latent_start(
    Y: Array,
    q: int,
    parts: Parts,
    memory: PathLike | Memory | None,
    random_state: np.random.RandomState,
) -> Array:
    """ISOMAP coordinates at unit variance (N, q); of landmarks and what lies among them when there are many rows."""
    if len(Y) <= EXACT_ROWS:
        return isomap(Y, q, parts=parts, memory=memory)
    warnings.warn(
        f"{len(Y)} rows are too many for exact ISOMAP (up to {EXACT_ROWS}): the start is ISOMAP of {N_LANDMARKS} "
        f"random rows with all others set among them, and fuzzy c-means of at most {FCM_ROWS} rows.",
        stacklevel=4,  # where `fit` was called
    )
    return landmark_isomap(Y, q, random_state, parts=parts)


def start(
    kernel: Kernel,
    X: Array,
    n_clusters: int,
    n_inducing: int,
    log_beta: float,
    covariance_type: CovarianceType,
    covariance_floor: float,
    kernel_start: float,
    start_sharpness: float,
    random_state: np.random.RandomState,
) -> tuple[Parameters, Array]:
    """Parameters and responsibilities before the first E-step.

    Equal weights, fuzzy c-means centres, covariances of its memberships to the power of `start_sharpness`; kernel
    parameters at the paper's values, those with the unit of Y^2 times `kernel_start`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # coincident centres are a start to be improved, no result
        sample = X if len(X) <= FCM_ROWS else X[random_state.permutation(len(X))[:FCM_ROWS]]
        fcm = FuzzyCMeans(n_clusters, random_state=random_state).fit(sample)
    S = (
        fcm.memberships_
        if sample is X
        else memberships_of(cdist(fcm.centers_, X, "sqeuclidean")).T.copy()
    )
    q = X.shape[1]
    Z = X[random_state.permutation(len(X))[:n_inducing]].copy()
    prior = mixture(
        np.full(n_clusters, 1.0 / n_clusters), fcm.centers_, np.tile(np.eye(q), (n_clusters, 1, 1))
    )
    spread = maximise(
        X, _sharpened(S, start_sharpness), covariance_type, covariance_floor, prior
    ).covariances
    prior = mixture(prior.weights, prior.means, spread)
    theta = start_parameters(kernel, n_clusters, q)
    theta[:, [0, -2, -1]] += np.log(kernel_start)  # variance, bias and white
    return Parameters(X, Z, theta, log_beta, prior), S


def _sharpened(memberships: Array, power: float) -> Array:
    """Memberships (N, M) to a power, their sums one again."""
    if power == 1.0:
        return memberships
    raised = memberships**power
    return raised / raised.sum(axis=1, keepdims=True)
