"""Fit an estimator to one data set, and write the model and its tables into a folder."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Indices, Table
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.estimator_base.prediction import Features, RowResults
from sgpmic_cli.result import answer
from sgpmic_cli.result.profile import (
    Profile,
    profile_of,
    repeated_texts,
    scaling_advice,
    text_advice,
    write_profile,
)
from sgpmic_cli.result.result_tables import append_rows, row_numbers, unusual_notes
from sgpmic_cli.result.single_column import Condition
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.tables.encoder import TableEncoder, is_frame
from sgpmic_cli.tables.recipe import TableRecipe
from sgpmic_cli.tables.rows import Rows

# Reports an iteration, assigned rows, or the name of a step that begins.
FitProgressCallback = Callable[["IterationProgress | AssignProgress | str"], None]

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
    """A fitted model with its training rows, those without any value left out."""

    model: LatentClusterer
    data: Rows
    prediction: RowResults  # of the rows of `data`
    seconds: float | None = None  # None if the model was fitted elsewhere
    iterations: list[IterationProgress] = field(default_factory=list)  # of the start that was kept
    warnings: list[str] = field(default_factory=list)
    without: LatentClusterer | None = None  # fitted without the columns that explain clusters
    given_names: tuple[str, ...] = ()  # of the clusters; empty if they are proposed

    @cached_property
    def cluster_names(self) -> list[str]:
        """A condition or a name for each cluster."""
        return list(self.given_names) or answer.names_of(self.profile, self.conditions)

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """All scores against the classes; None without classes."""
        if self.data.labels is None:
            return None
        from sgpmic_cli.scores import score_all  # not needed without classes

        return score_all(self.data.labels, self.prediction.labels)

    @property
    def stability(self) -> float | None:
        """Mean overlap of the clusters with refits; None if not measured."""
        return answer.mean_stability(self.model)

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """Verdict of each cluster; empty for the paper's model."""
        return getattr(self.model, "verdicts_", [])

    @property
    def groups(self) -> Indices | None:
        """Surviving group of each row with values, or -1; None for the paper's model."""
        groups = getattr(self.model, "groups_", None)
        return None if groups is None else groups[self.model.labels_ >= 0]

    @cached_property
    def group_profile(self) -> Profile:
        """Features of the rows without a group, number 0, and of each surviving group."""
        assert self.groups is not None
        return answer.group_profile(self.data, self.groups)

    @cached_property
    def group_names(self) -> list[str]:
        """A condition or a name for each surviving group."""
        if self.groups is None or self.groups.max() < 0:
            return []
        return answer.group_names(self.data, self.groups, self.group_profile)

    @cached_property
    def conditions(self) -> list[Condition]:
        """The conditions of the clusters that a single column explains."""
        if self.model.n_clusters_ == 1:
            return []
        return answer.explained_rows(self.data, self.prediction.labels, self.profile)

    @property
    def method(self) -> str:
        """The model as in `--method`."""
        return "sgp-mic" if self.groups is None else "group-map"

    @property
    def n_columns(self) -> int:
        """Number of columns of the file that take part."""
        recipe = self.data.recipe
        return self.data.Y.shape[1] if recipe is None else len(recipe.columns)

    @cached_property
    def columns_to_drop(self) -> list[str]:
        """Columns that explain or repeat clusters, if other columns of the file remain."""
        recipe = self.data.recipe
        columns = answer.explaining_columns(self.conditions) or [*self._repeated_texts]
        return columns if recipe is not None and len(recipe.columns) > len(columns) else []

    @cached_property
    def _repeated_texts(self) -> dict[str, float]:
        return repeated_texts(self.data, self.prediction.labels)

    @cached_property
    def profile(self) -> Profile:
        """Features of the clusters."""
        return profile_of(self.data, self.prediction.probabilities)

    @cached_property
    def advice(self) -> list[str]:
        """Sentences about options that may improve the fit, and about unusual rows."""
        scaling = None if self.model.scale == "standard" else scaling_advice(self.data)
        # A condition says more than the sentence about texts.
        texts = [] if self.conditions else text_advice(self._repeated_texts)
        unusual = self.prediction.unusual
        notes = unusual_notes(int(unusual.sum()), len(unusual), "rows of the table")
        return [*filter(None, [scaling]), *texts, *notes]

    def trace(self) -> pd.DataFrame:
        """Return the bound after each update, and the ACC at the end of its iteration.

        The paper's model has two updates per iteration and a final E-step, the default model one.
        """
        updates, bounds = self.model.updates, self.model.lower_bounds_
        steps = [(done.number, step, done.acc) for done in self.iterations for step in updates]
        if len(steps) < len(bounds):
            final = None if self.scores is None else self.scores["acc"]
            steps.append((self.model.n_iter_, updates[0], final))
        trace = pd.DataFrame(steps, columns=["iteration", "step", "acc"])
        trace.insert(0, "update", range(1, len(steps) + 1))
        trace.insert(3, "bound", bounds)
        return trace

    def summary(self) -> dict[str, Any]:
        """Return the content of the command's JSON output as plain values."""
        model = self.model
        specific = {
            name: _plain(getattr(model, attribute))
            for name, attribute in MODEL_SUMMARY.items()
            if hasattr(model, attribute)
        }
        if self.groups is not None:
            groups = answer.groups_summary(self.groups, model.group_depths_, self.group_names)
            specific |= {"verdicts": self.verdicts, "groups": groups}
        return {
            "dataset": self.data.name,
            "rows": self.data.Y.shape[0],
            "columns": self.data.Y.shape[1],
            "classes": self.data.n_classes or None,
            "method": self.method,
            "clusters": model.n_clusters_,
            "sizes": model.cluster_sizes_.tolist(),
            "certainty": [round(float(value), 4) for value in model.certainty_],
            "stability": None if self.stability is None else round(self.stability, 4),
            "unusual_rows": int(self.prediction.unusual.sum()),
            "overlapping_pairs": [list(pair) for pair in model.overlapping_pairs_],
            "small_clusters": model.small_clusters_,
            "empty_clusters": model.empty_clusters_,
            "dims": model.embedding_.shape[1],
            "inducing": int(model.inducing_points_.shape[-2]),
            "scale": model.scale,
            "seed": model.get_params()["random_state"],
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
        numbers, ids = row_numbers(self.data), self.data.ids
        self.model.save(folder / "model.npz")
        for rows in row_blocks(len(numbers)):
            names = None if ids is None else ids[rows]
            groups = None if self.groups is None else self.groups[rows]
            part = self.prediction.part(rows)
            append_rows(folder, numbers[rows], names, part, groups)
        write_profile(folder / "profile.csv", self.profile)
        self.trace().to_csv(folder / "trace.csv", index=False, lineterminator="\n")


def fit_dataset(
    model: LatentClusterer,
    data: Rows,
    *,
    progress: FitProgressCallback = lambda _: None,
    wording: Callable[[str], str] = str,
) -> Fitted:
    """Fit an estimator to all columns of a data set.

    The estimator gets the encoder of the table, which encodes later files for `predict`. `wording`
    rephrases the messages of the estimator.
    """
    recipe = data.recipe or TableRecipe.of_numbers(data.feature_names)
    callback = _ProgressCallback(model, data, progress)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.set_params(callback=callback)
            model.fit(Features(data.Y, TableEncoder.from_recipe(recipe)))
        except UsageError as error:
            reason = _lower_first(wording(str(error)))
            raise UsageError(f"{data.name} cannot be fitted: {reason}") from None
        except FloatingPointError as error:
            raise SgpmicError(f"the fit of {data.name} diverged: {error}") from None
    seconds, kept = time.perf_counter() - started, callback.kept_iterations()
    messages = dict.fromkeys(wording(_lower_first(str(warning.message))) for warning in caught)
    return Fitted(model, data, model.training_prediction, seconds, kept, list(messages))


def last_step(model: LatentClusterer | Pipeline) -> LatentClusterer:
    """Return the fitted estimator, which may be the last step of a pipeline."""
    estimator = model[-1] if isinstance(model, Pipeline) else model
    if not isinstance(estimator, LatentClusterer):
        raise UsageError(
            "model must be a fitted GroupMap or SGPMIC, or a pipeline that ends with one, not "
            f"{type(estimator).__name__}."
        )
    check_is_fitted(estimator)
    return estimator


def fitted_of(model: LatentClusterer | Pipeline, X: Table, name: str = "X") -> Fitted:
    """Return a model that was fitted in Python, with the rows of a table.

    The columns of a pipeline's table are described as they are before its first step.
    """
    estimator = last_step(model)
    if isinstance(model, Pipeline) and len(model) > 1:
        prediction = estimator.prediction(model[:-1].transform(X))
        encoder = TableEncoder().fit(X) if is_frame(X) else None
        features = Features(np.asarray(X) if encoder is None else encoder.transform(X), encoder)
    else:
        features = estimator.encode(X)
        prediction = estimator.prediction(features)
    if features.encoder is None:
        recipe, names = None, [f"column_{j + 1}" for j in range(features.Y.shape[1])]
    else:
        recipe = features.encoder.recipe_
        names = list(recipe.feature_names)
    used = np.flatnonzero(prediction.labels >= 0)
    rows: Any = {"recipe": recipe, "row_numbers": used + 1}
    data = Rows.from_classes(name, features.Y[used], None, names, **rows)
    return Fitted(estimator, data, prediction.part(used))


class _ProgressCallback:
    """Callback of an estimator that records and reports the iterations."""

    def __init__(self, model: LatentClusterer, data: Rows, progress: FitProgressCallback):
        self.model, self.data, self.progress = model, data, progress
        self.started = progress  # a text names a step that begins
        self.iterations: list[IterationProgress] = []

    def __call__(self, number: int, bound: float, labels: np.ndarray) -> None:
        acc, classes = None, self.data.labels
        if classes is not None and len(labels) == len(classes):  # not a subsample
            from sgpmic_cli.scores import purity

            acc = purity(classes, labels)
        restart = 1 if not self.iterations else self.iterations[-1].restart + (number == 1)
        restarts = int(getattr(self.model, "n_init", 1))
        last = IterationProgress(restart, restarts, number, self.model.max_iter, float(bound), acc)
        self.iterations.append(last)
        self.progress(last)

    def assigned(self, done: int, rows: int) -> None:
        self.progress(AssignProgress(done, rows))

    def kept_iterations(self) -> list[IterationProgress]:
        """Return the iterations of the start that the fitted model has kept."""
        kept = getattr(self.model, "best_start_", 0) + 1
        return [iteration for iteration in self.iterations if iteration.restart == kept]


def _plain(value: Any) -> Any:
    if isinstance(value, pd.DataFrame):
        return value.to_dict("records")
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _lower_first(sentence: str) -> str:
    """Make the first letter lower case, to continue another sentence."""
    return sentence[0].lower() + sentence[1:] if sentence else sentence
