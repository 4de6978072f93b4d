"""Fit an estimator to rows, and return what it says about them; assign new rows."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sgpmic_cli._typing import Indices
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.result.result import Refit, Result
from sgpmic_cli.result.tables import append_rows, row_numbers
from sgpmic_cli.result.words import columns_to_drop, unusual_notes
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.scores import purity, score_all
from sgpmic_cli.tables.read import default_names
from sgpmic_cli.tables.recipe import TableRecipe
from sgpmic_cli.tables.rows import RowResults, Rows

NO_CLUSTER = "no cluster"  # name of rows with one of these labels, or none
WITHOUT_CLUSTER = ("-1", "-1.0", "", "?")

# Reports how much of a step is done, how much there is, and the step in words.
Report = Callable[[int | None, int | None, str], None]


def no_report(done: int | None, total: int | None, step: str) -> None:
    """Report nothing."""


def fit_rows(model: Any, rows: Rows, report: Report = no_report) -> Result:
    """Fit an estimator to rows.

    The estimator gets the recipe of the table, which encodes later files for `predict`.
    """
    callback = _Callback(model.max_iter, rows.labels, report)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.set_params(callback=callback).fit(rows)
        except UsageError as error:
            raise UsageError(f"{rows.name} cannot be fitted: {_continued(error)}") from None
        except FloatingPointError as error:
            raise SgpmicError(f"the fit of {rows.name} diverged: {error}") from None
    seconds = round(time.perf_counter() - started, 3)
    result = result_of(model, rows, model.training_results)
    accs = callback.accs if result.scores is None else [*callback.accs, result.scores["acc"]]
    return replace(
        result,
        facts=result.facts | {"seconds": seconds},
        trace=_trace(model, accs),
        warnings=list(dict.fromkeys(_continued(each.message) for each in caught)),
    )


class _Callback:
    """Callback of an estimator that reports its steps and keeps the ACC of each iteration."""

    def __init__(self, max_iter: int, classes: Indices | None, report: Report):
        self.max_iter, self.classes, self.report = max_iter, classes, report
        self.accs: list[float | None] = []

    def started(self, step: str) -> None:
        self.report(None, None, f"current step: {step}")

    def __call__(self, number: int, bound: float, labels: Indices) -> None:
        text, acc = f"iteration {number}/{self.max_iter}", None
        if self.classes is not None and len(labels) == len(self.classes):  # not a subsample
            acc = purity(self.classes, labels)
            text += f", ACC {acc:.2f}"
        self.accs.append(acc)
        self.report(number, self.max_iter, text)

    def assigned(self, done: int, rows: int) -> None:
        self.report(done, rows, f"assigned {done} of {rows} rows")


def _trace(model: Any, accs: Sequence[float | None]) -> pd.DataFrame:
    """Return the bound after each update, and the ACC at the end of its iteration.

    The paper's model has two updates per iteration and a final E-step, the default model one.
    """
    bounds, steps = model.lower_bounds_, model.updates
    updates = np.arange(len(bounds))
    iterations = updates // len(steps)
    return pd.DataFrame(
        {
            "update": updates + 1,
            "iteration": np.minimum(iterations, model.n_iter_ - 1) + 1,
            "step": np.take(steps, updates % len(steps)),
            "bound": bounds,
            "acc": [accs[min(i, len(accs) - 1)] for i in iterations.tolist()],
        }
    )


def result_of(model: Any, rows: Rows, results: RowResults) -> Result:
    """Return what a fitted model says about rows with values."""
    parameters, tried = model.get_params(), model.selection_
    facts: dict[str, Any] = {
        "overlapping_pairs": [list(pair) for pair in model.overlapping_pairs_],
        "small_clusters": model.small_clusters_,
        "empty_clusters": model.empty_clusters_,
        "inducing": int(model.inducing_points_.shape[-2]),
        "scale": model.scale,
        "seed": parameters["random_state"],
        "iterations": model.n_iter_,
        "converged": model.converged_,
        "lower_bound": float(model.lower_bound_),
        "no_clusters": model.no_clusters_,
        "noise_variances": model.noise_variances_.tolist(),
    }
    result = Result(rows, results, mixture=(model.means_, model.covariances_), facts=facts)
    if not hasattr(model, "verdicts_"):
        facts |= {"method": "sgp-mic", "kernel": parameters["kernel"], "jitter": model.jitter_}
        return result
    facts |= {"method": "group-map", "base_clusterings": list(model.base_clusterings_)}
    return replace(
        result,
        verdicts=model.verdicts_,
        stability=model.stability_,
        overlap=_overlap(model),
        n_refits=parameters["n_resamples"],
        selection=[] if tried is None else tried.to_dict("records"),
    )


def _overlap(model: Any) -> float | None:
    """Return the mean overlap of the clusters with refits, weighted by size, or None."""
    return None if model.stability_ is None else float(model.weights_ @ model.stability_)


def add_refit(result: Result, model: Any, report: Report = no_report) -> None:
    """Repeat a fit without the columns that explain clusters, if there are any.

    The map does not change the clusters, so it gets a single iteration. Rows beyond `max_rows`
    would have to be assigned again, so a table with such rows is not repeated.
    """
    recipe, columns = result.rows.recipe, result.explaining_columns
    too_many = len(result.rows.Y) > getattr(model, "max_rows", 0)
    if recipe is None or not columns or not columns_to_drop(result) or too_many:
        return
    report(None, None, f"the same without {', '.join(columns)}")
    kept = [column.name not in columns for column in recipe.columns]
    others = replace(recipe, columns=tuple(np.array(recipe.columns, dtype=object)[kept]))
    Y = result.rows.Y[:, np.array(kept)[recipe.column_of_feature]]
    same = replace(result.rows, Y=Y, recipe=others, feature_names=others.feature_names)
    again = type(model)(**{**model.get_params(), "max_iter": 1, "callback": None})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            again.fit(same)
        except UsageError:  # the other columns cannot be clustered
            return
    result.refit = Refit(again.labels_, _overlap(again))


def fit_labels(
    rows: Rows, codes: Indices, names: Sequence[str], report: Report = no_report
) -> Result:
    """Return the result of given clusters (N,), with the verdicts and the map of the default model.

    Without refits, the model only describes the clusters. It assigns the rows beyond `max_rows`,
    perhaps to other clusters, but every row keeps its cluster.
    """
    from sgpmic_cli.clustering.group_map import GroupMap

    model = GroupMap(len(names), init=codes, n_resamples=0, random_state=0)
    result = fit_rows(model, rows, report)
    S, other = result.results.probabilities.copy(), result.results.labels != codes
    S[other] = np.eye(len(names))[codes[other]]
    results = replace(result.results, labels=codes, probabilities=S)
    return replace(result, results=results, names=tuple(names))


def cluster_codes(labels: ArrayLike) -> tuple[Indices, list[str]]:
    """Return the number of each row's cluster, and the names of the clusters in order."""
    given = pd.Series(labels)
    codes, names = pd.factorize(given.mask(given.astype(str).isin(WITHOUT_CLUSTER)), sort=True)
    if (codes < 0).any():
        return np.where(codes < 0, len(names), codes), [*map(str, names), NO_CLUSTER]
    return codes, [*map(str, names)]


def recipe_of(model: Any) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted to an array takes plain numbers."""
    if model.encoder_ is not None:
        return model.encoder_.recipe_
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or default_names(model.n_features_in_)
    return TableRecipe.of_numbers(columns, named=bool(names))


def assign_rows(model: Any, rows: Rows, folder: Path, report: Report = no_report) -> dict[str, Any]:
    """Assign the rows of a table, and write labels.csv and embedding.csv.

    Return the content of the command's JSON output.
    """
    labels = np.empty(len(rows.Y), dtype=np.intp)
    probability, n_unusual = 0.0, 0
    for part in row_blocks(len(labels)):
        some = rows.part(part)
        try:
            found = model.row_results(some)
        except UsageError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        append_rows(folder, row_numbers(some), some.ids, found)
        labels[part] = found.labels
        n_unusual += int(found.unusual.sum())
        probability += float(found.probabilities.max(axis=1).sum())
        report(part.stop, None, f"assigned {part.stop} rows")
    n, sizes = len(labels), np.bincount(labels, minlength=model.n_clusters_)
    return {
        "dataset": rows.name,
        "rows": n,
        "clusters": len(sizes),
        "sizes": sizes.tolist(),
        "dims": model.embedding_.shape[1],
        "mean_probability": probability / n,
        "unusual_rows": n_unusual,
        "scores": None if rows.labels is None else score_all(rows.labels, labels),
        "notes": [*rows.notes, *unusual_notes(n_unusual, n, "rows of the model")],
    }


def _continued(sentence: object) -> str:
    """Make the first letter of a message lower case, to continue another sentence."""
    text = str(sentence)
    return text[:1].lower() + text[1:]
