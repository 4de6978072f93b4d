"""A fitted default model as a function of standardised rows, and its form in a model file."""

from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters.missing_values import Gaussian, impute
from sgpmic_cli.clustering.clusters.probabilities import ClusterModel, ClusterPosterior
from sgpmic_cli.clustering.clusters.t_mixture import TMixture
from sgpmic_cli.clustering.map.new_rows import TrainingRows, locate
from sgpmic_cli.clustering.map.shared_process import MapParameters, Posterior
from sgpmic_cli.clustering.map.training import FittedMap
from sgpmic_cli.estimator_base.latent_clusterer import Located
from sgpmic_cli.estimator_base.storage import Arrays, check_probabilities, read_arrays
from sgpmic_cli.gp import from_covariances

# The arrays of a model file with their axes: n fitted rows, c columns, p columns that are not
# constant, m clusters, q latent dimensions, k inducing inputs, b bounds, v base clusterings, w base
# clusterings of refits, r rows of the table, d dimensions in which a mixture was fitted.
ARRAY_AXES = {
    "mu": "nq",
    "log_s": "nq",
    "Z": "kq",
    "log_v": "1",
    "log_g": "q",
    "log_l": "1",
    "log_noise": "1",
    "means": "mq",
    "covariances": "mqq",
    "Kuu_inv": "kk",
    "A_inv": "kk",
    "W": "kp",
    "rows": "np",
    "labels": "n",
    "row_indices": "n",
    "consensus_": "nm",
    "offset_": "c",
    "scale_": "c",
    "lower_bounds_": "b",
}
ROW_AXES = {
    "responsibilities_": "rm",
    "embedding_": "rq",
    "embedding_variances_": "rq",
    "groups_": "r",
}
OPTIONAL_AXES = (
    {"coefficients": "vpm", "intercepts": "vm", "weights": "vm", "temperature": ""},
    {"mixture_whitening": "mpd", "mixture_means": "md", "mixture_intercepts": "m"},
    {"refit_coefficients": "wpm", "refit_intercepts": "wm", "refit_weights": "wm"},
    {"missing_mean": "p", "missing_covariance": "pp"},
)
LARGEST_LOG = 300.0  # squares of the exponential stay finite


class FittedModel(NamedTuple):
    """The map, the clusters, the training rows, and the Gaussian that imputes missing values."""

    map: FittedMap
    clusters: ClusterModel
    rows: TrainingRows
    row_indices: Indices  # of the training rows among the rows of the table
    gaussian: Gaussian | None  # None if the training rows had no missing values

    def probabilities(self, Y: Array) -> Array:
        """Return the cluster probabilities of rows (n, P) with NaN for missing values."""
        return self.clusters.probabilities(self.imputed(Y), self.rows)

    def locate(self, Y: Array) -> tuple[Located, Indices]:
        """Return latent distributions and probabilities of rows, and their nearest training rows.

        A row that equals a training row up to rounding is replaced by the training row.
        """
        mask = np.isnan(Y)
        Y = self.imputed(Y)
        nearest = self.rows.closest(Y)
        equal = self.rows.equal(Y, nearest)
        Y = np.where(equal[:, None], self.rows.rows[nearest], Y)
        S = plain = self.clusters.without_refits.probabilities(Y, self.rows)
        if self.clusters.refits is not None:
            S = self.clusters.probabilities(Y, self.rows)
        r = self.clusters.map_weights(plain)
        mu, s, log_density = locate(self.map, Y, r, nearest, equal, mask)
        # r is a variational distribution, so its divergence from the cluster weights is subtracted.
        divergence = np.sum(rel_entr(r, np.maximum(self.clusters.weights, 1e-12)), axis=1)
        return Located(mu, s, S, log_density - divergence), nearest

    def imputed(self, Y: Array) -> Array:
        """Return rows with missing values filled in."""
        if not np.isnan(Y).any():
            return Y
        # Without missing values in training, only the column means are known: zero.
        return np.nan_to_num(Y) if self.gaussian is None else impute(self.gaussian, Y)

    def to_arrays(self) -> dict[str, Array]:
        """Return the arrays that a model file holds."""
        process, mixture, clusters = self.map.process, self.map.mixture, self.clusters
        arrays = {
            **self.map.parameters._asdict(),
            "means": mixture.means,
            "covariances": mixture.covariances,
            "Kuu_inv": process.Kuu_inv,
            "A_inv": process.A_inv,
            "W": process.W,
            "rows": self.rows.rows,
            "labels": clusters.labels,
            "row_indices": self.row_indices,
        }
        if clusters.posterior is not None:
            arrays |= {name: getattr(clusters.posterior, name) for name in OPTIONAL_AXES[0]}
            if clusters.posterior.mixture is not None:
                arrays |= dict(zip(OPTIONAL_AXES[1], clusters.posterior.mixture, strict=True))
        if clusters.refits is not None:
            fields = clusters.refits._asdict()
            arrays |= {name: fields[name.removeprefix("refit_")] for name in OPTIONAL_AXES[2]}
        if self.gaussian is not None:
            arrays["missing_mean"], arrays["missing_covariance"] = self.gaussian
        return arrays


def from_arrays(arrays: Arrays, *, converged: bool) -> FittedModel:
    """Rebuild a model from the arrays of a file."""
    fitted_map = FittedMap(
        MapParameters(*(arrays[name] for name in MapParameters._fields)),
        from_covariances(arrays["means"], arrays["covariances"]),
        Posterior(arrays["Kuu_inv"], arrays["A_inv"], arrays["W"], arrays["lower_bounds_"][-1]),
        arrays["lower_bounds_"].tolist(),
        converged,
    )
    posterior = refits = gaussian = None
    if "coefficients" in arrays:
        posterior = _posterior(arrays, "")
        if "mixture_means" in arrays:
            mixture = TMixture(*(arrays[name] for name in OPTIONAL_AXES[1]))
            posterior = posterior._replace(mixture=mixture)
        if "refit_weights" in arrays:
            refits = _posterior(arrays, "refit_")
    if "missing_mean" in arrays:
        gaussian = Gaussian(arrays["missing_mean"], arrays["missing_covariance"])
    labels, row_indices = (arrays[name].astype(np.intp) for name in ("labels", "row_indices"))
    clusters = ClusterModel(labels, len(arrays["means"]), posterior, refits)
    return FittedModel(fitted_map, clusters, TrainingRows(arrays["rows"]), row_indices, gaussian)


def _posterior(arrays: Arrays, prefix: str) -> ClusterPosterior:
    names = (prefix + name for name in ("coefficients", "intercepts", "weights"))
    coefficients, intercepts, weights = (arrays[name] for name in names)
    return ClusterPosterior(coefficients, intercepts, weights, float(arrays["temperature"]))


def checked_arrays(members: Arrays, *, every_row: bool) -> dict[str, Array]:
    """Read the arrays of a file. Raise ValueError if they cannot come from a fit."""
    axes = {**ARRAY_AXES, **ROW_AXES} if every_row else dict(ARRAY_AXES)
    for group in OPTIONAL_AXES:
        if not members.keys().isdisjoint(group):
            axes |= group
    arrays = read_arrays(members, axes, {})
    scale, p = arrays["scale_"], arrays["rows"].shape[1]
    if np.count_nonzero(scale) != p:
        raise ValueError(f"its array scale_ does not describe {p} columns")
    positive = [scale[scale != 0], np.linalg.eigvalsh(arrays["covariances"])]
    names = {"temperature", "weights", "refit_weights", "embedding_variances_"}
    positive += [arrays[name] for name in names & arrays.keys()]
    if "missing_covariance" in arrays:
        positive.append(np.linalg.eigvalsh(arrays["missing_covariance"]))
    if any((part <= 0).any() for part in positive):
        raise ValueError("a scale, a variance or a covariance in it is not positive")
    if (
        max(np.abs(arrays[name]).max() for name in ARRAY_AXES if name.startswith("log_"))
        > LARGEST_LOG
    ):
        raise ValueError("a variance or a scale of the process is out of range")
    _check_whole(arrays["labels"], 0, len(arrays["means"]), "a label is no cluster")
    n_rows = len(arrays["embedding_"]) if every_row else np.inf
    _check_whole(arrays["row_indices"], 0, n_rows, "a fitted row is no row of the table")
    if every_row:
        _check_whole(arrays["groups_"], -1, np.inf, "a group is not a number")
    check_probabilities(arrays, "consensus_", *(["responsibilities_"] if every_row else []))
    return arrays


def _check_whole(array: Array, lowest: int, end: float, problem: str) -> None:
    if (array != array.round()).any() or array.min() < lowest or array.max() >= end:
        raise ValueError(problem)
