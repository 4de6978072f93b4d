"""SGP-MIC for people's data, as a scikit-learn estimator."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, Indices, PathLike, BoolArray
from sgpmic_cli.embeddings import dimensions_for
from sgpmic_cli.estimator_base.parameter_checks import (
    AUTO,
    FOLDER,
    JOBS,
    check_dimensions,
    check_parameters,
    either,
    interval,
    number,
    one_of,
    share,
    whole,
)
from sgpmic_cli.files.mapped_array import empty_array
from sgpmic_cli.model import storage
from sgpmic_cli.model.device.choice import DEVICES, choose
from sgpmic_cli.model.interface import LatentClusterer, Located
from sgpmic_cli.model.outcome import judge, warn_of
from sgpmic_cli.model.paper import stored as paper_stored
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.model.parallel import Workers, workers
from sgpmic_cli.model.scaling import check_spread, offset_and_scale
from sgpmic_cli.model.start.columns import rounding
from sgpmic_cli.model.start.committee import Votes, named_start, vote
from sgpmic_cli.model.start.given import given_start
from sgpmic_cli.model.start.neighbour_graph import neighbours
from sgpmic_cli.model.start.partition import principal_axes, start
from sgpmic_cli.model.start.row_order import canonical_order, distinct_rows, row_powers
from sgpmic_cli.model.start.selection import Selection, choose_clusters
from sgpmic_cli.model.variational import stored
from sgpmic_cli.model.variational.em import (
    Compute,
    Data,
    Fit,
    OnHost,
    evaluate,
    observe,
    precision,
    train,
)
from sgpmic_cli.model.variational.features import Kernel
from sgpmic_cli.model.variational.generation import drawn_rows, rows_at
from sgpmic_cli.model.variational.holes import filled_by, learn
from sgpmic_cli.model.variational.placement import Placed, Placer
from sgpmic_cli.row_blocks import row_blocks

STARTS = ("committee", "k-means", "gmm", "spectral", "ward")
MOST_CLUSTERS = 15  # tried by n_clusters="auto"
DIMENSIONS = (1, 2, 3, 5)  # tried by n_components="auto"
TRIAL_ROUNDS = 5  # of a fit that only ranks a number of dimensions
RULES = {
    "n_clusters": either(either(whole(), AUTO), interval()),
    "n_components": either(either(whole(), share()), AUTO),
    "scale": one_of("none", "global", "standard"),
    "n_inducing": whole(),
    "max_iter": whole(),
    "optimizer_steps": whole(),
    "tol": number(),
    "max_rows": whole(2),
    "temp_folder": FOLDER,
    "n_jobs": JOBS,
    "device": one_of(*DEVICES),
}


class SGPMIC(LatentClusterer):
    """Mixture of sparse Gaussian processes over a latent space, with a distribution for every latent point.

    Every cluster is a Gaussian process from a shared low-dimensional latent space to the columns of the data, linear
    plus a curved part seen through inducing inputs. A row has a Gaussian distribution in that space, so that the bound
    on the likelihood has a maximum, noise and widths can be learned, and contraction of a cluster pays nothing. The fit
    begins with the votes of a few well-known clusterings, which count as some evidence beside the data, and runs to
    convergence.

    The paper's own model, with a point for every row, is `SGPMIC.from_paper`.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default="auto"
        Number of clusters M. With "auto" it is chosen among 1 to 15, with a pair among the numbers from the first to
        the second; what spoke for each is kept in `selection_`.
    n_components : int, float or "auto", default=2
        Dimensions Q of the latent space, or a share of variance in (0, 1) that so many principal axes shall hold.
        "auto" takes the one of 1, 2, 3 and 5 with the highest bound after a few rounds.
    scale : {"standard", "global", "none"}, default="standard"
        Columns are centred and divided by their deviation ("standard"), by one common factor ("global") or not
        ("none").
    init : {"committee", "k-means", "gmm", "spectral", "ward"}, array of shape (n_samples,) or \
(n_samples, n_clusters), default="committee"
        Where the clusters begin: the votes of several clusterings, one clustering, labels, or probabilities. Only the
        committee's votes count as evidence; any other start is just that.
    n_inducing : int, default=10
        Inducing inputs K of each cluster; fewer where clusters have few rows.
    max_iter : int, default=100
        Most rounds of an M-step and an E-step.
    optimizer_steps : int, default=8
        Steps of L-BFGS in an M-step.
    tol : float, default=1e-2
        The fit has converged when a round gains less than so many nats for each row.
    max_rows : int, default=10000
        Of more rows a random draw of so many is fitted to, and the others are placed as `predict` does.
    temp_folder : str or path-like, default=None
        Where probabilities and latent points of all rows, where a draw is fitted to, are kept in files instead of
        memory. The files have no name, and go when the model goes.
    n_jobs : int, default=None
        Threads of one evaluation: None is one, -1 are all cores. The result does not depend on it, not by a bit.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the rounds compute: NumPy on the processor; PyTorch on a GPU (``pip install 'sgpmic[gpu]'``), or NumPy
        with a warning where there is none; or, with "auto", the GPU if there is one and the rows are many.
    callback : callable, default=None
        Called as callback(round, bound, labels) after every round. Where it has a method `placed`, that is called as
        callback.placed(rows_so_far, n_samples) while the rows beyond `max_rows` are placed.
    random_state : int, RandomState instance or None, default=None
        Seeds the clusterings that the fit begins with.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    responsibilities_ : ndarray of shape (n_samples, M)
        Probability of each cluster for each row.
    embedding_, embedding_variances_ : ndarray of shape (n_samples, Q)
        Means and variances of the latent points.
    n_clusters_ : int
        Number of clusters M that the fit was given or has chosen.
    selection_ : list of dict or None
        For each number of clusters tried, what spoke for it.
    no_clusters_ : bool
        True where the number was free and the data show no clusters.
    votes_ : ndarray of shape (n_samples, M)
        Share of the committee's members that put a row into a cluster; its probability for rows beyond a draw.
    start_ : tuple of str
        Names of the clusterings that voted.
    cluster_sizes_, certainty_ : ndarray of shape (M,)
        Rows of each cluster, and the mean probability with which they belong to it.
    twins_, tiny_, dead_ : list
        Pairs of clusters that share their rows, clusters of a handful of rows, clusters without rows.
    weights_, means_, covariances_ : ndarray of shape (M,), (M, Q), (M, Q)
        The mixture over the latent space; covariances are diagonal.
    inducing_points_ : ndarray of shape (M, K, Q)
        Inducing inputs.
    kernel_params_ : list of dict
        Of each cluster: variance and inverse squared widths of the curved part, variance of the linear part.
    noise_variances_ : ndarray of shape (M,)
        Variance of the noise of each cluster, in standardised columns.
    offset_, scale_ : ndarray of shape (n_features_in_,)
        The model sees (X - offset_) / scale_.
    lower_bound_ : float
        The bound at the end; `lower_bounds_` has it after every round.
    n_iter_ : int
        Rounds.
    converged_ : bool
        Whether the last round gained less than `tol`.
    n_features_in_, feature_names_in_
        Columns seen in `fit`, and their names where they had any.

    References
    ----------
    .. [1] Z. Moslehi, A. Mirzaei and M. Safayani, "Clustering based on Mixtures of Sparse Gaussian Processes",
       arXiv:2303.13665, 2023.
    .. [2] M. K. Titsias and N. D. Lawrence, "Bayesian Gaussian Process Latent Variable Model", AISTATS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from sgpmic_cli import SGPMIC
    >>> X, y = make_blobs(n_samples=60, centers=[[0] * 5, [9] * 5, [-9] * 5], random_state=0)
    >>> model = SGPMIC(n_clusters=3, random_state=0).fit(X)
    >>> model.embedding_.shape
    (60, 2)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _rules = RULES
    _of_a_run = ("temp_folder", *LatentClusterer._of_a_run)

    def __init__(
        self,
        n_clusters="auto",
        n_components=2,
        *,
        scale="standard",
        init="committee",
        n_inducing=10,
        max_iter=100,
        optimizer_steps=8,
        tol=1e-2,
        max_rows=10_000,
        temp_folder=None,
        n_jobs=None,
        device="cpu",
        callback=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.scale = scale
        self.init = init
        self.n_inducing = n_inducing
        self.max_iter = max_iter
        self.optimizer_steps = optimizer_steps
        self.tol = tol
        self.max_rows = max_rows
        self.temp_folder = temp_folder
        self.n_jobs = n_jobs
        self.device = device
        self.callback = callback
        self.random_state = random_state

    @staticmethod
    def from_paper(*args: Any, **params: Any) -> PaperSGPMIC:
        """The paper's model: a point for every row, ISOMAP and fuzzy c-means to begin with.

        Parameters
        ----------
        *args, **params
            Parameters of `PaperSGPMIC`.

        Returns
        -------
        model : PaperSGPMIC
            Not fitted yet.
        """
        return PaperSGPMIC(*args, **params)

    def _state(self) -> storage.FittedState:
        description = self._description()
        if not isinstance(self.init, str):
            del description["parameters"][
                "init"
            ]  # labels or probabilities: where the fit began, not what it is
        data = self._placer.data
        arrays = {name: np.asarray(getattr(self, name)) for name in stored.ATTRIBUTES}
        scalars = {name: getattr(self, name) for name in stored.SCALARS if name != "rounding"}
        return storage.FittedState(
            kind=stored.KIND,
            scalars={"rounding": data.rounding, **scalars},
            arrays={
                **arrays,
                **stored.arrays_of(data, self._placer.state, self._placer.first, self._gaussian),
            },
            details={"start_": list(self.start_), "selection_": self.selection_},
            **description,
        )

    @classmethod
    def load(cls, path: PathLike) -> "SGPMIC | PaperSGPMIC":
        """Read a model that `save` wrote, this one's or the paper's; predictions come out identical.

        Parameters
        ----------
        path : str or path-like
            The file to read.

        Returns
        -------
        model : SGPMIC or PaperSGPMIC
            The fitted estimator, whichever the file holds.
        """
        return storage.load(
            path, {stored.KIND: cls._rebuilt, paper_stored.KIND: PaperSGPMIC._rebuilt}
        )

    @classmethod
    def load_to_predict(cls, path: PathLike) -> "SGPMIC | PaperSGPMIC":
        """Read what placing new rows needs: of a fit to a draw, the drawn rows only, however many others were placed.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote.

        Returns
        -------
        model : SGPMIC or PaperSGPMIC
            The fitted estimator; predictions come out as from `load`, `labels_` and the like are of the drawn rows.
        """
        light: Callable[[storage.FittedState], SGPMIC | PaperSGPMIC] = partial(
            cls._rebuilt, every_row=False
        )
        return storage.load(path, {stored.KIND: light, paper_stored.KIND: PaperSGPMIC._rebuilt})

    @classmethod
    def _rebuilt(cls, state: storage.FittedState, *, every_row: bool = True) -> "SGPMIC":
        """The model that left this state, which comes from a file and may be anything."""
        model = cls._described(state)
        fit = stored.trained(state, every_row)
        votes = Votes(state.arrays["S"], fit.data.held, tuple(state.details["start_"]))
        model._keep(fit, state.arrays["first"], votes, np.arange(len(fit.data.Y)), None)
        model._gaussian = stored.gaussian_of(state)
        for name in (*(stored.OF_EVERY_ROW if every_row else ()), "offset_", "scale_"):
            setattr(model, name, state.arrays[name])
        model.selection_, model.no_clusters_ = (
            state.details["selection_"],
            bool(state.scalars["no_clusters_"]),
        )
        model._judge()
        return model

    def inverse_transform(self, X):
        """Rows that the model expects at latent points.

        Parameters
        ----------
        X : array-like of shape (n_points, Q)
            Latent points.

        Returns
        -------
        rows : ndarray of shape (n_points, n_features_in_)
            Means of the processes, weighted by how likely each cluster is at the point.
        """
        check_is_fitted(self)
        return self.offset_ + self.scale_ * rows_at(self._placer, X)

    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the fitted mixture.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState instance or None, default=None
            Seeds the draw.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features_in_)
            Rows.
        y : ndarray of shape (n_samples,)
            Their clusters.
        """
        check_is_fitted(self)
        seen, labels = drawn_rows(
            self._placer, self.noise_variances_, n_samples, check_random_state(random_state)
        )
        return self.offset_ + self.scale_ * seen, labels

    def _fit_to(self, X) -> None:
        check_parameters(self, RULES)
        Y = validate_data(
            self,
            X,
            dtype=np.float64,
            order="C",
            ensure_min_samples=2,
            ensure_all_finite="allow-nan",
        )
        check_spread(Y)
        numbers = self._numbers(Y)
        with workers(self.n_jobs) as crew:
            self._learn_rows(Y, numbers, crew)
        warn_of(self._outcome)

    def _learn_rows(self, Y: Array, numbers: list[int], crew: Workers) -> None:
        random_state = check_random_state(self.random_state)
        offset, scale = offset_and_scale(Y, self.scale)
        drawn = self._drawn(Y, offset, scale, random_state)
        seen = (Y[drawn] - offset) / scale
        holes = np.isnan(seen)
        gaussian = learn(seen) if holes.any() else None
        if gaussian is not None:
            seen = filled_by(gaussian, seen)
        order = canonical_order(*row_powers(seen))
        rows, holes, order = seen[order], holes[order], drawn[order]
        near = neighbours(rows) if len(rows) > 3 else None
        selection = None
        if len(numbers) > 1:
            selection = choose_clusters(rows, numbers, random_state)
            numbers = [selection.chosen]
        unseen = holes if holes.any() else None
        votes = self._votes(rows, unseen, order, len(Y), near, numbers[0], random_state)
        data = observe(rows, float(np.mean(rounding(rows))), votes.held, unseen)
        compute = self._compute(len(rows), crew)
        q = self._dimensions(rows, data, votes, compute, random_state)
        room = self._room(len(Y), votes.shares.shape[1], q) if len(order) < len(Y) else None
        progress = self._progress(order, len(Y))
        fit = self._fit_once(rows, data, votes, q, self.max_iter, compute, random_state, progress)
        self._keep(fit, rows, votes, order, selection)
        self.offset_, self.scale_, self._gaussian = offset, scale, gaussian
        if room is not None:
            self._place_all(Y, np.sort(order), room, crew)
        self._judge()

    def _compute(self, n_rows: int, crew: Workers) -> Compute:
        device = choose(self.device, n_rows)
        if device is None:
            return partial(OnHost, workers=crew)
        from sgpmic_cli.model.variational.on_device import (
            OnDevice,
        )  # needs PyTorch, which is an extra

        return partial(OnDevice, device)

    def _fit_once(
        self,
        rows: Array,
        data: Data,
        votes: Votes,
        q: int,
        rounds: int,
        compute: Compute,
        random_state,
        progress=None,
    ) -> Fit:
        state = start(principal_axes(rows, q), votes.shares, self.n_inducing, random_state)
        return train(data, state, rounds, self.optimizer_steps, self.tol, progress, compute)

    def _keep(
        self, fit: Fit, rows: Array, votes: Votes, order: Indices, selection: Selection | None
    ) -> None:
        """Set what was learned, rows back in the order they came in."""
        back = np.argsort(order, kind="stable")
        state, free = fit.state, fit.state.free
        # Of data with more columns than rows the fit has seen a factor; what is kept must speak of the columns.
        full = fit.data if fit.data.Y.shape == rows.shape else replace(fit.data, Y=rows)
        self._placer = Placer(full, state, evaluate(full, state)[0], rows)
        self.responsibilities_ = state.S[back]
        self.embedding_, self.embedding_variances_ = free.mu[back], free.s[back]
        self.votes_, self.start_ = votes.shares[back], votes.members
        self.n_clusters_ = state.S.shape[1]
        self.selection_ = None if selection is None else selection.table
        self.no_clusters_ = selection is not None and selection.chosen == 1
        self.weights_, self.means_, self.covariances_ = state.prior
        self.inducing_points_ = free.Z
        self.noise_variances_ = np.array([1.0 / precision(full, value) for value in free.log_noise])
        self.kernel_params_ = [_natural(free.kernel(m)) for m in range(self.n_clusters_)]
        self.lower_bound_, self.lower_bounds_ = fit.bounds[-1], list(fit.bounds)
        self.n_iter_, self.converged_ = fit.rounds, fit.converged

    def _judge(self) -> None:
        self.labels_ = self.responsibilities_.argmax(axis=1)
        self._outcome = judge(self.responsibilities_)
        self.cluster_sizes_, self.certainty_ = self._outcome.sizes, self._outcome.certainty
        self.twins_, self.tiny_, self.dead_ = (
            self._outcome.twins,
            self._outcome.tiny,
            self._outcome.dead,
        )

    def _room(self, n: int, n_clusters: int, q: int) -> list[Array]:
        """For shares, votes, means and variances of all rows; refused before a fit that it would be missed after."""
        return [
            empty_array((n, width), self.temp_folder) for width in (n_clusters, n_clusters, q, q)
        ]

    def _place_all(self, Y: Array, drawn: Indices, room: list[Array], crew: Workers) -> None:
        """Place every row, block by block, after a fit to those that were drawn."""
        S, votes, mu, s = room
        tell = getattr(self.callback, "placed", None)
        for rows in row_blocks(len(Y)):
            placed = self._placed((Y[rows] - self.offset_) / self.scale_, crew)
            S[rows], votes[rows], mu[rows], s[rows] = placed.S, placed.S, placed.mu, placed.s
            if tell is not None:
                tell(rows.stop, len(Y))
        votes[drawn] = self.votes_
        self.responsibilities_, self.votes_, self.embedding_, self.embedding_variances_ = room

    def _placed(self, seen: Array, crew: Workers) -> Placed:
        holes = np.isnan(seen)
        if holes.any():
            # Where training saw no holes, nothing is known of them but the mean of the column.
            seen = (
                np.where(holes, 0.0, seen)
                if self._gaussian is None
                else filled_by(self._gaussian, seen)
            )
        return self._placer.place(seen, holes, crew)

    def _located(self, seen: Array, crew: Workers) -> Located:
        placed = self._placed(seen, crew)
        return Located(placed.mu, placed.S, placed.log_score)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _numbers(self, Y: Array) -> list[int]:
        """The numbers of clusters to choose from; refused beyond the number of distinct rows."""
        if isinstance(self.n_clusters, str):
            return list(range(1, max(1, min(distinct_rows(Y, MOST_CLUSTERS), len(Y) // 10)) + 1))
        low, high = (
            self.n_clusters if isinstance(self.n_clusters, tuple | list) else (self.n_clusters,) * 2
        )
        if high > (distinct := distinct_rows(Y, high)):
            raise ValueError(
                f"n_clusters={high} needs at least that many distinct rows; there are {distinct}."
            )
        return list(range(low, high + 1))

    def _drawn(self, Y: Array, offset: Array, scale: Array, random_state) -> Indices:
        """The rows that are fitted to, ascending: all, or a draw that does not depend on the order they came in."""
        n = len(Y)
        if n <= self.max_rows:
            return np.arange(n)
        warnings.warn(
            f"{n} rows are more than max_rows={self.max_rows}: so many are drawn and fitted to, the others are placed "
            "in the fitted model.",
            stacklevel=6,
        )
        powers = [row_powers(np.nan_to_num((Y[rows] - offset) / scale)) for rows in row_blocks(n)]
        order = canonical_order(*(np.concatenate(parts) for parts in zip(*powers, strict=True)))
        return np.sort(order[random_state.permutation(n)[: self.max_rows]])

    def _votes(
        self,
        rows: Array,
        holes: BoolArray | None,
        order: Indices,
        n: int,
        near,
        n_clusters: int,
        random_state,
    ) -> Votes:
        if isinstance(self.init, str):
            if self.init not in STARTS:
                raise ValueError(
                    f"init must be one of {', '.join(map(repr, STARTS))}, labels or probabilities."
                )
            if self.init == "committee":
                return vote(rows, near, n_clusters, random_state, holes)
            return named_start(self.init, rows, n_clusters, random_state)
        return given_start(self.init, n_clusters, order, n, self.n_clusters)

    def _dimensions(
        self, rows: Array, data: Data, votes: Votes, compute: Compute, random_state
    ) -> int:
        if isinstance(self.n_components, str):
            tried = [q for q in DIMENSIONS if q <= rows.shape[1] and q < len(rows)]
            seed = int(random_state.randint(np.iinfo(np.int32).max))
            bounds = [
                self._fit_once(
                    rows, data, votes, q, TRIAL_ROUNDS, compute, check_random_state(seed)
                ).bounds[-1]
                for q in tried
            ]
            return tried[int(np.argmax(bounds))]
        given = isinstance(self.n_components, Integral)
        q = int(self.n_components) if given else dimensions_for(rows, self.n_components)
        if given and q == 2 and rows.shape[1] == 1:
            return 1  # the default, on a single column
        check_dimensions(q, rows)
        return q

    def _progress(self, order: Indices, n: int):
        if self.callback is None:
            return None
        back = np.argsort(order, kind="stable") if len(order) == n else np.arange(len(order))
        return lambda done, bound, S: self.callback(done, bound, S[back].argmax(axis=1))


def _natural(kernel: Kernel) -> dict[str, Any]:
    return {
        "variance": kernel.variance,
        "inverse_widths": kernel.widths.copy(),
        "linear": kernel.linear,
    }
