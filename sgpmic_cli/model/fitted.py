"""A fitted default model as a function of standardised rows, and its form in a model file."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import rel_entr

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.clusters.missing_values import Gaussian, impute
from sgpmic_cli.model.clusters.probabilities import ClusterGaussians, ClusterModel, nearest_rows
from sgpmic_cli.model.latent.latent_mixture import from_covariances
from sgpmic_cli.model.latent.new_rows import LatentRows, TrainingRows, locate
from sgpmic_cli.model.latent.shared_process import Parameters, Posterior
from sgpmic_cli.model.latent.training import FittedMap
from sgpmic_cli.model.storage import FittedState

KIND = "shared-process"
OLD_KIND = "latent-distribution"  # of sgpmic 0.2
ROW_ARRAYS = ("responsibilities_", "embedding_", "embedding_variances_", "consensus_")
LARGEST_LOG = 300.0  # squares of the exponential stay finite
SCALARS = ("n_iter_", "converged_", "no_clusters_", "n_features_in_")


class FittedModel(NamedTuple):
    """The map, the clusters, the training rows, and the Gaussian that imputes missing values."""

    map: FittedMap
    clusters: ClusterModel
    rows: TrainingRows
    gaussian: Gaussian | None  # None if the training rows had no missing values

    def probabilities(self, Y: Array) -> Array:
        """Return the cluster probabilities of rows (n, P) with NaN for missing values."""
        return self.clusters.probabilities(*self._near_training(self._imputed(Y)))

    def locate(self, Y: Array) -> tuple[LatentRows, Array]:
        """Return the latent distributions and the cluster probabilities of rows."""
        mask = np.isnan(Y)
        Y, distances, nearest = self._near_training(self._imputed(Y))
        S = self.clusters.probabilities(Y, distances, nearest)
        first = nearest[:, 0]
        r = self.clusters.map_weights(S)
        found = locate(self.map, Y, r, first, self.rows.equal(Y, first), mask)
        # A row chooses its clusters r, so a bound on its density pays for the choice.
        divergence = np.sum(rel_entr(r, np.maximum(self.clusters.weights, 1e-12)), axis=1)
        return found._replace(log_density=found.log_density - divergence), S

    def _near_training(self, Y: Array) -> tuple[Array, Array, Indices]:
        """Return rows with distances and indices of their nearest training rows, (n, k).

        A row that equals a training row up to rounding is replaced by the training row.
        """
        distances, nearest = nearest_rows(self.rows, Y)
        known = self.rows.rows[nearest[:, 0]]
        rounded = self.rows.equal(Y, nearest[:, 0]) & (known != Y).any(axis=1)
        if rounded.any():
            Y = np.where(rounded[:, None], known, Y)
            distances[rounded], nearest[rounded] = nearest_rows(self.rows, Y[rounded])
        return Y, distances, nearest

    def _imputed(self, Y: Array) -> Array:
        if not np.isnan(Y).any():
            return Y
        # Without missing values in training, only the column means are known: zero.
        return np.nan_to_num(Y) if self.gaussian is None else impute(self.gaussian, Y)


def to_arrays(fitted: FittedModel) -> dict[str, Array]:
    """Return the arrays that a model file holds. Missing parts are empty arrays."""
    gaussians, refits = fitted.clusters.gaussians, fitted.clusters.refits
    none = np.empty(0)
    return {
        **fitted.map.parameters._asdict(),
        "means": fitted.map.mixture.means,
        "covariances": fitted.map.mixture.covariances,
        "Kuu_inv": fitted.map.process.Kuu_inv,
        "A_inv": fitted.map.process.A_inv,
        "W": fitted.map.process.W,
        "Y": fitted.map.Y,
        "rows": fitted.rows.rows,
        "labels": fitted.clusters.labels.astype(float),
        "coefficients": none if gaussians is None else gaussians.coefficients,
        "intercepts": none if gaussians is None else gaussians.intercepts,
        "temperature": none if gaussians is None else np.array([gaussians.temperature]),
        "refits": none if refits is None else refits,
        "missing_mean": none if fitted.gaussian is None else fitted.gaussian.mean,
        "missing_covariance": none if fitted.gaussian is None else fitted.gaussian.covariance,
    }


def from_state(state: FittedState) -> FittedModel:
    """Rebuild a model from a file's content. Raise ValueError if it is inconsistent."""
    _check(state)
    arrays = state.arrays
    mixture = from_covariances(np, arrays["means"], arrays["covariances"])
    process = Posterior(arrays["Kuu_inv"], arrays["A_inv"], arrays["W"], 0.0)
    fitted_map = FittedMap(
        Parameters(*(arrays[name] for name in Parameters._fields)),
        mixture,
        process,
        arrays["Y"],
        arrays["lower_bounds_"].tolist(),
        bool(state.scalars["converged_"]),
    )
    gaussians = None
    if arrays["coefficients"].size:
        temperature = float(arrays["temperature"][0])
        gaussians = ClusterGaussians(arrays["coefficients"], arrays["intercepts"], temperature)
    refits = arrays["refits"] if arrays["refits"].size else None
    labels = arrays["labels"].astype(np.intp)
    clusters = ClusterModel(labels, len(arrays["means"]), gaussians, refits)
    gaussian = None
    if arrays["missing_mean"].size:
        gaussian = Gaussian(arrays["missing_mean"], arrays["missing_covariance"])
    return FittedModel(fitted_map, clusters, TrainingRows(arrays["rows"]), gaussian)


def check_row_arrays(state: FittedState) -> None:
    """Raise ValueError if the arrays with one entry for each row are inconsistent."""
    m, q = state.arrays["means"].shape
    n = len(state.arrays["responsibilities_"])
    widths = {"responsibilities_": m, "consensus_": m, "embedding_": q, "embedding_variances_": q}
    state.check_arrays({name: (n, width) for name, width in widths.items()})
    state.check_probabilities("responsibilities_", "consensus_")
    if state.arrays["embedding_variances_"].min() <= 0:
        raise ValueError("a latent variance is not positive")


def _check(state: FittedState) -> None:
    state.check_scalars(SCALARS)
    arrays = state.arrays
    (n, q), k, m = arrays["mu"].shape, len(arrays["Z"]), len(arrays["means"])
    p = int(state.scalars["n_features_in_"])
    shapes: dict[str, tuple[int, ...]] = {
        "mu": (n, q),
        "log_s": (n, q),
        "Z": (k, q),
        "log_v": (1,),
        "log_g": (q,),
        "log_l": (1,),
        "log_noise": (1,),
        "means": (m, q),
        "covariances": (m, q, q),
        "Kuu_inv": (k, k),
        "A_inv": (k, k),
        "W": (k, p),
        "Y": (n, p),
        "rows": (n, p),
        "labels": (n,),
        "offset_": (p,),
        "scale_": (p,),
        "lower_bounds_": (max(1, arrays["lower_bounds_"].size),),
        "refits": (n, m) if arrays["refits"].size else (0,),
        "missing_mean": (p,) if arrays["missing_mean"].size else (0,),
        "missing_covariance": (p, p) if arrays["missing_mean"].size else (0,),
        "temperature": (1,) if arrays["temperature"].size else (0,),
    }
    if arrays["temperature"].size:
        v = len(arrays["coefficients"])
        shapes |= {"coefficients": (v, p, m), "intercepts": (v, m)}
        if arrays["temperature"][0] <= 0:
            raise ValueError("the temperature is not positive")
    state.check_arrays(shapes)
    state.check_rows("rows")
    state.check_rows("Y")
    labels = arrays["labels"]
    if (labels != labels.round()).any() or labels.min() < 0 or labels.max() >= m:
        raise ValueError("a label is not the number of a cluster")
    if arrays["scale_"].min() <= 0 or min(np.linalg.eigvalsh(arrays["covariances"]).ravel()) <= 0:
        raise ValueError("a scale or a covariance is not positive")
    logs = [arrays[name] for name in Parameters._fields if name.startswith("log_")]
    if max(np.abs(part).max() for part in logs) > LARGEST_LOG:
        raise ValueError("a variance or a scale of the process is out of range")
    covariance = arrays["missing_covariance"]
    if covariance.size and np.linalg.eigvalsh(covariance).min() <= 0:
        raise ValueError("the covariance for missing values is not positive definite")
    if arrays["refits"].size:
        state.check_probabilities("refits")
    names, selection = state.details["base_clusterings_"], state.details["selection_"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of the base clusterings are not text")
    if selection is not None and not _is_table(selection):
        raise ValueError("the numbers of clusters tried are not a table")


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)
