"""One SGP-MIC fitted to one data set, and what it leaves in a folder."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.model.outcome import Outcome, judge, warn_of
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import purity, score_all
from sgpmic_cli.single_fit.advice import scaling_advice, text_advice
from sgpmic_cli.single_fit.profile import Profile, profile_of, write_profile
from sgpmic_cli.single_fit.row_tables import write_csv, write_rows
from sgpmic_cli.single_fit.settings import (
    ESTIMATORS,
    Clusters,
    Dimensions,
    Model,
    Setting,
    default_missing,
    estimator_for,
)

Progress = Callable[["Round | Placing"], None]


@dataclass(frozen=True)
class Round:
    """One round of a fit as it goes by."""

    restart: int  # from 1
    restarts: int
    number: int  # from 1
    rounds: int
    bound: float
    acc: float | None  # purity in percent; None without classes


@dataclass(frozen=True)
class Placing:
    """Rows that are placed in a fitted model, as they go by."""

    done: int
    rows: int | None  # None where a file has not come to its end


@dataclass(frozen=True)
class Update:
    """The bound after an update, and the ACC of the labels that the update has worked with."""

    number: int  # from 1
    round: int  # from 1
    step: str  # "E" or "M"
    bound: float
    acc: float | None


@dataclass(frozen=True)
class Fitted:
    """A fitted model with the data behind it and the rounds of the restart that was kept."""

    model: Model
    setting: Setting
    data: Dataset
    seed: int
    seconds: float
    rounds: list[Round]
    asked_for_scale: bool = False
    remarks: list[str] = field(default_factory=list)  # warnings of the fit

    @property
    def scores(self) -> dict[str, float] | None:
        """Every score against the classes, where those are known."""
        return None if self.data.labels is None else score_all(self.data.labels, self.model.labels_)

    @cached_property
    def outcome(self) -> Outcome:
        """Sizes and certainty of the clusters, and which of them are not what they seem."""
        return judge(self.model.responsibilities_)

    @cached_property
    def profile(self) -> Profile:
        """What makes each cluster."""
        return profile_of(self.data, self.model.labels_, self.outcome)

    @property
    def advice(self) -> list[str]:
        """What could be done differently."""
        # A common factor evens nothing out, but whoever asks for it knows.
        uneven = self.model.scale == "none" or (
            self.model.scale == "global" and not self.asked_for_scale
        )
        found = [scaling_advice(self.data) if uneven and not self.model.recipe_.evenly else None]
        return [
            sentence for sentence in (*found, text_advice(self.profile)) if sentence is not None
        ]

    def trace(self) -> list[Update]:
        """Every update of the fit.

        A round of the paper's setting has an E- and an M-step, and one last E-step ends the fit; a round of the default
        one has its bound after the M-step. Labels move in E-steps only, so an M-step carries the ACC of the last one.
        """
        bounds = self.model.lower_bounds_
        heard = [each.acc for each in self.rounds]
        last = self._acc(self.model.labels_)
        if isinstance(self.model, PaperSGPMIC):
            accs = [acc for acc in heard for _ in "EM"]
            steps, numbers = (
                "EM" * len(heard) + "E",
                [each.number for each in self.rounds for _ in "EM"],
            )
        else:
            accs = [self._acc(self.model.votes_.argmax(axis=1)), *heard[:-1]]
            steps, numbers = "M" * len(heard) + "E", [each.number for each in self.rounds]
        updates = zip([*numbers, self.model.n_iter_], steps, bounds, [*accs, last], strict=True)
        return [
            Update(i, number, step, float(bound), acc)
            for i, (number, step, bound, acc) in enumerate(updates, 1)
        ]

    def _acc(self, labels: np.ndarray) -> float | None:
        return None if self.data.labels is None else purity(self.data.labels, labels)

    def summary(self) -> dict[str, Any]:
        """What the command prints, as plain values."""
        model, outcome = self.model, self.outcome
        return {
            "dataset": self.data.name,
            "rows": self.data.Y.shape[0],
            "columns": self.data.Y.shape[1],
            "classes": self.data.n_classes or None,
            "setting": self.setting,
            "clusters": len(model.weights_),
            "sizes": outcome.sizes.tolist(),
            "certainty": [round(float(value), 4) for value in outcome.certainty],
            "twins": [list(pair) for pair in outcome.twins],
            "tiny_clusters": outcome.tiny,
            "dead_clusters": outcome.dead,
            "dims": model.embedding_.shape[1],
            "inducing": int(model.inducing_points_.shape[-2]),
            "scale": "standard" if model.recipe_.evenly else model.scale,
            "seed": self.seed,
            "rounds": model.n_iter_,
            "converged": model.converged_,
            "lower_bound": float(model.lower_bound_),
            **self._summary_of_setting(),
            "scores": self.scores,
            "seconds": round(self.seconds, 3),
            "notes": list(self.data.notes),
            "remarks": [*self.remarks, *self.advice],
        }

    def _summary_of_setting(self) -> dict[str, Any]:
        model = self.model
        if isinstance(model, PaperSGPMIC):
            return {
                "kernel": model.kernel,
                "optimizer": model.optimizer,
                "restarts": model.n_init,
                "noise_precision": 1.0 / float(model.noise_variances_[0]),
                "jitter": model.jitter_,
            }
        return {
            "start": list(model.start_),
            "numbers_tried": model.selection_,
            "no_clusters": model.no_clusters_,
            "noise_variances": model.noise_variances_.tolist(),
        }

    def write(self, folder: Path) -> None:
        """Write the model and its tables."""
        self.model.save(folder / "model.npz")
        data, model = self.data, self.model
        write_rows(folder, data.row_numbers, data.ids, model.responsibilities_, model.embedding_)
        write_profile(folder / "profile.csv", self.profile)
        rows = [(each.number, each.round, each.step, each.bound, each.acc) for each in self.trace()]
        write_csv(folder / "trace.csv", ["update", "round", "step", "bound", "acc"], rows)


def fit(
    data: Dataset,
    *,
    setting: Setting = "default",
    clusters: Clusters | None = None,
    dims: Dimensions | None = None,
    variance: float | None = None,
    inducing: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **settings: Any,
) -> Fitted:
    """Fit SGP-MIC to all columns of a data set as they are.

    `settings` are further arguments of the estimator; those that are None keep its defaults. The model carries the
    recipe of the table, so that it can be shown raw files of the same kind.
    """
    if np.isnan(data.Y).any() and default_missing(setting) != "model":
        fill, leave = (
            Remedy("fill in medians", "missing", "median"),
            Remedy("leave such rows out", "missing", "drop"),
        )
        raise TableError(
            data.name,
            [Problem("values are missing, and the model cannot deal with them", (fill, leave))],
        )
    given = {name: value for name, value in settings.items() if value is not None}
    rows = data
    if (
        data.recipe is not None
        and data.recipe.has_text
        and given.get("scale", _usual_scale(setting)) == "standard"
    ):
        # Scaled one by one, the zeros and ones of a text with k values would weigh as much as k columns.
        rows, given["scale"] = data.evenly(), "global"
    model = estimator_for(
        data,
        setting,
        clusters=clusters,
        dims=dims,
        variance=variance,
        inducing=inducing,
        seed=seed,
        settings=given,
    )
    heard: list[Round] = []
    model.callback = _Listener(model, data, heard, progress)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(rows.Y if data.names_made_up else _named(rows))
        except ValueError as error:
            raise UsageError(f"{data.name} cannot be fitted: {_as_clause(str(error))}") from None
        except FloatingPointError as error:
            raise SgpmicError(f"the fit of {data.name} diverged: {error}") from None
        if isinstance(model, PaperSGPMIC):  # the default one does so by itself
            warn_of(judge(model.responsibilities_))
    seconds = time.perf_counter() - started
    remarks = list(dict.fromkeys(_as_clause(str(warning.message)) for warning in caught))
    model.recipe_ = rows.recipe or TableRecipe.of_numbers(
        data.Y, data.feature_names, named=not data.names_made_up
    )
    asked = settings.get("scale") is not None
    return Fitted(model, setting, data, seed, seconds, _kept(model, heard), asked, remarks)


def _usual_scale(setting: Setting) -> str:
    return str(ESTIMATORS[setting]().scale)


def _named(rows: Dataset) -> pd.DataFrame:
    return pd.DataFrame(rows.Y, columns=list(rows.feature_names), copy=False)


class _Listener:
    """What a model calls while it is fitted."""

    def __init__(self, model: Model, data: Dataset, heard: list[Round], progress: Progress | None):
        self.model, self.data, self.heard, self.progress = model, data, heard, progress
        self.restarts = model.n_init if isinstance(model, PaperSGPMIC) else 1

    def __call__(self, number: int, bound: float, labels: np.ndarray) -> None:
        acc, classes = None, self.data.labels
        if classes is not None and len(labels) == len(
            classes
        ):  # a fit to a draw of the rows has fewer
            acc = purity(classes, labels)
        restart = 1 if not self.heard else self.heard[-1].restart + (number == 1)
        self.heard.append(
            Round(restart, self.restarts, number, self.model.max_iter, float(bound), acc)
        )
        if self.progress is not None:
            self.progress(self.heard[-1])

    def placed(self, done: int, rows: int) -> None:
        if self.progress is not None:
            self.progress(Placing(done, rows))


def _kept(model: Model, heard: list[Round]) -> list[Round]:
    """The rounds of the restart that the model comes from: the one with the same bounds after its M-steps."""
    if not isinstance(model, PaperSGPMIC):
        return heard
    bounds = model.lower_bounds_[1::2]
    for restart in range(1, model.n_init + 1):
        rounds = [each for each in heard if each.restart == restart]
        if [each.bound for each in rounds] == bounds:
            return rounds
    raise AssertionError("no restart has the bounds of the model that was kept")


def _as_clause(sentence: str) -> str:
    """A sentence of the estimator as the second half of another."""
    return sentence[0].lower() + sentence[1:] if sentence else sentence
