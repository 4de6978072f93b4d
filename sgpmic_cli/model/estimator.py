"""SGP-MIC as a scikit-learn estimator."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import PathLike
from sgpmic_cli.embeddings import dimensions_for
from sgpmic_cli.model import storage
from sgpmic_cli.model.bound import SAFE_RANGE, Bound, Observed, Parameters, observe
from sgpmic_cli.model.em import OPTIMIZERS, Fit, Schedule, train
from sgpmic_cli.model.kernels import LOG_LIMIT, RBF, Kernel, Linear, positive
from sgpmic_cli.model.mixture import mixture
from sgpmic_cli.model.placement import Placed, Placer
from sgpmic_cli.model.start import latent_start, start

SWITCHES = ("ard", "center", "learn_weights", "learn_noise", "reseed_dead")
RUNTIME = ("memory", "callback", "random_state")  # constructor arguments that do not describe the model
MIN_FLOOR = 1e-8  # narrower components than this, beside latent points of size one, cost the bound its digits


class SGPMIC(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Mixture of sparse Gaussian-process latent variable models: a latent space and clusters, learned together.

    Parameters
    ----------
    n_clusters : number of components M.
    n_components : latent dimensions Q, or a share of variance in (0, 1) from which Q follows by the paper's rule
        (the fewest principal axes of the raw data that hold it).
    kernel : "rbf" or "linear". `ard` gives the RBF an inverse width for each latent dimension.
    n_inducing : inducing inputs K, shared by all components; capped at the number of rows.
    covariance_type : form of the latent covariances C_m: "spherical", "diag", "tied" or "full".
    covariance_floor : smallest eigenvalue of C_m; without it the bound grows forever by contraction.
    center, scale : the model sees (Y - offset_) / scale_; scale is "none", "global" (one factor, mean variance one)
        or "standard" (each column to unit variance).
    kernel_start : factor on the paper's starting values of kernel variance, bias and white (1, e^-2, e^-2). With Y at
        mean variance one, 0.5 starts the processes at half the data's variance, and leaves the rest to the clusters.
        The paper's values as printed are scale="none" with kernel_start=1.
    max_iter : rounds of one E-step and one M-step. `tol` ends earlier when the bound moves by less, relative to itself.
    optimizer, optimizer_steps : "scg" or "lbfgs", and how many of its steps an M-step takes.
    learn_weights : let the weights pi_m follow the responsibilities. Off, they stay at 1/M, where the paper sets them.
    learn_noise : move the noise precision too. Off, it stays at 4 / mean variance, as the paper sets it.
    reseed_dead : throw the centre of a component that lost all points onto a random latent point.
    isomap_components : what the ISOMAP start does with data that fall apart at twelve neighbours: "largest" unrolls the
        largest part and puts all other rows at one place, as the paper's numbers need it; "joined" bridges the parts;
        "auto" takes the largest where it holds more than half of the rows, and bridges the parts where it does not.
    n_init : restarts from child seeds; the fit with the best bound is kept.
    memory : folder where ISOMAP coordinates are kept between fits of the same data.
    callback : called as callback(round, bound, labels) after every round.

    Attributes
    ----------
    labels_ (N,), responsibilities_ (N, M), embedding_ (N, Q), inducing_points_ (K, Q), weights_ (M,), means_ (M, Q),
    covariances_ (M, Q, Q), noise_precision_, kernel_params_ (a dict per component, natural units), offset_ (P,),
    scale_ (P,), lower_bound_, lower_bounds_ (one entry per E or M update), n_iter_, converged_, n_dead_components_,
    jitter_ (largest that a covariance needed; 0 as a rule), n_features_in_, feature_names_in_.
    """

    def __init__(
        self,
        n_clusters=2,
        n_components=2,
        *,
        kernel="rbf",
        ard=False,
        n_inducing=50,
        covariance_type="spherical",
        covariance_floor=0.03,
        center=True,
        scale="global",
        kernel_start=0.5,
        max_iter=20,
        tol=0.0,
        optimizer="lbfgs",
        optimizer_steps=3,
        learn_weights=False,
        learn_noise=False,
        reseed_dead=False,
        isomap_components="auto",
        n_init=1,
        memory=None,
        callback=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.kernel = kernel
        self.ard = ard
        self.n_inducing = n_inducing
        self.covariance_type = covariance_type
        self.covariance_floor = covariance_floor
        self.center = center
        self.scale = scale
        self.kernel_start = kernel_start
        self.max_iter = max_iter
        self.tol = tol
        self.optimizer = optimizer
        self.optimizer_steps = optimizer_steps
        self.learn_weights = learn_weights
        self.learn_noise = learn_noise
        self.reseed_dead = reseed_dead
        self.isomap_components = isomap_components
        self.n_init = n_init
        self.memory = memory
        self.callback = callback
        self.random_state = random_state

    def fit(self, Y, y=None):
        """Learn latent space and clusters of the rows of Y (N, P)."""
        self._check_parameters()
        Y = validate_data(self, Y, dtype=np.float64, order="C", ensure_min_samples=2)
        self._check_data(Y)
        random_state = check_random_state(self.random_state)
        self.offset_, self.scale_ = self._offset_and_scale(Y)
        seen = (Y - self.offset_) / self.scale_
        # Offset and a common factor change neither variance shares nor neighbours; only columns of their own scale do.
        shaped = Y / self.scale_ if self.scale == "standard" else Y
        q = self._dimensions(shaped)
        n_inducing = self._inducing(len(Y))
        X = latent_start(shaped, q, self.isomap_components, self.memory, random_state)
        data = observe(seen)
        log_beta = self._log_beta(seen)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=self.n_init)
        fits = [self._fit_once(X, data, n_inducing, log_beta, check_random_state(int(seed))) for seed in seeds]
        self._keep(max(fits, key=lambda fit: fit.bounds[-1]), seen)
        return self

    def fit_transform(self, Y, y=None):
        """Fit, and return the latent points of the rows of Y."""
        return self.fit(Y).embedding_

    def transform(self, Y):
        """Latent points of rows (n, Q), found by optimising them under the fitted model."""
        return self._place(Y).X

    def predict_proba(self, Y):
        """Responsibilities of rows (n, M)."""
        return self._place(Y).S

    def predict(self, Y):
        """Cluster of each row (n,)."""
        return self._place(Y).S.argmax(axis=1)

    def score_samples(self, Y):
        """Lower bound on log p(y, x) of each row at its best latent point x (n,)."""
        placed = self._place(Y)
        constant = 0.5 * self.n_features_in_ * np.log(self.noise_precision_ / (2.0 * np.pi))
        return placed.log_score + constant - np.sum(np.log(self.scale_))

    def score(self, Y, y=None):
        """Mean of `score_samples`: higher is better."""
        return float(np.mean(self.score_samples(Y)))

    def save(self, path: PathLike) -> None:
        """Write the fitted model to one file, without pickle."""
        check_is_fitted(self)
        p = self._placer.p
        arrays = {name: getattr(self, name) for name in storage.ATTRIBUTES}
        state = storage.FittedState(
            parameters={name: value for name, value in self.get_params().items() if name not in RUNTIME},
            scalars={name: getattr(self, name) for name in storage.SCALARS},
            arrays={**arrays, "theta": p.theta, "log_beta": np.array([p.log_beta]), "rows": self._placer.Y},
            feature_names=[str(name) for name in getattr(self, "feature_names_in_", [])],
            recipe=getattr(self, "recipe_", None),
        )
        storage.save(state, path)

    @classmethod
    def load(cls, path: PathLike) -> "SGPMIC":
        """Read a model that `save` wrote; bound and predictions come out identical."""
        return storage.load(path, cls._rebuilt)

    @classmethod
    def _rebuilt(cls, state: storage.FittedState) -> "SGPMIC":
        """The model that left this state, which comes from a file and may be anything."""
        if not state.parameters.keys().isdisjoint(RUNTIME):
            raise ValueError("its header sets what belongs to a run")
        model = cls(**state.parameters)
        model._check_parameters()
        arrays = state.arrays
        state.check(model.n_clusters, len(model._kernel().names(arrays["embedding_"].shape[1])))
        for name, value in state.scalars.items():
            setattr(model, name, value)
        for name in storage.ATTRIBUTES:
            setattr(model, name, arrays[name])
        model.lower_bounds_ = arrays["lower_bounds_"].tolist()
        model.labels_ = model.responsibilities_.argmax(axis=1)
        if state.feature_names:
            model.feature_names_in_ = np.array(state.feature_names, dtype=object)
        if state.recipe is not None:
            model.recipe_ = state.recipe
        prior = mixture(arrays["weights_"], arrays["means_"], arrays["covariances_"])
        log_beta = float(arrays["log_beta"][0])
        p = Parameters(arrays["embedding_"], arrays["inducing_points_"], arrays["theta"], log_beta, prior)
        model.noise_precision_ = p.beta
        model.kernel_params_ = [model._natural(row) for row in p.theta]
        model._prepare(p, arrays["rows"])
        return model

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def _kernel(self) -> Kernel:
        return RBF(self.ard) if self.kernel == "rbf" else Linear()

    def _fit_once(self, X, data: Observed, n_inducing: int, log_beta: float, random_state) -> Fit:
        kernel = self._kernel()
        schedule = Schedule(
            rounds=self.max_iter,
            steps=self.optimizer_steps,
            optimizer=self.optimizer,
            covariance_type=self.covariance_type,
            covariance_floor=self.covariance_floor,
            learn_weights=self.learn_weights,
            learn_noise=self.learn_noise,
            reseed_dead=self.reseed_dead,
            tol=self.tol,
        )
        parameters, S = start(
            kernel,
            X,
            self.n_clusters,
            n_inducing,
            log_beta,
            self.covariance_type,
            self.covariance_floor,
            self.kernel_start,
            random_state,
        )
        callback = self.callback
        progress = None if callback is None else lambda done, bound, S: callback(done, bound, S.argmax(axis=1))
        return train(kernel, data, parameters, S, schedule, random_state, progress)

    def _keep(self, fit: Fit, seen: np.ndarray) -> None:
        p = fit.parameters
        self.labels_ = fit.S.argmax(axis=1)
        self.responsibilities_ = fit.S
        self.embedding_ = p.X
        self.inducing_points_ = p.Z
        self.weights_ = p.prior.weights
        self.means_ = p.prior.means
        self.covariances_ = p.prior.covariances
        self.noise_precision_ = p.beta
        self.kernel_params_ = [self._natural(row) for row in p.theta]
        self.lower_bound_ = fit.bounds[-1]
        self.lower_bounds_ = list(fit.bounds)
        self.n_iter_ = fit.rounds
        self.converged_ = fit.converged
        self.n_dead_components_ = fit.n_dead
        self.jitter_ = fit.jitter
        self._prepare(p, seen)

    def _prepare(self, p: Parameters, seen: np.ndarray) -> None:
        """Build what placing new rows needs; `seen` (N, P) are the training rows as the model sees them."""
        kernel = self._kernel()
        full = Observed(seen, seen.shape[1], np.einsum("np,np->n", seen, seen))
        _, factors = Bound(kernel, full, self.responsibilities_, len(p.Z)).value(p)
        self._placer = Placer(kernel, p, factors, seen, self.responsibilities_)

    def _place(self, Y) -> Placed:
        check_is_fitted(self)
        Y = validate_data(self, Y, dtype=np.float64, order="C", reset=False)
        with np.errstate(over="ignore"):
            seen = (Y - self.offset_) / self.scale_
        if len(far := np.flatnonzero(np.abs(seen).max(axis=1) > SAFE_RANGE[1])):
            raise ValueError(
                f"Row {far[0]} is too far from the training rows to be placed (beyond {SAFE_RANGE[1]:.0e})."
            )
        return self._placer.place(seen)

    def _natural(self, theta: np.ndarray) -> dict:
        natural = positive(theta)
        params: dict = {"variance": float(natural[0]), "bias": float(natural[-2]), "white": float(natural[-1])}
        if self.kernel == "rbf":
            params["gamma"] = natural[1:-2].copy() if self.ard else float(natural[1])
        return params

    def _check_parameters(self) -> None:
        """One table of what each parameter may be."""
        rules = {
            "n_clusters": (_whole(1), "a whole number from 1"),
            "kernel": (_one_of("rbf", "linear"), "'rbf' or 'linear'"),
            "n_inducing": (_whole(1), "a whole number from 1"),
            "covariance_type": (_one_of("spherical", "diag", "tied", "full"), "'spherical', 'diag', 'tied' or 'full'"),
            "covariance_floor": (lambda v: _number_above(0.0)(v) and v >= MIN_FLOOR, f"a number from {MIN_FLOOR:g}"),
            "scale": (_one_of("none", "global", "standard"), "'none', 'global' or 'standard'"),
            "kernel_start": (_number_above(0.0), "a positive number"),
            "max_iter": (_whole(1), "a whole number from 1"),
            "tol": (lambda v: isinstance(v, Real) and float(v) >= 0.0, "a number from 0"),
            "optimizer": (_one_of(*OPTIMIZERS), "'scg' or 'lbfgs'"),
            "optimizer_steps": (_whole(1), "a whole number from 1"),
            "isomap_components": (_one_of("auto", "largest", "joined"), "'auto', 'largest' or 'joined'"),
            "n_init": (_whole(1), "a whole number from 1"),
            **dict.fromkeys(SWITCHES, (lambda v: isinstance(v, bool | np.bool_), "True or False")),
        }
        for name, (holds, wanted) in rules.items():
            if not holds(getattr(self, name)):
                raise ValueError(f"{name} must be {wanted}, not {getattr(self, name)!r}.")
        share = isinstance(self.n_components, Real) and 0.0 < float(self.n_components) < 1.0
        if not (share or _whole(1)(self.n_components)):
            raise ValueError(
                f"n_components must be a whole number from 1 or a variance share in (0, 1), not {self.n_components!r}."
            )

    def _check_data(self, Y: np.ndarray) -> None:
        if len(Y) < self.n_clusters:
            raise ValueError(f"n_clusters={self.n_clusters} needs at least that many rows; n_samples={len(Y)}.")
        spread = np.ptp(Y, axis=0).max() if np.abs(Y).max() < SAFE_RANGE[1] else np.inf
        if spread == 0.0:
            raise ValueError("All rows are equal, so there is nothing to cluster.")
        if not SAFE_RANGE[0] < spread < SAFE_RANGE[1]:
            raise ValueError(
                "The values are too large or too small to be squared without leaving the floating-point range; "
                "multiply the data by a constant first."
            )

    def _log_beta(self, seen: np.ndarray) -> float:
        """The noise precision of the paper, 4 / mean variance, as a log; beyond the limits the model would not fit."""
        log_beta = float(np.log(4.0 / np.mean(np.var(seen, axis=0, ddof=1))))
        if abs(log_beta) > LOG_LIMIT:
            raise ValueError(
                f"The mean variance of the columns, {4.0 * np.exp(-log_beta):.1e}, is out of the model's range; "
                "fit with scale='global' or scale='standard'."
            )
        return log_beta

    def _dimensions(self, Y: np.ndarray) -> int:
        whole = isinstance(self.n_components, Integral)
        q = int(self.n_components) if whole else dimensions_for(Y, self.n_components)
        if q >= len(Y):
            raise ValueError(f"n_components={q} needs more rows than dimensions; n_samples={len(Y)}.")
        return q

    def _inducing(self, n: int) -> int:
        if self.n_inducing > n:
            warnings.warn(f"n_inducing={self.n_inducing} is more than the {n} rows; {n} are used.", stacklevel=3)
        return min(self.n_inducing, n)

    def _offset_and_scale(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        offset = Y.mean(axis=0) if self.center else np.zeros(Y.shape[1])
        if self.scale == "global":
            return offset, np.full(Y.shape[1], np.sqrt(np.var(Y, axis=0, ddof=1).mean()))
        if self.scale == "standard":
            # Equal values have no spread, but often a variance: that of the rounding of their mean.
            spread = np.ptp(Y, axis=0)
            unit = np.where(spread > 0.0, spread, 1.0)
            deviations = unit * np.std((Y - Y.min(axis=0)) / unit, axis=0, ddof=1)
            return offset, np.where(spread > 0.0, deviations, 1.0)
        return offset, np.ones(Y.shape[1])


def _whole(lowest: int):
    return lambda value: isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= lowest


def _number_above(limit: float):
    return lambda value: isinstance(value, Real) and not isinstance(value, bool) and limit < float(value) < np.inf


def _one_of(*names: str):
    return lambda value: isinstance(value, str) and value in names
