"""Base class of `SGPMIC` and `PaperSGPMIC`."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, Indices, PathLike, Table
from sgpmic_cli.errors import UsageError, input_errors
from sgpmic_cli.estimator_base import storage
from sgpmic_cli.estimator_base.caller_warning import warn_caller
from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.estimator_base.diagnostics import Diagnostics, diagnose
from sgpmic_cli.estimator_base.parallel import Workers, workers
from sgpmic_cli.estimator_base.parameter_checks import (
    BOOLEAN,
    CALLBACK,
    JOBS,
    Rule,
    check_parameters,
    either,
    number,
    one_of,
    whole,
)
from sgpmic_cli.estimator_base.scaling import BLOCK, SAFE_RANGE, Scale, check_rows, check_spread
from sgpmic_cli.tables.encoder import TableEncoder
from sgpmic_cli.tables.recipe import TableRecipe

# Rules of the parameters that both estimators have.
SHARED_RULES = {
    "scale": one_of("none", "global", "standard"),
    "n_inducing": whole(),
    "max_iter": whole(),
    "optimizer_steps": whole(),
    "tol": number(),
    "n_jobs": JOBS,
    "verbose": either(BOOLEAN, whole(0)),
    "callback": CALLBACK,
}
COST = 25  # of locating a row, relative to a row of a bound


class Located(NamedTuple):
    """Latent points and variances (n, Q), cluster probabilities (n, M) and log densities (n,)."""

    points: Array
    variances: Array
    S: Array
    log_density: Array

    @classmethod
    def joined(cls, parts: Sequence["Located"]) -> "Located":
        """Return the rows of all parts."""
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))


class LatentClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """An estimator that finds clusters and latent points of rows."""

    scale: Scale
    max_iter: int
    n_jobs: int | None
    verbose: bool | int
    callback: Callable[[int, float, Indices], None] | None
    # Fitted attributes. The subclasses explain them.
    responsibilities_: Array
    embedding_: Array
    embedding_variances_: Array
    n_clusters_: int
    selection_: list[dict[str, Any]] | None
    no_clusters_: bool
    cluster_sizes_: Indices
    certainty_: Array
    twins_: list[tuple[int, int]]
    tiny_: list[int]
    dead_: list[int]
    weights_: Array
    means_: Array
    covariances_: Array
    inducing_points_: Array
    kernel_params_: list[dict[str, Any]]
    noise_variances_: Array
    offset_: Array
    scale_: Array
    lower_bound_: float
    lower_bounds_: list[float]
    n_iter_: int
    converged_: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    encoder_: TableEncoder  # only if raw tables were encoded

    _given_encoder: TableEncoder | None = None  # of a table that was encoded before the fit
    _kind: ClassVar[str]  # in model files
    _rows_at_once: ClassVar[int]  # that one thread locates together
    _rules: ClassVar[Mapping[str, Rule]]
    # Parameters that describe a run and not the fitted model. Model files leave them out.
    _run_parameters: ClassVar[tuple[str, ...]] = (
        "n_jobs",
        "device",
        "verbose",
        "callback",
        "random_state",
    )

    def fit_transform(self, X: Table, y: Any = None) -> Array:
        """Fit the model and return the latent points of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows to cluster.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        embedding : ndarray of shape (n_samples, Q)
            Latent points.
        """
        return self.fit(X).embedding_

    def transform(self, X: Table) -> Array:
        """Return the latent points of rows, optimised under the fitted model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        embedding : ndarray of shape (n_samples, Q)
            Latent points.
        """
        return self._locate(X).points

    def predict_proba(self, X: Table) -> Array:
        """Return the probability of each cluster for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        responsibilities : ndarray of shape (n_samples, n_clusters)
            Probabilities; each row sums to one.
        """
        return np.concatenate(self._map_blocks(X, self._assigned))

    def predict(self, X: Table) -> Indices:
        """Return the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters from 0 to n_clusters - 1.
        """
        return self.predict_proba(X).argmax(axis=1)

    def score_samples(self, X: Table) -> Array:
        """Return a lower bound on the log density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Log densities in the units of X; higher is better.
        """
        return self._locate(X).log_density - np.sum(np.log(self.scale_[self.scale_ > 0]))

    def score(self, X: Table, y: Any = None) -> float:
        """Return the mean of `score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        score : float
            Higher is better.
        """
        return float(np.mean(self.score_samples(X)))

    def save(self, path: PathLike) -> None:
        """Write the fitted model to one file, without pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write, whole or not at all.
        """
        check_is_fitted(self)
        parameters = self.get_params()
        parameters = {k: v for k, v in parameters.items() if k not in self._run_parameters}
        if not isinstance(parameters.get("init", ""), str):
            del parameters["init"]  # labels belong to the run
        encoder = getattr(self, "encoder_", None)
        values, arrays = self._content()
        header = {
            "kind": self._kind,
            "parameters": parameters,
            "fitted": values,
            "feature_names": [str(name) for name in getattr(self, "feature_names_in_", [])],
            "recipe": None if encoder is None else asdict(encoder.recipe_),
            "unusual_below": getattr(self, "unusual_below_", None),
        }
        storage.save(path, header, arrays)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model file that `save` wrote. `sgpmic.load` reads those of both estimators.

        Parameters
        ----------
        path : str or path-like
            The file to read.

        Returns
        -------
        model : estimator
            The fitted estimator, with identical predictions.
        """
        return storage.load(path, [cls])

    @classmethod
    def _rebuilt(cls, header: dict[str, Any], arrays: storage.Arrays, every_row: bool) -> Self:
        """Return the estimator of a file, whose content may be invalid."""
        if not header["parameters"].keys().isdisjoint(cls._run_parameters):
            raise ValueError("its header sets parameters of a run")
        parameters = header["parameters"].items()
        model = cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in parameters})
        check_parameters(model, cls._rules)
        model.n_features_in_ = p = len(arrays["offset_"])
        if names := header["feature_names"]:
            if not isinstance(names, list) or [type(name) for name in names] != [str] * p:
                raise ValueError("its header does not name the features one by one")
            model.feature_names_in_ = np.array(names, dtype=object)
        if header.get("recipe") is not None:
            recipe = TableRecipe.from_json(header["recipe"])
            if len(recipe.feature_names) != p or (names and [*recipe.feature_names] != names):
                raise ValueError("its recipe of the table makes other features")
            model.encoder_ = TableEncoder.from_recipe(recipe)
        if (threshold := header.get("unusual_below")) is not None:
            model.unusual_below_ = float(threshold)
        model._restore(header["fitted"], arrays, every_row)
        return model

    @abstractmethod
    def _content(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON values and the arrays of a fit, for a model file."""

    @abstractmethod
    def _restore(self, values: dict[str, Any], members: storage.Arrays, every_row: bool) -> None:
        """Set the fitted attributes from the content of a file, which may be invalid.

        Without `every_row`, do not read the results of rows that `predict` does not need.
        """

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    @abstractmethod
    def _located(self, scaled: Array) -> Located:
        """Return latent points, probabilities and log densities of scaled rows."""

    def _assigned(self, scaled: Array) -> Array:
        """Return the cluster probabilities of scaled rows."""
        return self._located(scaled).S

    def _locate(self, X: Table, first_row: int = 0) -> Located:
        """Locate rows block by block. `first_row` is the number of rows before X in its file."""
        return Located.joined(self._map_blocks(X, self._located, first_row))

    def _fit_to(self, X: Table) -> None:
        check_parameters(self, self._rules)
        Y = self._validated(X, ensure_min_samples=2)
        check_spread(Y)
        with workers(self.n_jobs) as threads, warnings.catch_warnings():
            # Starts and base clusterings need not converge.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._fit_rows(Y, threads)

    @abstractmethod
    def _fit_rows(self, Y: Array, threads: Workers) -> None:
        """Set the fitted attributes."""

    def _report_step(self, step: str) -> None:
        """Report the start of a step of a fit, such as the choice of the number of clusters."""
        if self.verbose:
            print(f"{type(self).__name__}: {step}", flush=True)
        started = getattr(self.callback, "started", None)
        if started is not None:
            started(step)

    def _report_iteration(self, iteration: int, bound: float, labels: Indices) -> None:
        """Report the end of an EM iteration."""
        if self.verbose:
            text = f"iteration {iteration} of at most {self.max_iter}, bound {bound:.2f}"
            print(f"{type(self).__name__}: {text}", flush=True)
        if self.callback is not None:
            self.callback(iteration, bound, labels)

    def _diagnose(self) -> Diagnostics:
        """Set the attributes that follow from the responsibilities."""
        self.labels_ = self.responsibilities_.argmax(axis=1)
        self.n_clusters_ = self.responsibilities_.shape[1]
        self.no_clusters_ = self.selection_ is not None and self.n_clusters_ == 1
        found = diagnose(self.responsibilities_)
        self.cluster_sizes_, self.certainty_, self.twins_, self.tiny_, self.dead_ = found
        return found

    def _encoded(self, X: Table, fitting: bool) -> Any:
        """Return raw data frames and masked arrays as numbers, anything else unchanged."""
        if fitting and self._given_encoder is not None:
            self.encoder_ = self._given_encoder
        if isinstance(X, np.ma.MaskedArray):  # scikit-learn ignores the mask
            return np.ma.filled(X.astype(np.float64), np.nan)
        if not isinstance(X, pd.DataFrame):
            return X
        if (
            fitting
            and self._given_encoder is None
            and any(dtype.kind not in "biuf" for dtype in X.dtypes)
        ):
            missing = "model" if get_tags(self).input_tags.allow_nan else "median"
            self.encoder_ = TableEncoder(missing=missing).fit(X)
            if notes := self.encoder_.notes_:
                warn_caller(" ".join(note[0].upper() + note[1:] for note in notes))
        if not hasattr(self, "encoder_") or self.encoder_.recipe_.is_encoded(X.columns):
            return X
        named = fitting or hasattr(self, "feature_names_in_")
        names = self.encoder_.get_feature_names_out() if named else None
        return pd.DataFrame(self.encoder_.transform(X), columns=names)

    @property
    def _levels(self) -> Indices | None:
        """Number of levels of the category of each feature, 0 for numbers; None without encoder."""
        encoder = getattr(self, "encoder_", None)
        return None if encoder is None else encoder.recipe_.levels

    def _validated(self, X: Table, **options: Any) -> Array:
        X = self._encoded(X, fitting=options.get("reset", True))
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        checks = {"dtype": np.float64, "order": "C", "ensure_all_finite": finite, **options}
        with input_errors():
            Y = validate_data(self, X, **checks)
        check_rows(Y)
        return Y

    def _map_blocks(self, X: Table, function: Callable[[Array], Any], first_row: int = 0) -> list:
        check_is_fitted(self)
        Y, found = self._validated(X, reset=False), []
        with workers(self.n_jobs) as threads:
            for rows in gen_batches(len(Y), BLOCK):
                found += self._map_block(Y[rows], function, first_row + rows.start, threads)
        return found

    def _map_block(self, Y: Array, function: Callable, first_row: int, threads: Workers) -> list:
        """Return the results of a function of scaled rows for small parts of one block."""
        scaled = self._scaled(Y, first_row)
        parts = [scaled[rows] for rows in gen_batches(len(Y), self._rows_at_once)]
        return threads.map(function, parts, COST * len(Y))

    def _scaled(self, Y: Array, first_row: int = 0) -> Array:
        """Return the scaled columns. Columns with a scale of zero are left out."""
        used = self.scale_ > 0
        with np.errstate(over="ignore"):
            scaled = (Y[:, used] - self.offset_[used]) / self.scale_[used]
        if len(far := np.flatnonzero((np.abs(scaled) > SAFE_RANGE[1]).any(axis=1))):
            raise UsageError(
                f"Row {first_row + far[0] + 1} is too far from the training rows to be assigned "
                f"(beyond {SAFE_RANGE[1]:.0e} standard deviations)."
            )
        return np.asarray(scaled)
