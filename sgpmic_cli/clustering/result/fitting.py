"""Fit an estimator to one data set, and write the model and its tables into a folder."""

import copy
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Array, BoolArray, Table
from sgpmic_cli.clustering.result.profile import (
    Profile,
    profile_of,
    scaling_advice,
    text_advice,
    write_profile,
)
from sgpmic_cli.clustering.result.row_density import unusual_below, unusual_notes
from sgpmic_cli.clustering.result.row_tables import append_rows, row_numbers
from sgpmic_cli.clustering.result.settings import (
    Model,
    Setting,
    default_missing,
    estimator_for,
    with_options,
)
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.estimator_base.diagnostics import diagnose, warn_about
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.paper.model.estimator import PaperSGPMIC
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.scores import purity, score_all
from sgpmic_cli.tables.encoder import TableEncoder
from sgpmic_cli.tables.problems import DROP_ROWS, USE_MEDIAN, Problem, TableError
from sgpmic_cli.tables.recipe import TableRecipe

BLOCK = 4096  # rows that are located at once
N_RESAMPLES = 8  # of the default model; the estimator's own default is 0
# Reports an iteration, assigned rows, or the name of a step that begins.
Progress = Callable[["IterationProgress | AssignProgress | str"], None]

# Entries of the summary that not all models have, with the attributes they come from.
MODEL_SUMMARY = {
    "kernel": "kernel",
    "optimizer": "optimizer",
    "restarts": "n_init",
    "jitter": "jitter_",
    "base_clusterings": "base_clusterings_",
    "numbers_tried": "selection_",
    "no_clusters": "no_clusters_",
    "noise_variances": "noise_variances_",
}


@dataclass(frozen=True)
class IterationProgress:
    """Progress of one EM iteration."""

    restart: int  # from 1
    restarts: int
    number: int  # from 1
    max_iter: int
    bound: float
    acc: float | None  # purity in percent; None without classes


@dataclass(frozen=True)
class AssignProgress:
    """Progress of the assignment of rows to a fitted model."""

    done: int
    rows: int | None  # None if the length of the file is not known yet


@dataclass(frozen=True)
class Fitted:
    """A fitted model, its data and the iterations of the restart that was kept."""

    model: Model
    setting: Setting
    data: Dataset
    seed: int
    seconds: float | None  # None if the model was fitted elsewhere
    iterations: list[IterationProgress]
    asked_for_scale: bool = False
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """All scores against the classes; None without classes."""
        return None if self.data.labels is None else score_all(self.data.labels, self.model.labels_)

    @cached_property
    def log_density(self) -> Array:
        """Log density (N,) of the rows under the model; missing values count as expected ones."""
        model = self.model
        if (found := getattr(model, "_log_density", None)) is not None:  # of a fit to a subsample
            return np.asarray(found)
        Y = self.data.Y
        blocks = gen_batches(len(Y), BLOCK)
        parts = [model._located(model._scaled(Y[rows], 0)).log_density for rows in blocks]
        return np.concatenate(parts)

    @cached_property
    def unusual(self) -> BoolArray:
        """Rows (N,) that resemble nothing else in the table."""
        return np.asarray(self.log_density < unusual_below(self.log_density))

    @property
    def stability(self) -> float | None:
        """Mean overlap of the clusters with refits, weighted by size; None if not measured."""
        found = getattr(self.model, "stability_", None)
        return None if found is None else float(self.model.weights_ @ found)

    @property
    def scale(self) -> str:
        """How the columns were scaled."""
        return str(self.model.scale)

    @cached_property
    def profile(self) -> Profile:
        """Features of the clusters."""
        return profile_of(self.data, self.model.responsibilities_)

    @cached_property
    def advice(self) -> list[str]:
        """Sentences about options that may improve the fit, and about unusual rows."""
        found = [text_advice(self.profile)]
        # A common factor leaves the columns uneven, but a user who asks for it knows that.
        if self.scale == "none" or (self.scale == "global" and not self.asked_for_scale):
            found.insert(0, scaling_advice(self.data))
        n, n_rows = int(self.unusual.sum()), len(self.unusual)
        return [*filter(None, found), *unusual_notes(n, n_rows, "else in the table")]

    def trace(self) -> pd.DataFrame:
        """Return the bound after each update, and the ACC at the end of its iteration.

        The default model has one bound per iteration, after both steps. The paper's model has one
        after every E-step and every M-step, and one after a final E-step.
        """
        names = ("E", "M") if self.setting == "paper" else ("EM",)
        steps = [(each.number, name, each.acc) for each in self.iterations for name in names]
        if self.setting == "paper":
            final = None if self.scores is None else self.scores["acc"]
            steps.append((self.model.n_iter_, "E", final))
        trace = pd.DataFrame(steps, columns=["iteration", "step", "acc"])
        trace.insert(0, "update", range(1, len(steps) + 1))
        trace.insert(3, "bound", self.model.lower_bounds_)
        return trace

    def summary(self) -> dict[str, Any]:
        """Return the content of the command's JSON output as plain values."""
        model = self.model
        specific = {
            name: _plain(getattr(model, attribute))
            for name, attribute in MODEL_SUMMARY.items()
            if hasattr(model, attribute)
        }
        return {
            "dataset": self.data.name,
            "rows": self.data.Y.shape[0],
            "columns": self.data.Y.shape[1],
            "classes": self.data.n_classes or None,
            "setting": self.setting,
            "clusters": len(model.weights_),
            "sizes": model.cluster_sizes_.tolist(),
            "certainty": [round(float(value), 4) for value in model.certainty_],
            "stability": None if self.stability is None else round(self.stability, 4),
            "unusual_rows": int(self.unusual.sum()),
            "twins": [list(pair) for pair in model.twins_],
            "tiny_clusters": model.tiny_,
            "dead_clusters": model.dead_,
            "dims": model.embedding_.shape[1],
            "inducing": int(model.inducing_points_.shape[-2]),
            "scale": self.scale,
            "seed": self.seed,
            "iterations": model.n_iter_,
            "converged": model.converged_,
            "lower_bound": float(model.lower_bound_),
            **specific,
            "scores": self.scores,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "notes": list(self.data.notes),
            "warnings": [*self.warnings, *self.advice],
        }

    def write(self, folder: Path) -> None:
        """Write the model and its tables."""
        model, numbers = self.model, row_numbers(self.data)
        model.save(folder / "model.npz")
        for rows in row_blocks(len(numbers)):
            ids = None if self.data.ids is None else self.data.ids[rows]
            S, X = model.responsibilities_[rows], model.embedding_[rows]
            append_rows(folder, numbers[rows], ids, S, X, self.unusual[rows])
        write_profile(folder / "profile.csv", self.profile)
        self.trace().to_csv(folder / "trace.csv", index=False, lineterminator="\n")


def fit(
    data: Dataset,
    *,
    setting: Setting = "default",
    seed: int = 0,
    progress: Progress = lambda _: None,
    **settings: Any,
) -> Fitted:
    """Fit an estimator to all columns of a data set.

    `settings` are arguments of `estimator_for`; None keeps the default, except that `n_resamples`
    of the default model is 8. The model carries the recipe of the table, which encodes raw files
    for `predict`.
    """
    if np.isnan(data.Y).any() and default_missing(setting) != "model":
        what = "values are missing, and the model cannot deal with them"
        raise TableError(data.name, [Problem(what, [USE_MEDIAN, DROP_ROWS])])
    given = {name: value for name, value in settings.items() if value is not None}
    if setting == "default":
        given.setdefault("n_resamples", N_RESAMPLES)
    elif given.get("device") in ("cpu", "auto"):
        del given["device"]  # the paper's model always runs on the processor
    model = estimator_for(data, setting, random_state=seed, **given)
    recipe = data.recipe or TableRecipe.of_numbers(data.Y, data.feature_names)
    model._given_encoder = TableEncoder.from_recipe(recipe)
    callback = _ProgressCallback(model, data, progress)
    model.callback = callback
    names = None if data.names_made_up else list(data.feature_names)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(data.Y if names is None else pd.DataFrame(data.Y, columns=names, copy=False))
        except ValueError as error:
            reason = _lower_first(with_options(str(error)))
            raise UsageError(f"{data.name} cannot be fitted: {reason}") from None
        except FloatingPointError as error:
            raise SgpmicError(f"the fit of {data.name} diverged: {error}") from None
        if setting == "paper":  # the default estimator warns by itself
            warn_about(diagnose(model.responsibilities_))
    seconds = time.perf_counter() - started
    messages = (with_options(_lower_first(str(warning.message))) for warning in caught)
    asked = settings.get("scale") is not None
    kept, distinct = callback.kept_iterations(), list(dict.fromkeys(messages))
    fitted = Fitted(model, setting, data, seed, seconds, kept, asked, distinct)
    model.unusual_below_ = unusual_below(fitted.log_density)
    return fitted


def dataset_of(model: LatentClusterer, X: Table, name: str = "X") -> Dataset:
    """Return rows that a fitted model accepts as a data set."""
    check_is_fitted(model)
    Y = np.asarray(model._validated(X, reset=False))
    given = getattr(model, "feature_names_in_", None)
    names = [f"column_{j + 1}" for j in range(Y.shape[1])] if given is None else list(given)
    if hasattr(model, "encoder_"):  # it was fitted to a raw table
        recipe = model.encoder_.recipe_
    else:
        recipe = TableRecipe.of_numbers(Y, names, named=given is not None)
    return Dataset.from_classes(name, Y, None, names, recipe=recipe)


def fitted_of(model: Model, X: Table, name: str) -> Fitted:
    """Return a model that was fitted in Python, with its training rows."""
    data = dataset_of(model, X, name)
    if len(data.Y) != len(model.labels_):
        raise ValueError(
            f"X must be the rows of the fit: it has {len(data.Y)} rows, not {len(model.labels_)}."
        )
    model = copy.copy(model)
    model.encoder_ = TableEncoder.from_recipe(cast(TableRecipe, data.recipe))
    setting: Setting = "paper" if isinstance(model, PaperSGPMIC) else "default"
    return Fitted(model, setting, data, seed=0, seconds=None, iterations=[])


class _ProgressCallback:
    """Callback of an estimator that records and reports the iterations."""

    def __init__(self, model: Model, data: Dataset, progress: Progress):
        self.model, self.data, self.progress = model, data, progress
        self.started = progress  # a text names a step that begins
        self.iterations: list[IterationProgress] = []

    def __call__(self, number: int, bound: float, labels: np.ndarray) -> None:
        acc, classes = None, self.data.labels
        if classes is not None and len(labels) == len(classes):  # not a subsample
            acc = purity(classes, labels)
        restart = 1 if not self.iterations else self.iterations[-1].restart + (number == 1)
        restarts = int(getattr(self.model, "n_init", 1))
        max_iter = self.model.max_iter
        last = IterationProgress(restart, restarts, number, max_iter, float(bound), acc)
        self.iterations.append(last)
        self.progress(last)

    def assigned(self, done: int, rows: int) -> None:
        self.progress(AssignProgress(done, rows))

    def kept_iterations(self) -> list[IterationProgress]:
        """Return the iterations of the restart whose bounds the fitted model has."""
        bounds = set(map(float, self.model.lower_bounds_))
        kept = next(each.restart for each in self.iterations if each.bound in bounds)
        return [each for each in self.iterations if each.restart == kept]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _lower_first(sentence: str) -> str:
    """Make the first letter lower case, to continue another sentence."""
    return sentence[0].lower() + sentence[1:] if sentence else sentence
