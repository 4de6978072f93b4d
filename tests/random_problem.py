"""Random models, small enough for dense algebra."""

import numpy as np

from sgpmic_cli.paper.model.bound import Parameters
from sgpmic_cli.paper.model.kernels import KERNELS
from sgpmic_cli.paper.model.mixture import maximise, mixture

FORMS = ["spherical", "diag", "tied", "full"]


def problem(kernel, form="full", concentration=1.0, *, n=40, p=5, q=2, k=8, m=3, seed=0):
    """Return data, parameters and responsibilities (nearly hard with a small concentration)."""
    rng = np.random.RandomState(seed)
    Y = 3.0 * rng.randn(n, p) + 1.0
    X, Z = rng.randn(n, q), rng.randn(k, q)
    S = np.maximum(rng.dirichlet(np.full(m, concentration), n), 1e-12)
    S /= S.sum(axis=1, keepdims=True)
    theta = 0.4 * rng.randn(m, len(KERNELS[kernel].start(q)))
    start = mixture(np.full(m, 1.0 / m), rng.randn(m, q), np.tile(np.eye(q), (m, 1, 1)))
    prior = maximise(X + 0.3 * rng.randn(n, q), S, form, 1e-2, start)
    return Y, Parameters(X, Z, theta, 0.3, prior), S
