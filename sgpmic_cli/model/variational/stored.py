"""What a file of the default model holds, and what it must be."""

from dataclasses import fields

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.storage import FittedState
from sgpmic_cli.model.variational.em import Data, Fit, Free, State
from sgpmic_cli.model.variational.holes import Gaussian
from sgpmic_cli.model.variational.latent_prior import LatentPrior

KIND = "latent-distribution"
FREE = tuple(field.name for field in fields(Free))
PRIOR = LatentPrior._fields
# Arrays of the estimator that have a line for each row, in the order that they came in, also those not fitted to.
OF_EVERY_ROW = ("responsibilities_", "embedding_", "embedding_variances_", "votes_")
ATTRIBUTES = (*OF_EVERY_ROW, "offset_", "scale_", "lower_bounds_")
SCALARS = ("rounding", "n_iter_", "converged_", "no_clusters_", "n_features_in_")


def arrays_of(
    data: Data, state: State, first: Array, gaussian: Gaussian | None
) -> dict[str, Array]:
    """A trained mixture, the rows it was fitted to, how they were first filled, and the Gaussian that filled them."""
    free = {name: getattr(state.free, name) for name in FREE}
    filling = gaussian or Gaussian(np.empty(0), np.empty((0, 0)))  # empty where nothing was missing
    rows = {
        "S": state.S,
        "rows": data.Y,
        "squares": data.squares,
        "held": data.held,
        "first": first,
    }
    return {
        **free,
        **state.prior._asdict(),
        **rows,
        "hole_mean": filling.mean,
        "hole_covariance": filling.covariance,
    }


def gaussian_of(state: FittedState) -> Gaussian | None:
    """What fills holes of new rows; None where training had none."""
    mean = state.arrays["hole_mean"]
    return Gaussian(mean, state.arrays["hole_covariance"]) if len(mean) else None


def trained(state: FittedState, every_row: bool = True) -> Fit:
    """The mixture of a file, checked, with what it holds of every row or without."""
    _check(state)
    if every_row:
        _check_every_row(state)
    arrays, rows = state.arrays, state.arrays["rows"]
    data = Data(
        rows, rows.shape[1], arrays["squares"], float(state.scalars["rounding"]), arrays["held"]
    )
    mixture = State(
        Free(*(arrays[name] for name in FREE)),
        LatentPrior(*(arrays[name] for name in PRIOR)),
        arrays["S"],
    )
    bounds = arrays["lower_bounds_"].tolist()
    return Fit(
        mixture, data, bounds, int(state.scalars["n_iter_"]), bool(state.scalars["converged_"])
    )


def _check(state: FittedState) -> None:
    """Refuse, with a ValueError, what no fit can have left."""
    state.check_scalars(SCALARS)
    arrays = state.arrays
    (n, q), (m, k, _) = arrays["mu"].shape, arrays["Z"].shape
    p = int(state.scalars["n_features_in_"])
    state.check_arrays(
        {
            "mu": (n, q),
            "log_s": (n, q),
            "Z": (m, k, q),
            "log_v": (m,),
            "log_g": (m, q),
            "log_a": (m,),
            "log_noise": (m,),
            "weights": (m,),
            "means": (m, q),
            "variances": (m, q),
            "S": (n, m),
            "held": (n, m),
            "rows": (n, p),
            "squares": (n,),
            "first": (n, p),
            "hole_mean": (holes := len(arrays["hole_mean"]),),
            "hole_covariance": (holes, holes),
            "offset_": (p,),
            "scale_": (p,),
            "lower_bounds_": (max(1, arrays["lower_bounds_"].size),),
        }
    )
    state.check_probabilities("S", "weights")
    state.check_rows("rows")
    state.check_rows("first")
    if holes not in (0, p):
        raise ValueError("it fills other columns than it has")
    if min(arrays[name].min() for name in ("weights", "variances", "scale_")) <= 0:
        raise ValueError("a weight, a variance or a scale in it is not positive")
    if state.scalars["rounding"] < 0:
        raise ValueError("its columns are rounded to less than nothing")
    members, selection = state.details["start_"], state.details["selection_"]
    if not isinstance(members, list) or not all(isinstance(name, str) for name in members):
        raise ValueError("its start is not told in words")
    if selection is not None and not (
        isinstance(selection, list) and all(isinstance(row, dict) for row in selection)
    ):
        raise ValueError("its numbers of clusters are no table")


def _check_every_row(state: FittedState) -> None:
    (m, _, q), n = state.arrays["Z"].shape, len(state.arrays["responsibilities_"])
    shapes = {
        "responsibilities_": (n, m),
        "embedding_": (n, q),
        "embedding_variances_": (n, q),
        "votes_": (n, m),
    }
    state.check_arrays(shapes)
    state.check_probabilities("responsibilities_", "votes_")
    if state.arrays["embedding_variances_"].min() <= 0:
        raise ValueError("a variance in it is not positive")
