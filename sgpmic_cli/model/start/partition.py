"""Where a fit begins: latent points on the principal axes, responsibilities from the votes, inducing inputs."""

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.variational.em import Free, State
from sgpmic_cli.model.variational.latent_prior import maximise

LATENT_VARIANCE = 0.1  # of q(x_n), beside latent points of unit variance
NOISE = 0.25  # of the variance of a standardised column
CURVED = 0.3  # variance of the curved part of the processes, beside one of the linear part
DOUBT = 0.05  # share of every row that is spread over all clusters, so that the first E-step can still move it
FEWEST = 3  # inducing inputs of a component, however many clusters share the rows


def principal_axes(Y: Array, q: int) -> Array:
    """Scores on the first q principal axes with a common factor, so that their mean variance is one (N, q)."""
    U, values, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
    signs = np.sign(
        U[np.abs(U).argmax(axis=0), range(U.shape[1])]
    )  # the axes have no direction of their own
    scores = (U * signs * values)[:, :q]
    return np.asarray(scores / np.sqrt(np.mean(scores**2)))


def start(X: Array, shares: Array, n_inducing: int, random_state: np.random.RandomState) -> State:
    """The state before the first M-step, from latent points (N, Q) and shares of the clusters (N, M)."""
    (n, q), m = X.shape, shares.shape[1]
    S = (1.0 - DOUBT) * shares + DOUBT / m if m > 1 else shares
    k = int(np.clip(n // (2 * m), FEWEST, n_inducing))
    Z = np.stack([_spread(X[shares.argmax(axis=1) == j], X, k, random_state) for j in range(m)])
    free = Free(
        mu=X,
        log_s=np.full((n, q), np.log(LATENT_VARIANCE)),
        Z=Z,
        log_v=np.full(m, np.log(CURVED)),
        log_g=np.zeros((m, q)),
        log_a=np.zeros(m),
        log_noise=np.full(m, np.log(NOISE)),
    )
    return State(free, maximise(X, free.s, S), S)


def _spread(own: Array, X: Array, k: int, random_state: np.random.RandomState) -> Array:
    """k inducing inputs: own points at even steps along their widest axis, slightly apart from each other."""
    points = own if len(own) else X
    along = points[:, points.var(axis=0).argmax()]
    chosen = np.argsort(along, kind="stable")[
        np.linspace(0, len(points) - 1, k).round().astype(int)
    ]
    return np.asarray(points[chosen] + 0.05 * random_state.standard_normal((k, X.shape[1])))
