"""The paper's model as a scikit-learn estimator."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli import estimators
from sgpmic_cli._typing import Array, PathLike, Table
from sgpmic_cli.errors import UsageError, warn_caller
from sgpmic_cli.estimators import (
    Amount,
    Callback,
    Count,
    Dimensions,
    Flag,
    Jobs,
    Memory,
    Positive,
    Verbose,
    check_clusters,
    check_dimensions,
    check_parameters,
)
from sgpmic_cli.gp import dimensions_for
from sgpmic_cli.model_file import save_model
from sgpmic_cli.paper.isomap import Parts, isomap
from sgpmic_cli.paper.model.bound import ACTIVE, Bound, Observed, Parameters, observe
from sgpmic_cli.paper.model.em import NEGLIGIBLE_IN_ITERATIONS, Fit, start, train
from sgpmic_cli.paper.model.kernels import KERNELS, named
from sgpmic_cli.paper.model.mixture import CovarianceType, mixture
from sgpmic_cli.paper.model.row_assigner import RowAssigner
from sgpmic_cli.row_blocks import ALONE, Workers
from sgpmic_cli.scaling import Scale
from sgpmic_cli.tables.rows import RowResults, Rows

MIN_FLOOR = 1e-8  # smaller covariances cost the bound its digits; latent points have unit variance
COINCIDENT = 0.02  # of the spread of the latent points: closer means are equal
ROW_ARRAYS = ("responsibilities_", "embedding_")
ATTRIBUTES = ("inducing_points_", "weights_", "means_", "covariances_", "offset_", "scale_")
# The arrays of a model file. The names of attributes end with "_".
ARRAYS = (*ROW_ARRAYS, *ATTRIBUTES, "lower_bounds_", "rows", "theta", "log_beta")


@dataclass(eq=False, repr=False)
class SGPMIC(estimators.RowClusterer):
    """Mixture of sparse Gaussian-process latent variable models, as in the paper.

    Latent points and clusters are learned together. The paper's Algorithm 1 leaves open the form
    and the start of the covariances C_m, the start of the responsibilities, and the numbers of
    iterations and of steps. The defaults here are for the user's own data. The settings of the
    reproduced table, and those closest to the text, are the protocols ``as-run`` and ``as-stated``
    of the benchmark. The result depends on the order of the rows, in which the start draws random
    numbers, and on that of the columns, which changes the last digits of sums.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters M.
    n_components : int or float, default=2
        Number of latent dimensions Q. A float in (0, 1) selects the smallest number of principal
        components that explains this fraction of the variance, as in the paper.
    kernel : {"rbf", "ard", "linear"}, default="rbf"
        Kernel of the Gaussian processes; "ard" has an inverse width for each latent dimension.
    n_inducing : int, default=50
        Number of inducing inputs K, shared by all clusters; at most the number of rows.
    covariance_type : {"spherical", "diag", "tied", "full"}, default="spherical"
        Form of the latent covariances C_m.
    covariance_floor : float, default=0.03
        Smallest eigenvalue of C_m; without it the bound has no maximum. With `prior_by_gradient`
        it applies to the start only.
    center : bool, default=True
        Whether to subtract the column means.
    scale : {"none", "global", "standard"}, default="standard"
        "global" divides by one factor, so that the mean variance of the columns is one. "standard"
        scales each column to unit variance.
    kernel_start : float, default=0.5
        Factor of the paper's starting values of kernel variance, bias and white (1, e^-2, e^-2).
    start_sharpness : float, default=1.0
        Exponent of the fuzzy c-means memberships whose covariances start C_m. Larger values start
        narrower clusters.
    max_iter, tol : int, default=1, and float, default=0.0
        Maximum number of EM iterations; more can destroy clusters. They stop when the bound changes
        by less than `tol` of it.
    optimizer, optimizer_steps : {"lbfgs", "scg"}, default="lbfgs", and int, default=3
        Optimiser of the M-step, where "scg" is the paper's scaled conjugate gradients, and steps.
    prior_by_gradient : bool, default=False
        Whether gradient steps move the means and C_m, as in the paper, instead of closed forms.
        It needs ``covariance_type="full"``.
    white_everywhere : bool, default=False
        Whether to add the white variance to every covariance, as the paper prints it, instead of
        only to the diagonal of K_uu.
    learn_weights, learn_noise : bool, default=False
        Whether to learn the weights pi_m and the noise precision, as in the paper, or to keep them
        at 1/M and at 4 / mean variance.
    isomap_components : {"auto", "largest", "joined"}, default="auto"
        Treatment of a neighbour graph with several components in the ISOMAP start. "largest"
        embeds the largest one and puts all other rows at one point, which gives the printed
        numbers. "joined" connects the components. "auto" is "largest" if it has more than half of
        the rows, and "joined" otherwise.
    n_init : int, default=1
        Number of starts; the fit with the highest bound is kept.
    memory : None, str, path-like or joblib.Memory, default=None
        Cache of the ISOMAP coordinates.
    n_jobs : int, default=None
        Number of threads: None is one, -1 is all cores. The result does not depend on it.
    verbose : bool or int, default=False
        Whether to print the steps of a fit and the bound after every iteration.
    callback : callable, default=None
        Called as ``callback(iteration, bound, labels)`` after every iteration. If it has a method
        `started`, that is called as ``callback.started(step)`` when a step of the fit begins.
    random_state : int, RandomState instance or None, default=None
        Seed of fuzzy c-means and the inducing inputs.

    Attributes
    ----------
    labels_, responsibilities_ : ndarray of shape (n_samples,), (n_samples, M)
        Cluster of each row, and the responsibilities of the E-step, which are nearly all 0 or 1.
        `predict_proba` is the mean of those of the ten nearest other rows.
    embedding_ : ndarray of shape (n_samples, Q)
        Latent points.
    n_clusters_, n_components_ : int
        M and Q.
    cluster_sizes_, certainty_ : ndarray of shape (M,)
        Number of rows of each cluster, and the mean of their responsibilities.
    overlapping_pairs_, small_clusters_, empty_clusters_ : list
        Pairs of clusters that share their rows, clusters with very few rows, clusters without rows.
    weights_, means_, covariances_ : ndarray of shape (M,), (M, Q), (M, Q, Q)
        The mixture prior of the latent points.
    inducing_points_, kernel_params_ : ndarray of shape (K, Q), list of dict
        Inducing inputs, and the kernel parameters of each cluster.
    offset_, scale_, noise_variances_ : ndarray of shape (n_features,)
        The model sees (X - offset_) / scale_, with the noise variance 1/beta.
    selection_, no_clusters_
        None and False: this model does not choose the number of clusters.
    lower_bound_, lower_bounds_ : float, list of float
        The bound at the end, and after every E-step and M-step.
    n_iter_, converged_, best_start_ : int, bool, int
        Number of EM iterations, whether `tol` ended them, and the start that was kept, from 0.
    jitter_ : float
        Largest jitter on the diagonal of a covariance matrix, usually 0.

    References
    ----------
    .. [1] Z. Moslehi, A. Mirzaei and M. Safayani, "Clustering based on Mixtures of Sparse Gaussian
       Processes", arXiv:2303.13665, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from sgpmic_cli import SGPMIC
    >>> X, y = make_blobs(n_samples=60, centers=[[0] * 5, [9] * 5, [-9] * 5], random_state=0)
    >>> model = SGPMIC(n_clusters=3, n_components=2, n_inducing=20, random_state=0).fit(X)
    >>> model.embedding_.shape
    (60, 2)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    n_clusters: Count = 2
    n_components: Dimensions = 2
    _: KW_ONLY
    kernel: Literal["rbf", "ard", "linear"] = "rbf"
    n_inducing: Count = 50
    covariance_type: CovarianceType = "spherical"
    covariance_floor: Annotated[float, Interval(Real, MIN_FLOOR, None, closed="left")] = 0.03
    center: Flag = True
    scale: Scale = "standard"
    kernel_start: Positive = 0.5
    start_sharpness: Positive = 1.0
    max_iter: Count = 1
    tol: Amount = 0.0
    optimizer: Literal["lbfgs", "scg"] = "lbfgs"
    optimizer_steps: Count = 3
    prior_by_gradient: Flag = False
    white_everywhere: Flag = False
    learn_weights: Flag = False
    learn_noise: Flag = False
    isomap_components: Parts = "auto"
    n_init: Count = 1
    memory: Memory = None
    n_jobs: Jobs = None
    verbose: Verbose = False
    callback: Callback = None
    random_state: int | np.random.RandomState | None = None

    # What the iterations leave out: responsibilities below a fraction of the largest one of a row,
    # and rows of a component below a responsibility. Figure 6 leaves out nothing.
    _negligible = NEGLIGIBLE_IN_ITERATIONS
    _active = ACTIVE
    _experts = True  # the E-step has the likelihood of the Gaussian processes
    updates: ClassVar = ("E", "M")  # steps of an iteration, each with a bound
    _rows_at_once: ClassVar[int] = 256  # that one thread locates together

    def fit(self, X: Table | Rows, y: Any = None) -> Self:
        """Fit the model to rows X (n_samples, n_features); y is ignored."""
        check_parameters(self)
        Y = estimators.training_rows(self, X)
        for name in ("_training", "unusual_below_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        with estimators.fitting_threads(self.n_jobs) as threads:
            self._fit_rows(Y, threads)
        estimators.set_results(self, ROW_ARRAYS)
        spread = np.sqrt(self._assigner.p.X.var(axis=0).sum())
        apart = np.ptp(self.means_, axis=0).max() >= COINCIDENT * spread
        if not apart and min(self.n_clusters, self.n_components_) > 1:
            warn_caller(
                "all clusters have nearly the same centre, so the labels are unreliable: use fewer "
                f"than {self.n_components_} latent dimensions."
            )
        else:
            estimators.warn_of_doubts(self)
        return self

    def save(self, path: PathLike) -> None:
        """Write the fitted model to the file `path`, whole or not at all, without pickle."""
        check_is_fitted(self)
        p = self._assigner.p
        arrays = {name: getattr(self, name) for name in ARRAYS if name.endswith("_")}
        arrays |= {"theta": p.theta, "log_beta": np.array([p.log_beta]), "rows": self._assigner.Y}
        values = {name: getattr(self, name) for name in ("converged_", "jitter_", "best_start_")}
        save_model(self, path, values, arrays)

    def _restore(self, arrays: Mapping[str, Array], every_row: bool) -> None:
        """Set the attributes that `save` wrote as arrays, and what follows from them."""
        found = {name: arrays[name] for name in ARRAYS}
        self.offset_, self.scale_ = found["offset_"], found["scale_"]
        S, X = (np.delete(found[name], self._left_out, axis=0) for name in ROW_ARRAYS)
        prior = mixture(found["weights_"], found["means_"], found["covariances_"])
        Z, theta, log_beta = found["inducing_points_"], found["theta"], float(found["log_beta"][0])
        p = Parameters(X, Z, theta, log_beta, prior, self.white_everywhere)
        bounds = found["lower_bounds_"].tolist()
        self._keep(Fit(p, S, bounds, self.converged_, self.jitter_), found["rows"])
        estimators.set_results(self, ROW_ARRAYS)

    def _fit_rows(self, Y: Array, threads: Workers) -> None:
        if self.prior_by_gradient and self.covariance_type != "full":
            raise UsageError(
                "prior_by_gradient=True needs covariance_type='full', not "
                f"{self.covariance_type!r}: its steps move every element of C."
            )
        check_clusters(self.n_clusters, Y)
        random_state = check_random_state(self.random_state)
        estimators.scale_columns(self, Y, center=self.center)
        scaled = (Y - self.offset_) / self.scale_
        # Only "standard" scaling changes neighbours and explained variances, so the start uses Y.
        shaped = Y / self.scale_ if self.scale == "standard" else Y
        q = self.n_components
        if not isinstance(q, Integral):
            q = dimensions_for(shaped, q)
        check_dimensions(q, Y)
        if self.n_inducing > len(Y):
            warn_caller(
                f"n_inducing={self.n_inducing} is more than the {len(Y)} rows; {len(Y)} are used."
            )
        estimators.report_step(self, "ISOMAP")
        X = isomap(shaped, int(q), parts=self.isomap_components, memory=self.memory)
        data, kernel, fits = observe(scaled), KERNELS[self.kernel], []
        for seed in random_state.randint(np.iinfo(np.int32).max, size=self.n_init):
            estimators.report_step(self, "fuzzy c-means")
            parameters, S = start(self, kernel, X, scaled, check_random_state(int(seed)))
            fits.append(train(self, kernel, data, parameters, S, threads))
        self.best_start_ = int(np.argmax([fit.bounds[-1] for fit in fits]))
        self._keep(fits[self.best_start_], scaled)

    def _keep(self, fit: Fit, scaled: Array) -> None:
        """Set the fitted attributes, and prepare `predict`."""
        p, S = fit.parameters, fit.S
        self.responsibilities_, self.embedding_, self.inducing_points_ = S, p.X, p.Z
        self.weights_, self.means_, self.covariances_ = p.prior[:3]
        self.lower_bound_, self.lower_bounds_ = fit.bounds[-1], fit.bounds
        self.n_iter_ = len(fit.bounds) // 2  # two of every iteration, and one at the end
        self.converged_, self.jitter_ = fit.converged, fit.jitter
        self.n_components_ = p.X.shape[1]
        self.noise_variances_ = np.full(scaled.shape[1], 1.0 / p.beta)
        self.kernel_params_ = [named(row) for row in p.theta]
        self.selection_, self.no_clusters_ = None, False
        data = Observed(scaled, scaled.shape[1], np.einsum("np,np->n", scaled, scaled))
        _, factors = Bound(KERNELS[self.kernel], data, S).value(p)
        self._assigner = RowAssigner(KERNELS[self.kernel], p, factors, scaled, S)

    def _locate(self, rows: Array) -> tuple[Array, ...]:
        """Return points, variances, probabilities and log densities of scaled rows."""
        return self._assigner.assign(rows)

    @property
    def training_results(self) -> RowResults:
        """The results of the training rows."""
        check_is_fitted(self)
        return self._row_results(self.embedding_, *self._training[1:])

    @cached_property
    def _training(self) -> list[Array]:
        """What `_locate` returns, for the training rows."""
        parts = estimators.in_parts(self._assigner.Y, self._locate, self._rows_at_once, ALONE)
        return [estimators.with_left_out(each, self._left_out) for each in estimators.joined(parts)]

    @cached_property
    def unusual_below_(self) -> float:
        """Log density below which a row is unusual."""
        return estimators.unusual_below(self._training[3])


class WithoutExperts(SGPMIC):
    """The null model whose E-step leaves out the likelihood of the Gaussian processes.

    They move the latent points only.
    """

    _experts = False
