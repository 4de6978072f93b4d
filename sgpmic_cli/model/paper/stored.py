"""The contents of a model file of the paper's model, and checks of a file."""

import numpy as np

from sgpmic_cli.model.storage import FIRST_KIND, FittedState

KIND = FIRST_KIND
ATTRIBUTES = (  # arrays
    "responsibilities_",
    "embedding_",
    "inducing_points_",
    "weights_",
    "means_",
    "covariances_",
    "offset_",
    "scale_",
    "lower_bounds_",
)
SCALARS = (
    "lower_bound_",
    "n_iter_",
    "converged_",
    "jitter_",
    "n_features_in_",
)


def check(state: FittedState, n_clusters: int, n_theta: int) -> None:
    """Raise ValueError if the state cannot come from a fit with these numbers of parameters."""
    state.check_scalars(SCALARS)
    arrays, m = state.arrays, n_clusters
    n, q = arrays["embedding_"].shape
    k, p = len(arrays["inducing_points_"]), int(state.scalars["n_features_in_"])
    state.check_arrays(
        {
            "responsibilities_": (n, m),
            "embedding_": (n, q),
            "inducing_points_": (k, q),
            "weights_": (m,),
            "means_": (m, q),
            "covariances_": (m, q, q),
            "offset_": (p,),
            "scale_": (p,),
            "rows": (n, p),
            "theta": (m, n_theta),
            "log_beta": (1,),
            "lower_bounds_": (arrays["lower_bounds_"].size,),
        }
    )
    state.check_probabilities("responsibilities_", "weights_")
    state.check_rows("rows")
    covariances = arrays["covariances_"]
    if (
        (arrays["weights_"] <= 0).any()
        or (arrays["scale_"] <= 0).any()
        or (np.linalg.eigvalsh(covariances) <= 0).any()
    ):
        raise ValueError("a weight, a scale or a covariance in it is not positive")
    if not np.allclose(covariances, covariances.transpose(0, 2, 1)):
        raise ValueError("a covariance in it is not symmetric")
