"""The default model as a scikit-learn estimator.

The clusters come from a consensus of base clusterings or from a spanning tree (`clusters/`). The
Gaussian process does not decide them. It learns the map of the rows, given the probabilities of the
clusters (`map/`).
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.cluster_fit import (
    PreparedRows,
    choose_from,
    copy_groups,
    find_clusters,
    given_memberships,
    numbers_to_try,
    prepare_rows,
)
from sgpmic_cli.clustering.clusters.label_constants import MOST_CLUSTERS
from sgpmic_cli.clustering.fitted_estimator import FittedEstimator
from sgpmic_cli.clustering.fitted_model import FittedModel
from sgpmic_cli.clustering.map.new_rows import TrainingRows
from sgpmic_cli.clustering.map.training import FittedMap, MapFitter, fit_map, start_map
from sgpmic_cli.errors import warn_caller
from sgpmic_cli.estimator_base import AUTO, either, fraction, interval, whole
from sgpmic_cli.estimator_base.latent_clusterer import SHARED_RULES
from sgpmic_cli.estimator_base.scaling import Scale, canonical_order, distinct_rows
from sgpmic_cli.gp import dimensions_for
from sgpmic_cli.row_blocks import Workers, row_blocks

RULES = {
    **SHARED_RULES,
    "n_clusters": either(either(whole(), AUTO), interval()),
    "n_components": either(whole(), fraction()),
    "n_resamples": whole(0),
    "max_rows": whole(2),
}


@dataclass(eq=False, repr=False)
class GroupMap(FittedEstimator):
    """An estimator that clusters the rows of a table and maps them to a latent space.

    The clusters are the consensus of several base clusterings, or the parts of a spanning tree if
    gaps separate them. The label of a row is its largest probability, the mean of the posteriors of
    the base clusterings; the labels of the nearest rows give it if gaps separate the clusters. The
    map is the latent space of one sparse Gaussian process that all clusters share. It has a
    Gaussian distribution for every row and a Gaussian mixture as prior, so rows of one cluster lie
    together as far as they are known to belong together. The paper's own model is `SGPMIC`.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default="auto"
        Number of clusters M. "auto" chooses among 1 to 15, and at most a tenth of the rows; if 15
        is the best, it goes on to 30. A pair chooses among the numbers from the first to the
        second. `selection_` has the evidence. Up to `max_rows` rows, the number does not depend
        on `random_state`.
    n_components : int or float, default=2
        Number of latent dimensions Q, at most the number of columns. A float in (0, 1) selects the
        smallest number of principal components that explains this fraction of the variance.
    scale : {"standard", "global", "none"}, default="standard"
        Divide centred columns by their standard deviation, by one common number, or not at all.
        With "standard", columns that nearly repeat each other share the weight of one column.
    init : {"consensus", "k-means", "gmm", "spectral", "ward"}, array of shape (n_samples,) or \
(n_samples, n_clusters), default="consensus"
        The clusters: the consensus of several clusterings, one clustering, labels, or
        probabilities.
    n_inducing : int, default=15
        Number of inducing inputs K. Small tables use fewer.
    max_iter : int, default=10
        Maximum number of EM iterations. They move the map only; labels and probabilities do not
        depend on it. On most tables the map hardly changes after ten iterations, although the
        bound still rises (`converged_`).
    optimizer_steps : int, default=10
        L-BFGS steps of an M-step.
    tol : float, default=0.02
        Stop when the bound is estimated to be within `tol` nats per row of its limit.
    n_resamples : int, default=8
        Number of refits of the base clusterings to random halves of the rows. Probabilities are
        the mean over the refits, unless gaps separate the clusters. `stability_` says how well
        refits find the clusters again. Labels and map do not depend on the refits.
    max_rows : int, default=10000
        If there are more rows than this, fit a random subsample of this size and assign the
        remaining rows with `predict`.
    n_jobs : int, default=None
        Number of threads. None is one, -1 uses all cores. The result does not depend on it.
    verbose : bool or int, default=False
        Whether to show the steps of a fit and the bound after every iteration: as a bar on a
        terminal and in a notebook, otherwise as lines.
    callback : callable, default=None
        Called as callback(iteration, bound, labels) after every iteration, with the labels of the
        rows that are fitted, which do not change. If it has a method `started`, that is called as
        callback.started(step) when a step of the fit begins. If it has a method `assigned`, that is
        called as callback.assigned(rows_so_far, n_samples) while rows beyond `max_rows` are
        assigned.
    random_state : int, RandomState instance or None, default=None
        Seed of the subsample beyond `max_rows`, of the refits and of the map, and of the clusters
        if `init` is "gmm" or "spectral".

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row. A row without any value is left out: its label is -1, and its
        probabilities and latent point are NaN.
    responsibilities_ : ndarray of shape (n_samples, M)
        Probability of each cluster for each row.
    embedding_, embedding_variances_ : ndarray of shape (n_samples, Q)
        Means and variances of the latent points.
    n_clusters_ : int
        Number of clusters M.
    selection_ : DataFrame or None
        Evidence for each number of clusters that was tried. `plausible` is True for the chosen
        number and for those that are nearly as good. None if no number was tried.
    summary_ : DataFrame
        One row for each cluster: rows, certainty, verdict with its border, stability.
    no_clusters_ : bool
        True if the number was open and the data show no clusters.
    consensus_ : ndarray of shape (n_fitted, M)
        Fraction of base clusterings that put a row into a cluster. If a subsample is fitted, it
        has the rows of the subsample, in the order of the table.
    base_clusterings_ : tuple of str
        Names of the base clusterings.
    cluster_sizes_, certainty_ : ndarray of shape (M,)
        Number of rows of each cluster, and their mean probability.
    stability_ : ndarray of shape (M,) or None
        Overlap of each cluster with its counterpart in the refits, from 0 to 1. None without
        refits or with one cluster.
    verdicts_ : list of dict
        What each cluster is: "group" if a valley of the density separates it from every
        neighbour, "slice" if it is a part of a continuum, or "too few rows to say". `depth` is the
        density in the shallowest valley relative to the lower peak, towards `neighbour`.
    groups_ : ndarray of shape (n_samples,)
        Group of each row, or -1. Groups are parts of the rows that valleys separate and that
        halves of the rows and fits without a column show again. They need not be clusters, and
        clusters can be slices of them. The clusters are one of the partitions that are searched.
    group_depths_ : list of float
        For each group, the density in the shallowest valley around it relative to the lower peak.
    overlapping_pairs_, small_clusters_, empty_clusters_ : list
        Pairs of clusters that share their rows, clusters of a few rows, clusters without rows.
    log_density_, unusual_below_ : ndarray of shape (n_samples,), float
        Lower bound on the log density of each row in the scaled columns, which model files leave
        out, and the limit below which `prediction` calls a row unusual.
    weights_, means_, covariances_ : ndarray of shape (M,), (M, Q), (M, Q, Q)
        The mixture over the latent space.
    inducing_points_, kernel_params_ : ndarray of shape (K, Q), list of dict
        Inducing inputs. Variance and inverse squared widths of the RBF part, and variance of the
        linear part.
    encoder_ : TableEncoder or None
        Fitted encoder of the data frame, which makes F features of its columns. None if X was an
        array, whose columns are the features.
    noise_variances_ : ndarray of shape (F,)
        Variance of the noise in the scaled features.
    offset_, scale_ : ndarray of shape (F,)
        The model sees (features - offset_) / scale_. Constant features have the scale 0 and are
        left out.
    lower_bound_, lower_bounds_ : float, list of float
        The bound at the end, and after every iteration.
    n_iter_, converged_ : int, bool
        Number of iterations, and whether `tol` was reached.
    n_features_in_, feature_names_in_
        Number of columns of X in `fit`, and their names if they had any.

    Notes
    -----
    There is no `sample_weight`: the spanning tree and the tests of valleys are not defined for
    weighted rows.

    References
    ----------
    .. [1] Z. Moslehi, A. Mirzaei and M. Safayani, "Clustering based on Mixtures of Sparse Gaussian
       Processes", arXiv:2303.13665, 2023.
    .. [2] M. K. Titsias and N. D. Lawrence, "Bayesian Gaussian Process Latent Variable Model",
       AISTATS 2010.
    .. [3] T. Iwata, D. Duvenaud and Z. Ghahramani, "Warped Mixtures for Nonparametric Cluster
       Shapes", UAI 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from sgpmic import GroupMap
    >>> X, y = make_blobs(n_samples=60, centers=[[0] * 5, [9] * 5, [-9] * 5], random_state=0)
    >>> model = GroupMap(n_clusters=3, random_state=0).fit(X)
    >>> model.embedding_.shape
    (60, 2)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    n_clusters: int | tuple[int, int] | Literal["auto"] = "auto"
    n_components: int | float = 2
    _: KW_ONLY
    scale: Scale = "standard"
    init: str | ArrayLike = "consensus"
    n_inducing: int = 15
    max_iter: int = 10
    optimizer_steps: int = 10
    tol: float = 0.02
    n_resamples: int = 8
    max_rows: int = 10_000
    n_jobs: int | None = None
    verbose: bool | int = False
    callback: Callable[[int, float, Indices], None] | None = None
    random_state: int | np.random.RandomState | None = None

    _rules = RULES
    _kind = "shared-process"
    _rows_at_once = 4096

    # How `fit` goes: scale, subsample, impute, order, choose the number of clusters, find the
    # clusters and their probabilities, fit the map, assign the rows beyond the subsample.

    def _fit_rows(self, Y: Array, threads: Workers) -> None:
        given = given_memberships(self.init, len(Y) + len(self._left_out), self._left_out)
        numbers = numbers_to_try(self.n_clusters, Y, given)
        random_state = check_random_state(self.random_state)
        self._set_scaling(Y, use_constant=False)
        self._warn_of_constant_columns()
        subsample = self._subsample(Y, random_state)
        rows, columns = self._scaled(Y[subsample]), self._used_columns
        if self.scale == "standard":  # near copies share the weight of one column
            columns, copies = copy_groups(rows, columns)
            self.scale_[self.scale_ > 0] *= np.sqrt(copies)
            rows = rows / np.sqrt(copies)
        prepared = prepare_rows(rows, columns)
        row_indices = subsample[prepared.order]
        m, self.selection_ = numbers[0], None
        if len(numbers) > 1:
            more = distinct_rows(Y, 2 * MOST_CLUSTERS) if isinstance(self.n_clusters, str) else None
            m, tried = choose_from(prepared, numbers, more, self._report_step)
            self.selection_ = pd.DataFrame(tried)
        self._report_step("clusters")
        init: Any = self.init if given is None else given[row_indices]
        found, clusters, self.stability_ = find_clusters(
            prepared, m, init, self.n_resamples, random_state
        )
        training = TrainingRows(prepared.rows)
        S = without_refits = clusters.without_refits.training_probabilities(training)
        if clusters.refits is not None:
            S = clusters.training_probabilities(training)
        in_table = np.argsort(row_indices)
        self._report_step("map")
        fitted_map = self._fit_map(
            prepared,
            clusters.map_weights(without_refits),
            found.labels[in_table],
            random_state,
            threads,
        )
        self._fitted = FittedModel(fitted_map, clusters, training, row_indices, prepared.gaussian)
        self.consensus_, self.base_clusterings_ = found.fractions[in_table], found.names
        groups = self._set_verdicts()
        if len(subsample) == len(Y):
            located, self.groups_ = self._assign(Y, None, threads)
        else:
            self._report_step("clusters of the remaining rows")
            located, self.groups_ = self._assign(Y, groups, threads)
        self._set_rows(located)
        self._set_fitted_rows(S, groups)
        self._derive()

    @property
    def _used_columns(self) -> Indices:
        """The column of each feature that is not constant, 0, 1, ... in ascending order."""
        columns = np.arange(self.n_features_in_)
        if self.encoder_ is not None:
            columns = self.encoder_.recipe_.column_of_feature
        return np.unique(columns[self.scale_ > 0], return_inverse=True)[1]

    def _warn_of_constant_columns(self) -> None:
        constant = np.flatnonzero(self.scale_ == 0)
        if len(constant):
            names = np.arange(1, len(self.scale_) + 1)
            if self.encoder_ is not None:
                names = self.encoder_.get_feature_names_out()
            shown = ", ".join(map(str, names[constant[:5]])) + ", ..." * (len(constant) > 5)
            warn_caller(f"Constant or empty columns are left out: {len(constant)} ({shown}).")

    def _subsample(self, Y: Array, random_state: np.random.RandomState) -> Indices:
        """Return the rows to fit, ascending; a subsample does not depend on their order."""
        n = len(Y)
        if n <= self.max_rows:
            return np.arange(n)
        warn_caller(
            f"{n} rows are more than max_rows={self.max_rows}: a random subsample of that size is "
            "fitted, and the other rows are assigned by the fitted model."
        )
        order = canonical_order(np.nan_to_num(self._scaled(Y[rows])) for rows in row_blocks(n))
        return np.sort(order[random_state.permutation(n)[: self.max_rows]])

    def _fit_map(
        self,
        prepared: PreparedRows,
        weights: Array,
        labels: Indices,
        random_state: np.random.RandomState,
        threads: Workers,
    ) -> FittedMap:
        rows = prepared.rows
        seed = int(random_state.randint(np.iinfo(np.int32).max))

        def progress(iteration: int, bound: float) -> None:
            self._report_iteration(iteration, bound, labels)

        q = self.n_components
        if not isinstance(q, Integral):
            q = dimensions_for(rows, q)
        start = start_map(rows, min(int(q), rows.shape[1], len(rows) - 1), self.n_inducing, seed)
        fitter = MapFitter(rows, prepared.mask, weights, start, threads)
        return fit_map(fitter, self.max_iter, self.optimizer_steps, self.tol, progress)
