"""The default model as a scikit-learn estimator.

The clusters come from a consensus of base clusterings or from a spanning tree (`clusters/`). The
Gaussian process does not decide them. It learns the map of the rows, given the probabilities of the
clusters (`latent/`).
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.model import fitted_model
from sgpmic_cli.clustering.model.clusters.base_clusterings import (
    NAMED,
    Consensus,
    named_clustering,
    refit,
)
from sgpmic_cli.clustering.model.clusters.cluster_number import (
    Selection,
    Tried,
    choose_number,
)
from sgpmic_cli.clustering.model.clusters.cluster_space import (
    ClusterSpace,
    SharedDimensions,
    shared_dimensions,
    used_features,
)
from sgpmic_cli.clustering.model.clusters.discrete_columns import discrete_features
from sgpmic_cli.clustering.model.clusters.islands import surviving_groups
from sgpmic_cli.clustering.model.clusters.missing_values import fit_gaussian, impute
from sgpmic_cli.clustering.model.clusters.probabilities import ClusterModel
from sgpmic_cli.clustering.model.clusters.verdicts import (
    Verdict,
    continuous_columns,
    judge_clusters,
)
from sgpmic_cli.clustering.model.fitted_model import FittedModel
from sgpmic_cli.clustering.model.map.backend import DEVICES, choose_backend
from sgpmic_cli.clustering.model.map.new_rows import TrainingRows, rows_at
from sgpmic_cli.clustering.model.map.training import FittedMap, MapFitter, Progress, start, train
from sgpmic_cli.clustering.model.near_copies import copy_groups
from sgpmic_cli.errors import UsageError, warn_caller
from sgpmic_cli.estimator_base import storage
from sgpmic_cli.estimator_base.clusterer import (
    AUTO,
    either,
    fraction,
    interval,
    one_of,
    whole,
)
from sgpmic_cli.estimator_base.latent_clusterer import SHARED_RULES, LatentClusterer
from sgpmic_cli.estimator_base.prediction import Located, warn_about
from sgpmic_cli.estimator_base.scaling import Scale, canonical_order, distinct_rows
from sgpmic_cli.gp.pca import dimensions_for
from sgpmic_cli.row_blocks import Workers, row_blocks
from sgpmic_cli.tables.recipe import typed

MOST_CLUSTERS = 15  # tried by n_clusters="auto"
DIMENSIONS = (1, 2, 3, 5)  # tried by n_components="auto"
TRIAL_ITERATIONS = 5  # of a fit that ranks a number of dimensions
FAR = 1e100  # latent coordinates beyond it have the same rows, and their squares overflow
RULES = {
    **SHARED_RULES,
    "n_clusters": either(either(whole(), AUTO), interval()),
    "n_components": either(either(whole(), fraction()), AUTO),
    "n_resamples": whole(0),
    "max_rows": whole(2),
    "device": one_of(*DEVICES),
}


@dataclass(eq=False, repr=False)
class SGPMIC(LatentClusterer):
    """An estimator that clusters the rows of a table and maps them to a latent space.

    The clusters are the consensus of several base clusterings, or the parts of a spanning tree if
    gaps separate them. The label of a row is its largest probability, the mean of the posteriors of
    the base clusterings; the labels of the nearest rows give it if gaps separate the clusters. The
    map is the latent space of one sparse
    Gaussian process that all clusters share. It has a Gaussian distribution for every row and a
    Gaussian mixture as prior, so rows of one cluster lie together as far as they are known to
    belong together. The paper's own model is `PaperSGPMIC`.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default="auto"
        Number of clusters M. "auto" chooses among 1 to 15, and at most a tenth of the rows; if 15
        is the best, it goes on to 30. A pair chooses among the numbers from the first to the
        second. `selection_` has the evidence. The number does not depend on `random_state`.
    n_components : int, float or "auto", default=2
        Number of latent dimensions Q, at most the number of columns. A float in (0, 1) selects the
        smallest number of principal components that explains this fraction of the variance. "auto"
        takes the one of 1, 2, 3 and 5 with the highest bound after a few iterations.
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
    n_resamples : int, default=0
        Number of refits of the base clusterings to random halves of the rows. Probabilities are
        then the mean over the refits, unless gaps separate the clusters. `stability_` says how
        well refits find the clusters again. `sgpmic fit` makes 8.
    max_rows : int, default=10000
        If there are more rows than this, fit a random subsample of this size and assign the
        remaining rows with `predict`.
    n_jobs : int, default=None
        Number of threads. None is one, -1 uses all cores. The result does not depend on it.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the map is fitted: NumPy on the processor or PyTorch on a GPU (``pip install
        'sgpmic[gpu]'``). "auto" uses a GPU if there is one and the rows are many.
    verbose : bool or int, default=False
        Whether to print the steps of a fit and the bound after every iteration.
    callback : callable, default=None
        Called as callback(iteration, bound, labels) after every iteration, with the labels of the
        rows that are fitted, which do not change. If it has a method `started`, that is called as
        callback.started(step) when a step of the fit begins. If it has a method `assigned`, that is
        called as callback.assigned(rows_so_far, n_samples) while rows beyond `max_rows` are
        assigned.
    random_state : int, RandomState instance or None, default=None
        Seed of the base clusterings and of subsamples.

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
    selection_ : list of dict or None
        Evidence for each number of clusters that was tried. `plausible` is True for the chosen
        number and for those that are nearly as good.
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
        halves of the rows and fits without a column show again. They do not depend on the number
        of clusters, and clusters can be slices of them.
    group_depths_ : list of float
        For each group, the density in the shallowest valley around it relative to the lower peak.
    overlapping_pairs_, small_clusters_, empty_clusters_ : list
        Pairs of clusters that share their rows, clusters of a few rows, clusters without rows.
    log_density_ : ndarray of shape (n_samples,)
        Lower bound on the log density of each row in the scaled columns. Model files leave it out.
    unusual_below_ : float
        Log density below which `prediction` calls a row unusual.
    weights_, means_, covariances_ : ndarray of shape (M,), (M, Q), (M, Q, Q)
        The mixture over the latent space.
    inducing_points_ : ndarray of shape (K, Q)
        Inducing inputs.
    kernel_params_ : list of dict
        Variance and inverse squared widths of the RBF part, and variance of the linear part.
    encoder_ : TableEncoder or None
        Fitted encoder of the data frame, which makes F features of its columns. None if X was an
        array, whose columns are the features.
    noise_variances_ : ndarray of shape (F,)
        Variance of the noise in the scaled features.
    offset_, scale_ : ndarray of shape (F,)
        The model sees (features - offset_) / scale_. Constant features have the scale 0 and are
        left out.
    lower_bound_ : float
        The bound at the end; `lower_bounds_` has it after every iteration.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether `tol` was reached.
    n_features_in_, feature_names_in_
        Number of columns of X in `fit`, and their names if they had any.

    Notes
    -----
    There is no `sample_weight`: the Gaussian mixtures and the spanning tree of the consensus are
    not defined for weighted rows.

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
    >>> from sgpmic import SGPMIC
    >>> X, y = make_blobs(n_samples=60, centers=[[0] * 5, [9] * 5, [-9] * 5], random_state=0)
    >>> model = SGPMIC(n_clusters=3, random_state=0).fit(X)
    >>> model.embedding_.shape
    (60, 2)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    n_clusters: Any = "auto"
    n_components: Any = 2
    _: KW_ONLY
    scale: Scale = "standard"
    init: Any = "consensus"
    n_inducing: int = 15
    max_iter: int = 10
    optimizer_steps: int = 10
    tol: float = 0.02
    n_resamples: int = 0
    max_rows: int = 10_000
    n_jobs: int | None = None
    device: str = "cpu"
    verbose: bool | int = False
    callback: Callable[[int, float, Indices], None] | None = None
    random_state: int | np.random.RandomState | None = None

    _rules = RULES
    _kind = "shared-process"
    _rows_at_once = 4096

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return the rows that the model expects at latent points.

        Parameters
        ----------
        X : array-like of shape (n_points, Q)
            Latent points.

        Returns
        -------
        rows : ndarray of shape (n_points, F)
            Mean of the process at the points, as features.
        """
        check_is_fitted(self)
        points, q = np.atleast_2d(np.asarray(X, dtype=np.float64)), self.embedding_.shape[1]
        if points.ndim != 2 or points.shape[1] != q or not np.isfinite(points).all():
            raise UsageError(f"X must be finite latent points of shape (n, {q}).")
        points = np.clip(points, -FAR, FAR)
        return self._unscaled(rows_at(self._fitted.map, points))

    def sample(
        self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None
    ) -> tuple[Array, Indices]:
        """Draw rows from the fitted model.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState instance or None, default=None
            Seed.

        Returns
        -------
        X : ndarray of shape (n_samples, F)
            Rows, as features.
        y : ndarray of shape (n_samples,)
            Their clusters.
        """
        check_is_fitted(self)
        if not whole(0).holds(n_samples):
            raise UsageError(f"n_samples must be {whole(0).wanted}, not {n_samples!r}.")
        rng = check_random_state(random_state)
        labels = np.sort(rng.choice(self.n_clusters_, size=n_samples, p=self.weights_))
        factors = np.linalg.cholesky(self.covariances_)[labels]
        normal = rng.standard_normal((n_samples, self.embedding_.shape[1], 1))
        points = self.means_[labels] + (factors @ normal)[:, :, 0]
        rows = rows_at(self._fitted.map, points)
        deviation = np.exp(0.5 * self._fitted.map.parameters.log_noise[0])
        return self._unscaled(rows + deviation * rng.standard_normal(rows.shape)), labels

    def _unscaled(self, scaled: Array) -> Array:
        rows = np.tile(self.offset_, (len(scaled), 1))
        rows[:, self.scale_ > 0] += self.scale_[self.scale_ > 0] * scaled
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # How `fit` goes: scale, subsample, impute, order, choose the number of clusters, find the
    # clusters and their probabilities, fit the map, assign the rows beyond the subsample.

    def _fit_rows(self, Y: Array, threads: Workers) -> None:
        candidates = self._candidates(Y)
        random_state = check_random_state(self.random_state)
        self._set_scaling(Y, use_constant=False)
        self._warn_of_constant_columns()
        subsample = self._subsample(Y, random_state)
        rows, columns = self._scaled(Y[subsample]), self._used_columns
        if self.scale == "standard":  # near copies share the weight of one column
            columns, copies = copy_groups(rows, columns)
            self.scale_[self.scale_ > 0] *= np.sqrt(copies)
            rows = rows / np.sqrt(copies)
        discrete = discrete_features(rows, columns)
        used = used_features(rows, discrete, columns)
        missing = np.isnan(rows)
        gaussian = fit_gaussian(rows, used) if missing.any() else None
        if gaussian is not None:
            rows = impute(gaussian, rows)
        order = canonical_order([rows])
        rows, row_indices = rows[order], subsample[order]
        mask = None if gaussian is None else missing[order]
        # The number of clusters depends on the table and not on `random_state`.
        shared = shared_dimensions(rows, discrete, used, columns, np.random.RandomState(0))
        m, self.selection_ = candidates[0], None
        if len(candidates) > 1:
            m, tried = self._choose_number(
                rows, shared, candidates, distinct_rows(Y, 2 * MOST_CLUSTERS)
            )
            self.selection_ = [{**row} for row in tried]
        self._report_step("clusters")
        space = ClusterSpace.of(rows, shared, m)
        found = self._consensus(space, row_indices, len(Y), m, random_state)
        training = TrainingRows(rows)
        clusters = self._clusters(space, found, random_state)
        without_refits = clusters.without_refits.training_probabilities(training)
        weights = clusters.map_weights(without_refits)
        S = without_refits if clusters.refits is None else clusters.training_probabilities(training)
        inverse_order = np.argsort(order, kind="stable")
        self._report_step("map")
        labels = found.labels[inverse_order]
        fitted_map = self._fit_map(rows, mask, weights, labels, random_state, threads)
        self._fitted = FittedModel(fitted_map, clusters, training, gaussian)
        p = fitted_map.parameters
        self.responsibilities_ = S[inverse_order]
        self.consensus_ = found.fractions[inverse_order]
        self.embedding_ = p.mu[inverse_order]
        self.embedding_variances_ = np.exp(p.log_s)[inverse_order]
        self.base_clusterings_ = found.names
        # Verdicts depend on the table and not on `random_state`.
        continuous = continuous_columns(rows)
        verdicts = judge_clusters(continuous, found.labels, clusters.n_clusters)
        self.verdicts_ = [verdict._asdict() for verdict in verdicts]
        groups = surviving_groups(continuous, found.labels, [p.mu])
        self.groups_, self.group_depths_ = groups.labels[inverse_order], groups.depths
        if len(subsample) < len(Y):
            self._report_step("clusters of the remaining rows")
            self._assign_all(Y, groups.labels, threads)
        else:
            located = self._map_block(self._scaled(Y), self._located, threads)
            self.log_density_ = Located.joined(located).log_density
        self._derive()
        warn_about(self._diagnose())

    @property
    def _used_columns(self) -> Indices:
        """The column of each feature that is not constant, 0, 1, ... in ascending order."""
        encoder = getattr(self, "encoder_", None)
        columns = np.arange(self.n_features_in_)
        if encoder is not None:
            columns = encoder.recipe_.column_of_feature
        return np.unique(columns[self.scale_ > 0], return_inverse=True)[1]

    def _warn_of_constant_columns(self) -> None:
        constant = np.flatnonzero(self.scale_ == 0)
        if len(constant):
            names = np.arange(1, len(self.scale_) + 1)
            if self.encoder_ is not None:
                names = self.encoder_.get_feature_names_out()
            shown = ", ".join(map(str, names[constant[:5]])) + ", ..." * (len(constant) > 5)
            warn_caller(f"Constant or empty columns are left out: {len(constant)} ({shown}).")

    def _candidates(self, Y: Array) -> list[int]:
        """Return the numbers of clusters to choose from."""
        if isinstance(self.n_clusters, str):
            low, high = 1, min(distinct_rows(Y, MOST_CLUSTERS), max(2, len(Y) // 10))
        elif isinstance(self.n_clusters, Integral):
            low = high = int(self.n_clusters)
        else:
            low, high = self.n_clusters
        if not isinstance(self.init, str):
            given = self._given_memberships(len(Y)).shape[1]
            if not isinstance(self.n_clusters, str) and not low <= given <= high:
                raise UsageError(
                    f"init has {given} clusters, which n_clusters={self.n_clusters} excludes."
                )
            return [given]
        if high > (distinct := distinct_rows(Y, high)):
            raise UsageError(
                f"n_clusters={high} needs at least that many distinct rows; there are {distinct}."
            )
        return list(range(low, high + 1))

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

    def _choose_number(
        self, rows: Array, shared: SharedDimensions | None, candidates: list[int], most: int
    ) -> Selection:
        """Choose the number of clusters. If "auto" reaches the limit of the search, go on once."""
        self._report_step(f"number of clusters, from {candidates[0]} to {candidates[-1]}")
        found = choose_number(rows, candidates, shared)
        if found.chosen < MOST_CLUSTERS or not isinstance(self.n_clusters, str):
            return found
        candidates = list(range(1, min(2 * MOST_CLUSTERS, most, len(rows) // 10) + 1))
        if candidates[-1] > MOST_CLUSTERS:
            self._report_step(f"number of clusters, up to {candidates[-1]}")
            found = choose_number(rows, candidates, shared)
        if found.chosen == candidates[-1]:
            warn_caller(
                f"The number of clusters, {found.chosen}, is the largest that was tried: more "
                "clusters may describe these data better, or the data form a continuum."
            )
        return found

    def _consensus(
        self,
        space: ClusterSpace,
        row_indices: Indices,
        n: int,
        n_clusters: int,
        random_state: np.random.RandomState,
    ) -> Consensus:
        seed = int(random_state.randint(np.iinfo(np.int32).max))
        if not isinstance(self.init, str):
            S = self._given_memberships(n)[row_indices]
            return Consensus(S.argmax(axis=1), [S], ("given",))
        if self.init == "consensus":
            return space.consensus(n_clusters)
        if self.init in NAMED:
            return named_clustering(self.init, space.rows, n_clusters, seed)
        names = ", ".join(map(repr, ("consensus", *NAMED)))
        raise UsageError(f"init must be one of {names}, labels or probabilities.")

    def _given_memberships(self, n: int) -> Array:
        """Return the labels or probabilities in `init` of the n rows with values, (n, M)."""
        given = np.asarray(self.init)
        n_samples = n + len(self._left_out)
        if given.ndim not in (1, 2) or len(given) != n_samples:
            raise UsageError(
                f"init must have one entry for each of the {n_samples} rows, not shape "
                f"{given.shape}."
            )
        if np.ma.is_masked(self.init) or (given.ndim == 1 and pd.isna(given).any()):
            raise UsageError("init must have an entry for every row; it has missing values.")
        given = np.delete(given, self._left_out, axis=0)
        if given.ndim == 1:
            names, labels = np.unique(given, return_inverse=True)
            return np.eye(len(names))[labels]
        S = np.asarray(given, dtype=np.float64)
        if not np.isfinite(S).all() or (S < 0).any() or (S.sum(axis=1) <= 0).any():
            raise UsageError(
                "init must be probabilities: no negative numbers, and no row of zeros."
            )
        return S / S.sum(axis=1, keepdims=True)

    def _clusters(
        self, space: ClusterSpace, found: Consensus, random_state: np.random.RandomState
    ) -> ClusterModel:
        m = found.memberships[0].shape[1]
        self.stability_, refits = None, None
        if self.n_resamples and m > 1:
            refits, self.stability_ = refit(space.rows, found, self.n_resamples, random_state)
        posterior, refits = space.in_columns(found.posterior), space.in_columns(refits)
        return ClusterModel(found.labels, m, posterior, refits)

    def _fit_map(
        self,
        rows: Array,
        mask: BoolArray | None,
        weights: Array,
        labels: Indices,
        random_state: np.random.RandomState,
        threads: Workers,
    ) -> FittedMap:
        backend = choose_backend(self.device, len(rows))
        seed = int(random_state.randint(np.iinfo(np.int32).max))

        def progress(iteration: int, bound: float) -> None:
            self._report_iteration(iteration, bound, labels)

        def train_map(q: int, max_iter: int, report: Progress | None) -> FittedMap:
            parameters = start(rows, q, self.n_inducing, seed)
            fitter = MapFitter(rows, mask, weights, parameters, backend, threads)
            return train(fitter, max_iter, self.optimizer_steps, self.tol, report)

        most = min(rows.shape[1], len(rows) - 1)
        if isinstance(self.n_components, str):
            tried = [q for q in DIMENSIONS if q <= most]
            bounds = [train_map(q, TRIAL_ITERATIONS, None).bounds[-1] for q in tried]
            q = tried[int(np.argmax(bounds))]
        elif isinstance(self.n_components, Integral):
            q = min(int(self.n_components), most)
        else:
            q = min(dimensions_for(rows, self.n_components), most)
        return train_map(q, self.max_iter, progress)

    def _derive(self) -> None:
        """Set the attributes that follow from the fitted map."""
        fitted_map = self._fitted.map
        p, mixture = fitted_map.parameters, fitted_map.mixture
        self.weights_ = self._fitted.clusters.weights
        self.means_, self.covariances_ = mixture.means, mixture.covariances
        self.inducing_points_ = p.Z
        self.noise_variances_ = np.where(self.scale_ > 0, np.exp(p.log_noise[0]), 0.0)
        v, linear = float(np.exp(p.log_v[0])), float(np.exp(p.log_l[0]))
        self.kernel_params_ = [{"variance": v, "inverse_widths": np.exp(p.log_g), "linear": linear}]
        self.lower_bound_, self.lower_bounds_ = fitted_map.bounds[-1], list(fitted_map.bounds)
        self.n_iter_, self.converged_ = len(fitted_map.bounds), fitted_map.converged

    def _assign_all(self, Y: Array, groups: Indices, threads: Workers) -> None:
        """Assign every row, block by block, after a fit to a subsample."""
        m, q = self.responsibilities_.shape[1], self.embedding_.shape[1]
        S, mu, s = (np.empty((len(Y), width)) for width in (m, q, q))
        log_density, self.groups_ = np.empty(len(Y)), np.empty(len(Y), dtype=groups.dtype)
        report = getattr(self.callback, "assigned", None)
        for rows in row_blocks(len(Y)):
            scaled = self._scaled(Y[rows], rows.start)
            parts = self._map_block(scaled, self._located, threads)
            mu[rows], s[rows], S[rows], log_density[rows] = Located.joined(parts)
            self.groups_[rows] = groups[self._fitted.nearest(scaled)]
            if report is not None:
                report(rows.stop, len(Y))
        self.responsibilities_, self.embedding_, self.embedding_variances_ = S, mu, s
        self.log_density_ = log_density

    def _located(self, scaled: Array) -> Located:
        return self._fitted.locate(scaled)

    def _assigned(self, scaled: Array) -> Array:
        return self._fitted.probabilities(scaled)

    def _content(self) -> tuple[dict[str, Any], dict[str, Array]]:
        names = ("converged_", "base_clusterings_", "selection_", "verdicts_", "group_depths_")
        row_arrays = (
            *fitted_model.ROW_AXES,
            "groups_",
            "consensus_",
            "offset_",
            "scale_",
            "lower_bounds_",
        )
        arrays = {name: getattr(self, name) for name in row_arrays}
        values = {name: getattr(self, name) for name in names}
        values["stability_"] = None if self.stability_ is None else self.stability_.tolist()
        return values, {**arrays, **self._fitted.to_arrays()}

    def _restore(self, values: dict[str, Any], members: storage.Arrays, every_row: bool) -> None:
        arrays = fitted_model.checked_arrays(members, every_row=every_row)
        self._fitted = fitted_model.from_arrays(arrays, converged=typed(bool, values["converged_"]))
        self.offset_, self.scale_ = arrays["offset_"], arrays["scale_"]
        self.consensus_ = arrays["consensus_"]
        if every_row:
            for name in fitted_model.ROW_AXES:
                setattr(self, name, arrays[name])
            self.groups_ = arrays["groups_"].astype(np.intp)
        else:  # those of the fitted rows
            p = self._fitted.map.parameters
            self.embedding_, self.embedding_variances_ = p.mu, np.exp(p.log_s)
            self.responsibilities_ = self._fitted.probabilities(arrays["rows"])
        self._derive()
        n, m = len(arrays["rows"]), len(self.weights_)
        self.base_clusterings_ = typed(tuple[str, ...], values["base_clusterings_"])
        self.selection_ = typed(list[Tried] | None, values["selection_"])
        if self.selection_ is not None:
            numbers = {row["n_clusters"] for row in self.selection_}
            if m not in numbers or not numbers <= {*range(1, n + 1)}:
                raise ValueError("the numbers of clusters tried are impossible")
        verdicts: list[Verdict] = typed(list[Verdict], values["verdicts_"])
        if len(verdicts) != m or any(each.neighbour not in (None, *range(m)) for each in verdicts):
            raise ValueError("there is not one verdict for each cluster")
        self.verdicts_ = [verdict._asdict() for verdict in verdicts]
        self.group_depths_ = typed(list[float], values["group_depths_"])
        if every_row and self.groups_.max() >= len(self.group_depths_):
            raise ValueError("a group has no depth")
        stability = typed(list[float] | None, values["stability_"])
        self.stability_ = None if stability is None else np.array(stability)
        if self.stability_ is not None and self.stability_.shape != (m,):
            raise ValueError("the stability does not have one number for each cluster")
        self._diagnose()
