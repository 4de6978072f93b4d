"""What a file of the paper's model holds, and what it must be."""

import numpy as np

from sgpmic_cli.model.storage import FIRST_KIND, FittedState

KIND = FIRST_KIND
ATTRIBUTES = (  # of the estimator that are arrays
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
    "n_dead_components_",
    "jitter_",
    "n_features_in_",
)


def check(state: FittedState, n_clusters: int, n_theta: int) -> None:
    """Refuse, with a ValueError, what no fit of so many clusters and kernel parameters can have left."""
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
            "theta": (m, n_theta),  # kernel parameters and noise as logs
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
