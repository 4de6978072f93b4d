"""The default model as a scikit-learn estimator.

The clusters are groups that several views of the rows agree about, or else slices from a consensus
of base clusterings (`clusters/`). The Gaussian process does not decide them. It learns the map of
the rows, given the probabilities of the clusters (`map/`).
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import rel_entr
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli import estimators
from sgpmic_cli._typing import Array, Indices, PathLike, Table
from sgpmic_cli.clustering.cluster_fit import (
    PreparedRows,
    copy_groups,
    find_clusters,
    given_memberships,
    numbers_to_try,
    prepare_rows,
)
from sgpmic_cli.clustering.clusters.probabilities import ClusterModel
from sgpmic_cli.clustering.clusters.slices import choose_number
from sgpmic_cli.clustering.map.new_rows import TrainingRows, locate, rows_at
from sgpmic_cli.clustering.map.training import (
    FittedMap,
    MapFitter,
    fit_map,
    principal_components,
    start_map,
)
from sgpmic_cli.clustering.missing_values import Gaussian, impute
from sgpmic_cli.errors import UsageError, warn_caller
from sgpmic_cli.estimators import (
    COUNT,
    Amount,
    Callback,
    Count,
    CountOrZero,
    Dimensions,
    Jobs,
    Verbose,
    check_parameters,
)
from sgpmic_cli.gp import dimensions_for
from sgpmic_cli.model_file import flattened, save_model, unflattened
from sgpmic_cli.row_blocks import Workers, row_blocks
from sgpmic_cli.scaling import Scale, canonical_order, check_spread, gross_outliers
from sgpmic_cli.tables.rows import Rows

SHEET_INDUCING = 4  # inducing inputs of a cluster on curved sheets; 1.5 lose neighbours
# A model file holds arrays with an entry for each row, fitted parts and JSON values.
ROW_ARRAYS = ("responsibilities_", "embedding_", "embedding_variances_")
PARTS: dict[str, Any] = {
    "offset_": Array,
    "scale_": Array,
    "stability_": Array | None,
    "_rows": Array,
    "_row_indices": Indices,
    "_gaussian": Gaussian | None,
    "_clusters": ClusterModel,
    "_map": FittedMap,
}
VALUES = ("base_clusterings_", "verdicts_")


@dataclass(eq=False, repr=False)
class GroupMap(estimators.RowClusterer):
    """An estimator that clusters the rows of a table and maps them to a latent space.

    If several views of the rows agree about groups, the clusters are the groups. Otherwise they are
    slices of a continuum: the consensus of several base clusterings. The labels of the nearest rows
    give the probabilities of groups, the posteriors of the base clusterings those of slices. The
    map is the latent space of one sparse Gaussian process that all clusters share. It has a
    Gaussian distribution for every row and a Gaussian mixture as prior, so rows of one cluster lie
    together as far as they are known to belong together. The paper's own model is `SGPMIC`.

    The methods take rows X of shape (n_samples, n_features): arrays, data frames, which `encoder_`
    makes features of, or `Rows`. There is no `sample_weight`: the views of
    the rows are not defined for weighted rows.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default="auto"
        Number of clusters M. With "auto" it is the number of groups, or else that of the slices
        with the best silhouette, from 1 to 15 and at most a quarter of the rows. A pair is the
        smallest and the largest number to try. Up to `max_rows` rows, the number does not depend
        on `random_state`.
    n_components : int or float, default=2
        Number of latent dimensions Q, at most the number of columns. A float in (0, 1) selects the
        smallest number of principal components that explains this fraction of the variance.
    scale : {"standard", "global", "none"}, default="standard"
        Divide centred columns by their standard deviation, by one common number, or not at all.
        With "standard", columns that nearly repeat each other share the weight of one column.
    init : None or array of shape (n_samples,) or (n_samples, n_clusters), default=None
        The clusters as labels or probabilities. None finds them.
    n_inducing : int, default=15
        Number of inducing inputs K. Small tables use fewer.
    max_iter : int, default=10
        Maximum number of EM iterations. They move the map only, which hardly changes after ten
        iterations on most tables, although the bound still rises.
    optimizer_steps : int, default=10
        L-BFGS steps of an M-step.
    tol : float, default=0.02
        Stop when the bound is estimated to be within `tol` nats per row of its limit.
    n_resamples : int, default=8
        Number of refits of the clusters to random halves of the rows. Probabilities of slices are
        the mean over the refits. Labels and map do not depend on the refits.
    max_rows : int, default=10000
        If there are more rows than this, fit a random subsample of this size and assign the
        remaining rows with `predict`.
    n_jobs : int, default=None
        Number of threads. None is one, -1 uses all cores. The result does not depend on it.
    verbose : bool or int, default=False
        Whether to print the steps of a fit and the bound after every iteration.
    callback : callable, default=None
        Called as callback(iteration, bound, labels) after every iteration, with the labels of the
        fitted rows. Its methods `started` and `assigned`, if any, are called as
        callback.started(step) when a step of the fit begins, and as
        callback.assigned(rows_so_far, n_samples) while rows beyond `max_rows` are assigned.
    random_state : int, RandomState instance or None, default=None
        Seed of the subsample beyond `max_rows`, of the refits and of the map.

    Attributes
    ----------
    labels_, responsibilities_ : ndarray of shape (n_samples,), (n_samples, M)
        Cluster of each row, and the probability of each cluster. A row without any value is left
        out: its label is -1, and its probabilities and latent point are NaN.
    embedding_, embedding_variances_ : ndarray of shape (n_samples, Q)
        Means and variances of the latent points.
    n_clusters_, no_clusters_ : int, bool
        Number of clusters M. Whether it was open and the data show no clusters.
    selection_ : DataFrame or None
        How the number was chosen if it was open. For groups one row with the evidence in words and
        the score of the views; for slices the silhouette of each number that was tried, with
        that of null reference data.
    summary_ : DataFrame
        One row for each cluster: rows, certainty, verdict, stability.
    base_clusterings_ : tuple of str
        Names of the clusterings whose consensus the clusters are, or the evidence of groups.
    cluster_sizes_, certainty_ : ndarray of shape (M,)
        Number of rows of each cluster, and their mean probability.
    stability_ : ndarray of shape (M,) or None
        Overlap of each cluster with its counterpart in the refits, from 0 to 1; of a group, with
        its counterparts without a tenth of the rows. None without refits or with one cluster.
    verdicts_ : list of dict
        What each cluster is: "group" if several views of the rows show it or the groups in it,
        "slice" if it is a part of a continuum, or "too few rows to say".
    overlapping_pairs_, small_clusters_, empty_clusters_ : list
        Pairs of clusters that share their rows, clusters of a few rows, clusters without rows.
    log_density_, unusual_below_ : ndarray of shape (n_samples,), float
        Lower bound on the log density of each row in the scaled columns, which model files leave
        out, and the limit below which a row is unusual.
    weights_, means_, covariances_ : ndarray of shape (M,), (M, Q), (M, Q, Q)
        The mixture over the latent space.
    inducing_points_ : ndarray of shape (K, Q)
        Inducing inputs of the map.
    encoder_ : TableEncoder or None
        Fitted encoder of the data frame, which makes F features of its columns. None if X was an
        array, whose columns are the features.
    offset_, scale_, noise_variances_ : ndarray of shape (F,)
        The model sees (features - offset_) / scale_, with this variance of the noise. Constant
        features have the scale 0 and are left out.
    lower_bound_, lower_bounds_ : float, list of float
        The bound at the end, and after every iteration.
    n_iter_, converged_ : int, bool
        Number of iterations, and whether `tol` was reached.
    n_features_in_, feature_names_in_
        Number of columns of X in `fit`, and their names if they had any.

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

    n_clusters: Annotated[
        int | tuple[int, int] | Literal["auto"], COUNT, tuple, StrOptions({"auto"})
    ] = "auto"
    n_components: Dimensions = 2
    _: KW_ONLY
    scale: Scale = "standard"
    init: ArrayLike | None = None
    n_inducing: Count = 15
    max_iter: Count = 10
    optimizer_steps: Count = 10
    tol: Amount = 0.02
    n_resamples: CountOrZero = 8
    max_rows: Annotated[int, Interval(Integral, 2, None, closed="left")] = 10_000
    n_jobs: Jobs = None
    verbose: Verbose = False
    callback: Callback = None
    random_state: int | np.random.RandomState | None = None

    updates: ClassVar = ("EM",)  # steps of an iteration, each with a bound
    _rows_at_once: ClassVar[int] = 4096  # that one thread locates together

    def fit(self, X: Table | Rows, y: Any = None) -> Self:
        """Choose the number of clusters, find the clusters, fit the map and judge the clusters.

        `y` is ignored. Return the estimator itself.
        """
        check_parameters(self)
        Y = estimators.training_rows(self, X)
        given = given_memberships(self.init, len(Y) + len(self._left_out), self._left_out)
        numbers = numbers_to_try(self.n_clusters, Y, given)
        random_state = check_random_state(self.random_state)
        with estimators.fitting_threads(self.n_jobs) as threads:
            prepared = self._prepared(Y, random_state)
            estimators.report_step(self, "number of clusters")
            n_clusters = self._chosen_number(prepared, numbers)
            estimators.check_clusters(n_clusters, prepared.rows)
            estimators.report_step(self, "clusters")
            given = None if given is None else given[self._row_indices]
            is_open = len(numbers) > 1
            found, self._clusters, self.stability_ = find_clusters(
                prepared, n_clusters, is_open, given, self.n_resamples, random_state
            )
            self.verdicts_ = prepared.search.verdicts(found.labels, n_clusters)
            self.base_clusterings_ = found.names
            estimators.report_step(self, "map")
            labels = found.labels[np.argsort(self._row_indices)]
            self._map = self._fitted_map(prepared, found.chart, labels, random_state, threads)
            self._set_rows(Y, threads)
        self._derive()
        self.unusual_below_ = estimators.unusual_below(self.log_density_)
        estimators.set_results(self, [*ROW_ARRAYS, "log_density_"])
        estimators.warn_of_doubts(self)
        return self

    def inverse_transform(self, X: ArrayLike) -> Array | pd.DataFrame:
        """Return the rows that the model expects at latent points (n_points, Q).

        They are a data frame with the columns that were used, if `fit` got a data frame.
        """
        check_is_fitted(self)
        points, q = np.atleast_2d(np.asarray(X, dtype=np.float64)), self.embedding_.shape[1]
        if points.ndim != 2 or points.shape[1] != q or not np.isfinite(points).all():
            raise UsageError(f"X must be finite latent points of shape (n, {q}).")
        rows, used = np.tile(self.offset_, (len(points), 1)), self.scale_ > 0
        rows[:, used] += self.scale_[used] * rows_at(self._map, points)
        return rows if self.encoder_ is None else self.encoder_.inverse_transform(rows)

    def predict_proba(self, X: Table | Rows) -> Array:
        """Return the probability of each cluster for each row, (n_samples, n_clusters)."""
        parts, left_out = estimators.in_blocks(self, X, self._probabilities)
        return estimators.with_left_out(np.concatenate(parts), left_out)

    @property
    def summary_(self) -> pd.DataFrame:
        """One row for each cluster: rows, certainty, verdict, stability."""
        check_is_fitted(self)
        sizes = {"rows": self.cluster_sizes_, "certainty": self.certainty_}
        summary = pd.DataFrame(sizes).join(pd.DataFrame(self.verdicts_))
        summary["stability"] = np.nan if self.stability_ is None else self.stability_
        return summary.rename_axis("cluster")

    def save(self, path: PathLike) -> None:
        """Write the fitted model to the file `path`, whole or not at all, without pickle."""
        check_is_fitted(self)
        values = {name: getattr(self, name) for name in VALUES}
        tried = self.selection_
        values["selection_"] = None if tried is None else tried.to_dict("records")
        arrays = {name: getattr(self, name) for name in ROW_ARRAYS}
        for name in PARTS:
            arrays |= flattened(getattr(self, name), name)
        save_model(self, path, values, arrays)

    def _restore(self, arrays: Mapping[str, Array], every_row: bool) -> None:
        """Set the attributes that `save` wrote as arrays, and what follows from them."""
        for name, kind in PARTS.items():
            setattr(self, name, unflattened(kind, arrays, name))
        self._training = TrainingRows(self._rows)
        self.base_clusterings_ = tuple(self.base_clusterings_)
        tried = vars(self)["selection_"]
        self.selection_ = None if tried is None else pd.DataFrame(tried)
        for name in ROW_ARRAYS if every_row else ():
            setattr(self, name, arrays[name])
        if not every_row:  # those of the fitted rows
            p = self._map.parameters
            self.embedding_, self.embedding_variances_ = p.mu, np.exp(p.log_s)
            self.responsibilities_ = self._probabilities(self._rows)
        self._derive()
        estimators.set_diagnostics(self)

    def _prepared(self, Y: Array, random_state: np.random.RandomState) -> PreparedRows:
        """Return the rows that are fitted, and set their places among the rows Y (N, F)."""
        usual = np.flatnonzero(~gross_outliers(Y))
        estimators.scale_columns(self, Y[usual], use_constant=False)
        self._warn_of_constant_columns()
        subsample = usual[self._subsample(Y[usual], random_state)]
        check_spread(Y[subsample])
        self.scale_[np.isnan(Y[subsample]).all(axis=0)] = 0.0
        rows, used = estimators.scaled(self, Y[subsample]), self.scale_ > 0
        columns = np.arange(self.n_features_in_)
        if self.encoder_ is not None:
            columns = self.encoder_.recipe_.column_of_feature
        columns = np.unique(columns[used], return_inverse=True)[1]
        if self.scale == "standard":  # near copies share the weight of one column
            columns, copies = copy_groups(rows, columns)
            self.scale_[used] *= np.sqrt(copies)
            rows = rows / np.sqrt(copies)
        prepared = prepare_rows(rows, columns)
        self._rows, self._gaussian = prepared.rows, prepared.gaussian
        self._row_indices, self._training = subsample[prepared.order], TrainingRows(prepared.rows)
        return prepared

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
        blocks = (estimators.scaled(self, Y[rows]) for rows in row_blocks(n))
        order = canonical_order(map(np.nan_to_num, blocks))
        return np.sort(order[random_state.permutation(n)[: self.max_rows]])

    def _chosen_number(self, prepared: PreparedRows, numbers: list[int]) -> int:
        """Return the number of clusters, and set `selection_` if it was open."""
        self.selection_ = None
        if len(numbers) == 1:
            return numbers[0]
        groups = prepared.search.groups
        if groups is not None and (self.n_clusters == "auto" or groups.number in numbers):
            row = {"n_clusters": groups.number, "evidence": groups.evidence}
            self.selection_ = pd.DataFrame([row | {"score": groups.score}])
            return groups.number
        chosen, tried = choose_number(prepared.rows, numbers, prepared.shared)
        self.selection_ = pd.DataFrame(tried)
        return chosen

    def _fitted_map(
        self,
        prepared: PreparedRows,
        chart: Array | None,
        labels: Indices,
        random_state: np.random.RandomState,
        threads: Workers,
    ) -> FittedMap:
        rows, q = prepared.rows, self.n_components
        if not isinstance(q, Integral):
            q = dimensions_for(rows, q)
        q = min(int(q), rows.shape[1], len(rows) - 1)
        seed = int(random_state.randint(np.iinfo(np.int32).max))
        plain = self._clusters.without_refits
        weights = plain.map_weights(plain.training_probabilities(self._training))
        points, n_inducing = self._start(rows, chart, q)
        start = start_map(points, n_inducing, seed)
        return fit_map(
            MapFitter(rows, prepared.mask, weights, start, threads),
            self.max_iter,
            self.optimizer_steps,
            self.tol,
            lambda i, bound: estimators.report_iteration(self, i, bound, labels),
        )

    def _start(self, rows: Array, chart: Array | None, q: int) -> tuple[Array, int]:
        """Return latent points and the number of inducing inputs at the start of the map.

        If the map of the neighbours has shown the clusters, the latent points start on it, and
        every cluster has a few inducing inputs, which keep its shape.
        """
        if chart is None or q != chart.shape[1]:
            return principal_components(rows, q), self.n_inducing
        n_inducing = max(self.n_inducing, SHEET_INDUCING * self._clusters.n_clusters)
        return (chart - chart.mean(axis=0)) / chart.std(), n_inducing

    def _set_rows(self, Y: Array, threads: Workers) -> None:
        """Set the results of all rows Y (N, F)."""
        n, fitted, parts = len(Y), self._row_indices, []
        report = getattr(self.callback, "assigned", None) if len(fitted) < n else None
        if len(fitted) < n:
            estimators.report_step(self, "clusters of the remaining rows")
        for rows in row_blocks(n):
            block = estimators.scaled(self, Y[rows])
            parts += estimators.in_parts(block, self._locate, self._rows_at_once, threads)
            if report is not None:
                report(rows.stop, n)
        X, variances, S, self.log_density_ = estimators.joined(parts)
        p = self._map.parameters
        X[fitted], variances[fitted] = p.mu, np.exp(p.log_s)
        S[fitted] = self._clusters.training_probabilities(self._training)
        self.embedding_, self.embedding_variances_, self.responsibilities_ = X, variances, S

    def _derive(self) -> None:
        """Set the attributes that follow from the fitted map."""
        p, mixture = self._map.parameters, self._map.mixture
        self.weights_ = self._clusters.weights
        self.means_, self.covariances_ = mixture.means, mixture.covariances
        self.inducing_points_ = p.Z
        self.noise_variances_ = np.where(self.scale_ > 0, np.exp(p.log_noise[0]), 0.0)
        self.lower_bounds_ = np.asarray(self._map.bounds).tolist()
        self.lower_bound_, self.n_iter_ = self.lower_bounds_[-1], len(self.lower_bounds_)
        self.converged_ = self._map.converged
        self.no_clusters_ = self.selection_ is not None and len(self.weights_) == 1

    def _imputed(self, Y: Array) -> Array:
        """Return scaled rows with missing values filled in."""
        if not np.isnan(Y).any():
            return Y
        # Without missing values in training, only the column means are known: zero.
        return np.nan_to_num(Y) if self._gaussian is None else impute(self._gaussian, Y)

    def _probabilities(self, Y: Array) -> Array:
        """Return the cluster probabilities of scaled rows (n, P)."""
        return self._clusters.probabilities(self._imputed(Y), self._training)

    def _locate(self, Y: Array) -> tuple[Any, ...]:
        """Return points, variances, probabilities and log densities.

        A row that equals a training row up to rounding is replaced by the training row.
        """
        training, clusters, mask = self._training, self._clusters, np.isnan(Y)
        Y = self._imputed(Y)
        nearest = training.closest(Y)
        equal = training.equal(Y, nearest)
        Y = np.where(equal[:, None], training.rows[nearest], Y)
        S = plain = clusters.without_refits.probabilities(Y, training)
        if clusters.refits is not None:
            S = clusters.probabilities(Y, training)
        r = clusters.map_weights(plain)
        mu, s, log_density = locate(self._map, Y, r, nearest, equal, mask)
        # r is a variational distribution, so its divergence from the cluster weights is subtracted.
        divergence = np.sum(rel_entr(r, np.maximum(clusters.weights, 1e-12)), axis=1)
        return mu, s, S, log_density - divergence

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
