"""One SGP-MIC fitted to one data set, and what it leaves in a folder."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import purity, score_all
from sgpmic_cli.single_fit.row_tables import write_csv, write_embedding, write_labels

DEFAULT_VARIANCE = 95.0
UNEVEN = 1000.0  # variances of columns further apart than this ask for a word about scaling

Progress = Callable[["Round"], None]


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
class Fitted:
    """A fitted model with the data behind it and the rounds of the restart that was kept."""

    model: PaperSGPMIC
    data: Dataset
    seed: int
    seconds: float
    rounds: list[Round]
    remarks: list[str] = field(default_factory=list)  # warnings of the fit and advice

    @property
    def scores(self) -> dict[str, float] | None:
        """Every score against the classes, where those are known."""
        return None if self.data.labels is None else score_all(self.data.labels, self.model.labels_)

    def trace(self) -> list[tuple[int, int, str, float, float | None]]:
        """(update, round, "E" or "M", bound, ACC): an E- and an M-step in each round, and one last E-step.

        Labels move in E-steps only, so an M-step carries the ACC of the E-step before it.
        """
        last = None if self.data.labels is None else purity(self.data.labels, self.model.labels_)
        accs = [each.acc for each in self.rounds for _ in "EM"] + [last]
        numbers = [each.number for each in self.rounds for _ in "EM"] + [self.model.n_iter_]
        updates = zip(numbers, self.model.lower_bounds_, accs, strict=True)
        return [(i + 1, number, "EM"[i % 2], float(bound), acc) for i, (number, bound, acc) in enumerate(updates)]

    def summary(self) -> dict[str, Any]:
        """What the command prints, as plain values."""
        model = self.model
        return {
            "dataset": self.data.name,
            "rows": self.data.Y.shape[0],
            "columns": self.data.Y.shape[1],
            "classes": self.data.n_classes or None,
            "clusters": len(model.weights_),
            "sizes": np.bincount(model.labels_, minlength=len(model.weights_)).tolist(),
            "dead_clusters": model.n_dead_components_,
            "dims": model.embedding_.shape[1],
            "kernel": model.kernel,
            "inducing": len(model.inducing_points_),
            "scale": "standard" if model.recipe_.evenly else model.scale,
            "optimizer": model.optimizer,
            "seed": self.seed,
            "restarts": model.n_init,
            "rounds": model.n_iter_,
            "converged": model.converged_,
            "lower_bound": float(model.lower_bound_),
            "noise_precision": model.noise_precision_,
            "jitter": model.jitter_,
            "scores": self.scores,
            "seconds": round(self.seconds, 3),
            "notes": list(self.data.notes),
            "remarks": self.remarks,
        }

    def write(self, folder: Path) -> None:
        """Write the model and its tables."""
        self.model.save(folder / "model.npz")
        write_labels(folder / "labels.csv", self.data, self.model.responsibilities_)
        write_embedding(folder / "embedding.csv", self.data, self.model.embedding_)
        write_csv(folder / "trace.csv", ["update", "round", "step", "bound", "acc"], self.trace())


def fit(
    data: Dataset,
    *,
    clusters: int | None = None,
    dims: int | None = None,
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
    if np.isnan(data.Y).any() and default_missing() != "model":
        fill, leave = Remedy("fill in medians", "missing", "median"), Remedy("leave such rows out", "missing", "drop")
        raise TableError(data.name, [Problem("values are missing, and the model cannot deal with them", (fill, leave))])
    given = {name: value for name, value in settings.items() if value is not None}
    rows = data
    if data.recipe is not None and data.recipe.has_text and given.get("scale", PaperSGPMIC().scale) == "standard":
        # Scaled one by one, the zeros and ones of a text with k values would weigh as much as k columns.
        rows, given["scale"] = data.evenly(), "global"
    if inducing is None:
        usual = entry(data.name).inducing if data.name in names() else PaperSGPMIC().n_inducing
        inducing = min(usual, len(data.Y))
    given["n_inducing"] = inducing
    model = PaperSGPMIC(_clusters(data, clusters), _dimensions(dims, variance), random_state=seed, **given)
    heard: list[Round] = []
    model.callback = _listener(model, data, heard, progress)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(rows.Y if data.names_made_up else pd.DataFrame(rows.Y, columns=list(data.feature_names)))
        except ValueError as error:
            raise UsageError(f"{data.name} cannot be fitted: {_as_clause(str(error))}") from None
        except FloatingPointError as error:
            raise SgpmicError(f"the fit of {data.name} diverged: {error}") from None
    seconds = time.perf_counter() - started
    remarks = list(dict.fromkeys(_as_clause(str(warning.message)) for warning in caught))
    model.recipe_ = rows.recipe or TableRecipe.of_numbers(data.Y, data.feature_names, named=not data.names_made_up)
    chosen = settings.get("scale") or "none"  # a common factor by default evens nothing out
    even = model.scale == "standard" or model.recipe_.evenly
    if chosen == "none" and not even and (advice := scaling_advice(data)):
        remarks.append(advice)
    return Fitted(model, data, seed, seconds, _kept(model, heard), remarks)


def default_missing() -> str:
    """What is done with missing values unless it is said: left to the model if it can work with them, else filled."""
    return "model" if PaperSGPMIC().__sklearn_tags__().input_tags.allow_nan else "median"


def scaling_advice(data: Dataset) -> str | None:
    """One sentence when the largest columns will drown the smallest."""
    variances = np.nanvar(data.Y, axis=0)
    low, high = [(variances[j], data.feature_names[j]) for j in _extremes(variances)]
    if high[0] <= UNEVEN * low[0]:
        return None
    return (
        f"the variance of column {high[1]!r} is {high[0] / low[0]:.0f} times that of {low[1]!r} and no column "
        "is scaled on its own: scale=standard lets every column count."
    )


def _extremes(variances: np.ndarray) -> tuple[int, int]:
    """The columns of least and greatest variance, constant ones left aside."""
    return int(np.where(variances > 0, variances, np.inf).argmin()), int(variances.argmax())


def _clusters(data: Dataset, clusters: int | None) -> int:
    if clusters is not None:
        return clusters
    if data.labels is None:
        raise UsageError(
            f"the number of classes in {data.name} is unknown: say how many to look for, such as "
            "clusters=3, or name the column of classes with label=COLUMN."
        )
    return data.n_classes


def _dimensions(dims: int | None, variance: float | None) -> int | float:
    if dims is not None and variance is not None:
        raise UsageError(f"dims={dims} and variance={variance:g} both set the latent dimensions: give one of them.")
    if dims is not None:
        if dims < 1:
            raise UsageError(f"dims={dims}: a latent space has at least one dimension.")
        return dims
    variance = DEFAULT_VARIANCE if variance is None else variance
    if not 1.0 <= variance < 100.0:
        raise UsageError(f"variance={variance:g}: give a percentage from 1 to below 100, such as 95.")
    return variance / 100.0


def _listener(model: PaperSGPMIC, data: Dataset, heard: list[Round], progress: Progress | None) -> Callable[..., None]:
    def listen(number: int, bound: float, labels: np.ndarray) -> None:
        acc = None if data.labels is None else purity(data.labels, labels)
        restart = 1 if not heard else heard[-1].restart + (number == 1)
        heard.append(Round(restart, model.n_init, number, model.max_iter, float(bound), acc))
        if progress is not None:
            progress(heard[-1])

    return listen


def _kept(model: PaperSGPMIC, heard: list[Round]) -> list[Round]:
    """The rounds of the restart that the model comes from: the one with the same bounds after its M-steps."""
    bounds = model.lower_bounds_[1::2]
    for restart in range(1, model.n_init + 1):
        rounds = [each for each in heard if each.restart == restart]
        if [each.bound for each in rounds] == bounds:
            return rounds
    raise AssertionError("no restart has the bounds of the model that was kept")


def _as_clause(sentence: str) -> str:
    """A sentence of the estimator as the second half of another."""
    return sentence[0].lower() + sentence[1:] if sentence else sentence
