"""SGP-MIC in the paper's setting, as a scikit-learn estimator."""

import warnings
from dataclasses import replace
from functools import partial
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import PathLike
from sgpmic_cli.embeddings import dimensions_for
from sgpmic_cli.estimator_base.parameter_checks import (
    JOBS,
    MEMORY,
    SWITCH,
    check_clusters,
    check_dimensions,
    check_parameters,
    either,
    number,
    one_of,
    positive_number,
    share,
    whole,
)
from sgpmic_cli.model import storage
from sgpmic_cli.model.device.choice import DEVICES, choose
from sgpmic_cli.model.interface import LatentClusterer, Located
from sgpmic_cli.model.paper import stored
from sgpmic_cli.model.paper.bound import Bound, Observed, Parameters, observe
from sgpmic_cli.model.paper.em import OPTIMIZERS, Compute, Fit, OnHost, Schedule, train
from sgpmic_cli.model.paper.kernels import LOG_LIMIT, RBF, Kernel, Linear, positive
from sgpmic_cli.model.paper.mixture import mixture
from sgpmic_cli.model.paper.placement import Placer
from sgpmic_cli.model.paper.start import latent_start, start
from sgpmic_cli.model.parallel import Workers, workers
from sgpmic_cli.model.scaling import check_spread, offset_and_scale

MIN_FLOOR = 1e-8  # narrower components than this, beside latent points of size one, cost the bound its digits
RULES = {
    "n_clusters": whole(),
    "n_components": either(whole(), share()),
    "kernel": one_of("rbf", "linear"),
    "ard": SWITCH,
    "n_inducing": whole(),
    "covariance_type": one_of("spherical", "diag", "tied", "full"),
    "covariance_floor": number(MIN_FLOOR),
    "center": SWITCH,
    "scale": one_of("none", "global", "standard"),
    "kernel_start": positive_number(),
    "start_sharpness": positive_number(),
    "max_iter": whole(),
    "tol": number(),
    "optimizer": one_of(*OPTIMIZERS),
    "optimizer_steps": whole(),
    "prior_by_gradient": SWITCH,
    "white_everywhere": SWITCH,
    "learn_weights": SWITCH,
    "learn_noise": SWITCH,
    "isomap_components": one_of("auto", "largest", "joined"),
    "n_init": whole(),
    "memory": MEMORY,
    "n_jobs": JOBS,
    "device": one_of(*DEVICES),
}


class PaperSGPMIC(LatentClusterer):
    """Mixture of sparse Gaussian-process latent variable models: a latent space and clusters, learned together.

    This is the model of the paper. Its Algorithm 1 moves all parameters by scaled conjugate gradients from given
    starting values; the form of C_m, the number of iterations and how C_m starts are left open. The defaults here are
    ours, for data of one's own. The settings behind the reproduced table, and those closest to the text, belong to the
    benchmark (protocols ``as-run`` and ``as-stated``).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters M.
    n_components : int or float, default=2
        Latent dimensions Q, or a share of variance in (0, 1) from which Q follows by the paper's rule (the fewest
        principal axes of the raw data that hold it).
    kernel : {"rbf", "linear"}, default="rbf"
        Kernel of the Gaussian processes.
    ard : bool, default=False
        Give the RBF kernel an inverse width for each latent dimension.
    n_inducing : int, default=50
        Inducing inputs K, shared by all clusters; capped at the number of rows.
    covariance_type : {"spherical", "diag", "tied", "full"}, default="spherical"
        Form of the latent covariances C_m.
    covariance_floor : float, default=0.03
        Smallest eigenvalue of C_m; without it the bound grows forever by contraction. With ``prior_by_gradient`` it
        holds for the start only.
    center : bool, default=True
        Whether column means are taken away: the model sees (X - offset_) / scale_.
    scale : {"none", "global", "standard"}, default="global"
        "global" divides by one factor, so that the mean variance of the columns is one; "standard" brings each column
        to unit variance.
    kernel_start : float, default=0.5
        Factor on the paper's starting values of kernel variance, bias and white (1, e^-2, e^-2). With data at mean
        variance one, 0.5 starts the processes at half the data's variance, and leaves the rest to the clusters. The
        paper's values as printed are ``scale="none"`` with ``kernel_start=1``.
    start_sharpness : float, default=1.0
        Power of the fuzzy c-means memberships from which the C_m start. Memberships are soft, so that 1 starts all C_m
        nearly as wide as the whole; 2 starts them narrower.
    max_iter : int, default=20
        Rounds of one E-step and one M-step.
    tol : float, default=0.0
        The fit ends earlier when the bound moves by less than this between rounds, relative to itself.
    optimizer : {"lbfgs", "scg"}, default="lbfgs"
        What the M-step moves X, the inducing inputs and the kernels with; "scg" are the paper's scaled conjugate
        gradients.
    optimizer_steps : int, default=3
        Steps of the optimizer in an M-step.
    prior_by_gradient : bool, default=False
        Move the means and the C_m by the same steps, as the paper's algorithm does. Off, they are set to their maximum
        after them; the weights, if learned, are so in either case. On, it needs ``covariance_type="full"``.
    white_everywhere : bool, default=False
        Add the white variance to every covariance, as the paper prints it, and not only to the diagonal of that among
        the inducing inputs.
    learn_weights : bool, default=False
        Learn the weights pi_m, as the paper's algorithm does. Off, they stay at 1/M, its starting value.
    learn_noise : bool, default=False
        Learn the noise precision, as the paper's algorithm does. Off, it stays at 4 / mean variance, its starting
        value.
    isomap_components : {"auto", "largest", "joined"}, default="auto"
        What the ISOMAP start does with data that fall apart at twelve neighbours: "largest" unrolls the largest part
        and puts all other rows at one place, which is how the printed numbers come out; "joined" bridges the parts;
        "auto" takes the largest where it holds more than half of the rows, and bridges the parts where it does not.
    n_init : int, default=1
        Restarts from child seeds; the fit with the best bound is kept.
    memory : None, str, path-like or joblib.Memory, default=None
        Folder or joblib.Memory where ISOMAP coordinates are kept between fits of the same data.
    n_jobs : int, default=None
        Threads of one evaluation: None is one, -1 are all cores. The result does not depend on it, not by a bit.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the rounds compute: NumPy on the processor; PyTorch on a GPU (``pip install 'sgpmic[gpu]'``), or NumPy
        with a warning where there is none; or, with "auto", the GPU if there is one and the rows are many.
    callback : callable, default=None
        Called as ``callback(round, bound, labels)`` after every round.
    random_state : int, RandomState instance or None, default=None
        Seed of the start: fuzzy c-means, inducing inputs, and the landmarks of many rows.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    responsibilities_ : ndarray of shape (n_samples, n_clusters)
        Probability of each cluster for each row.
    embedding_ : ndarray of shape (n_samples, Q)
        Latent points.
    inducing_points_ : ndarray of shape (K, Q)
        Inducing inputs in the latent space.
    weights_ : ndarray of shape (n_clusters,)
        Weights pi_m.
    means_ : ndarray of shape (n_clusters, Q)
        Centres of the clusters in the latent space.
    covariances_ : ndarray of shape (n_clusters, Q, Q)
        Covariances of the clusters in the latent space, as full matrices whatever their form.
    noise_precision_ : float
        Precision beta of the noise.
    kernel_params_ : list of dict
        Kernel parameters of each cluster in natural units.
    offset_ : ndarray of shape (n_features,)
        What was taken away from the columns.
    scale_ : ndarray of shape (n_features,)
        What the columns were divided by.
    lower_bound_ : float
        The bound at the end.
    lower_bounds_ : list of float
        The bound after every E and M update.
    n_iter_ : int
        Rounds that were run.
    converged_ : bool
        Whether `tol` ended the fit.
    n_dead_components_ : int
        Clusters that hold less than half a row.
    jitter_ : float
        Largest jitter that a covariance needed; 0 as a rule.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they had any.

    References
    ----------
    .. [1] Z. Moslehi, A. Mirzaei and M. Safayani, "Clustering based on Mixtures of Sparse Gaussian Processes",
       arXiv:2303.13665, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from sgpmic_cli.model.paper.estimator import PaperSGPMIC
    >>> X, y = make_blobs(n_samples=60, centers=[[0] * 5, [9] * 5, [-9] * 5], random_state=0)
    >>> model = PaperSGPMIC(n_clusters=3, n_components=2, n_inducing=20, random_state=0).fit(X)
    >>> model.embedding_.shape
    (60, 2)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _rules = RULES
    _of_a_run = ("memory", *LatentClusterer._of_a_run)

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
        start_sharpness=1.0,
        max_iter=20,
        tol=0.0,
        optimizer="lbfgs",
        optimizer_steps=3,
        prior_by_gradient=False,
        white_everywhere=False,
        learn_weights=False,
        learn_noise=False,
        isomap_components="auto",
        n_init=1,
        memory=None,
        n_jobs=None,
        device="cpu",
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
        self.start_sharpness = start_sharpness
        self.max_iter = max_iter
        self.tol = tol
        self.optimizer = optimizer
        self.optimizer_steps = optimizer_steps
        self.prior_by_gradient = prior_by_gradient
        self.white_everywhere = white_everywhere
        self.learn_weights = learn_weights
        self.learn_noise = learn_noise
        self.isomap_components = isomap_components
        self.n_init = n_init
        self.memory = memory
        self.n_jobs = n_jobs
        self.device = device
        self.callback = callback
        self.random_state = random_state

    def _state(self) -> storage.FittedState:
        p = self._placer.p
        arrays = {name: getattr(self, name) for name in stored.ATTRIBUTES}
        return storage.FittedState(
            kind=stored.KIND,
            scalars={name: getattr(self, name) for name in stored.SCALARS},
            arrays={
                **arrays,
                "theta": p.theta,
                "log_beta": np.array([p.log_beta]),
                "rows": self._placer.Y,
            },
            **self._description(),
        )

    @classmethod
    def load(cls, path: PathLike) -> "PaperSGPMIC":
        """Read a model that `save` wrote; bound and predictions come out identical.

        Parameters
        ----------
        path : str or path-like
            The file to read.

        Returns
        -------
        model : PaperSGPMIC
            The fitted estimator.
        """
        return storage.load(path, {stored.KIND: cls._rebuilt})

    @classmethod
    def _rebuilt(cls, state: storage.FittedState) -> "PaperSGPMIC":
        """The model that left this state, which comes from a file and may be anything."""
        model = cls._described(state)
        arrays = state.arrays
        stored.check(
            state, model.n_clusters, len(model._kernel().names(arrays["embedding_"].shape[1]))
        )
        for name in stored.SCALARS:
            setattr(model, name, state.scalars[name])
        for name in stored.ATTRIBUTES:
            setattr(model, name, arrays[name])
        model.lower_bounds_ = arrays["lower_bounds_"].tolist()
        model.labels_ = model.responsibilities_.argmax(axis=1)
        prior = mixture(arrays["weights_"], arrays["means_"], arrays["covariances_"])
        log_beta = float(arrays["log_beta"][0])
        points = arrays["embedding_"], arrays["inducing_points_"]
        p = Parameters(*points, arrays["theta"], log_beta, prior, model.white_everywhere)
        model.noise_precision_ = p.beta
        model.kernel_params_ = [model._natural(row) for row in p.theta]
        model._prepare(p, arrays["rows"])
        return model

    def _kernel(self) -> Kernel:
        return RBF(self.ard) if self.kernel == "rbf" else Linear()

    def _fit_to(self, X) -> None:
        check_parameters(self, RULES)
        if self.prior_by_gradient and self.covariance_type != "full":
            raise ValueError(
                f"prior_by_gradient=True needs covariance_type='full', not {self.covariance_type!r}: its steps move "
                "every element of C."
            )
        Y = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        self._check_data(Y)
        with workers(self.n_jobs) as crew:
            self._learn_rows(Y, crew)

    def _learn_rows(self, Y: np.ndarray, crew: Workers) -> None:
        random_state = check_random_state(self.random_state)
        offset, scale = offset_and_scale(Y, self.scale, center=self.center)
        seen = (Y - offset) / scale
        # Offset and a common factor change neither variance shares nor neighbours; only columns of their own scale do.
        shaped = Y / scale if self.scale == "standard" else Y
        q = self._dimensions(shaped)
        n_inducing = self._inducing(len(Y))
        X = latent_start(shaped, q, self.isomap_components, self.memory, random_state)
        data = observe(seen)
        log_beta = self._log_beta(seen)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=self.n_init)
        compute = self._compute(len(Y), crew)
        fits = [
            self._fit_once(X, data, n_inducing, log_beta, compute, check_random_state(int(seed)))
            for seed in seeds
        ]
        self._keep(max(fits, key=lambda fit: fit.bounds[-1]), seen)
        self.offset_, self.scale_ = offset, scale

    def _compute(self, n_rows: int, crew: Workers) -> Compute:
        if self.prior_by_gradient and self.device != "cpu":
            warnings.warn(
                "prior_by_gradient is not for a GPU, so the fit computes with NumPy.", stacklevel=4
            )
        device = None if self.prior_by_gradient else choose(self.device, n_rows)
        if device is None:
            return partial(OnHost, workers=crew)
        from sgpmic_cli.model.paper.on_device import OnDevice  # needs PyTorch, which is an extra

        return partial(OnDevice, device)

    def _fit_once(
        self, X, data: Observed, n_inducing: int, log_beta: float, compute: Compute, random_state
    ) -> Fit:
        kernel = self._kernel()
        schedule = Schedule(
            rounds=self.max_iter,
            steps=self.optimizer_steps,
            optimizer=self.optimizer,
            covariance_type=self.covariance_type,
            covariance_floor=self.covariance_floor,
            learn_weights=self.learn_weights,
            learn_noise=self.learn_noise,
            tol=self.tol,
            prior_by_gradient=self.prior_by_gradient,
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
            self.start_sharpness,
            random_state,
        )
        parameters = replace(parameters, white_everywhere=self.white_everywhere)
        callback = self.callback
        progress = (
            None
            if callback is None
            else lambda done, bound, S: callback(done, bound, S.argmax(axis=1))
        )
        return train(kernel, data, parameters, S, schedule, progress, compute)

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

    def _located(self, seen: np.ndarray, crew: Workers) -> Located:
        placed = self._placer.place(seen, crew)
        constant = 0.5 * self.n_features_in_ * np.log(self.noise_precision_ / (2.0 * np.pi))
        return Located(placed.X, placed.S, placed.log_score + constant)

    def _natural(self, theta: np.ndarray) -> dict:
        natural = positive(theta)
        params: dict = {
            "variance": float(natural[0]),
            "bias": float(natural[-2]),
            "white": float(natural[-1]),
        }
        if self.kernel == "rbf":
            params["gamma"] = natural[1:-2].copy() if self.ard else float(natural[1])
        return params

    def _check_data(self, Y: np.ndarray) -> None:
        check_clusters(self.n_clusters, Y)
        check_spread(Y)

    def _log_beta(self, seen: np.ndarray) -> float:
        """The paper's starting value of the noise precision, 4 / mean variance, as a log; refused beyond the limits."""
        log_beta = float(np.log(4.0 / np.mean(np.var(seen, axis=0, ddof=1))))
        if abs(log_beta) > LOG_LIMIT:
            raise ValueError(
                f"The mean variance of the columns, {4.0 * np.exp(-log_beta):.1e}, is out of the model's range; "
                "fit with scale='global' or scale='standard'."
            )
        return log_beta

    def _dimensions(self, Y: np.ndarray) -> int:
        given = isinstance(self.n_components, Integral)
        q = int(self.n_components) if given else dimensions_for(Y, self.n_components)
        check_dimensions(q, Y)
        return q

    def _inducing(self, n: int) -> int:
        if self.n_inducing > n:
            warnings.warn(
                f"n_inducing={self.n_inducing} is more than the {n} rows; {n} are used.",
                stacklevel=4,
            )
        return min(self.n_inducing, n)
