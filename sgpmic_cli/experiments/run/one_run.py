"""One run: fit, score, and turn whatever goes wrong into a failed record with its reason."""

import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.plan.foreign_class import one_line, said_by
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.safe_text import printable
from sgpmic_cli.scores import score_all

KEPT_WARNINGS = 5
TRACES = {
    "pretrain_loss_curve_": "pretraining loss",
    "loss_curve_": "loss",
    "lower_bounds_": "bound",
}


@dataclass(frozen=True)
class Fit:
    """What a method gave for a run, or the reason why it gave nothing."""

    seconds: float  # of the fit; the first one of a process imports the method, too, which is no part of them
    clusters: list[int] | None = None
    reason: str = ""
    warnings: list[str] = field(default_factory=list)
    n_iter: int | None = None
    trace: dict[str, list[float]] = field(default_factory=dict)


def compute(run: Run, memory: Path | None = None) -> Record:
    """The record of a run, also of one that fails; `memory` is where methods share intermediate results."""
    return scored(run, fit(run, memory))


def fit(run: Run, memory: Path | None = None, *, whatever_happens: bool = False) -> Fit:
    """Fit and do not score: nothing but the method itself counts towards its time and memory.

    With `whatever_happens` even an interrupt is a failure of the run: in a process of its own none comes from outside.
    """
    failures = BaseException if whatever_happens else (Exception, SystemExit)
    result: dict[str, Any]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator = _estimator(run, memory)
            start = time.perf_counter()
            result = _fitted(run, estimator)
        except failures as error:
            result = {"reason": printable(said_by(error))[:500]}
    messages = dict.fromkeys(printable(one_line(warning.message))[:300] for warning in caught)
    return Fit(
        seconds=time.perf_counter() - start, warnings=list(messages)[:KEPT_WARNINGS], **result
    )


def scored(run: Run, fitted: Fit) -> Record:
    """The record of a run whose method gave these clusters."""
    told = {
        "seconds": fitted.seconds,
        "warnings": fitted.warnings,
        "n_iter": fitted.n_iter,
        "trace": fitted.trace,
    }
    if fitted.clusters is None:
        return _record(run, status="failed", reason=fitted.reason, **told)
    assert run.cell.data is not None
    assert run.cell.data.labels is not None
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # what scikit-learn thinks of such clusters is nothing the method said
        scores = score_all(run.cell.data.labels, fitted.clusters)
    return _record(run, status="ok", scores=scores, **told)


def _record(run: Run, **result: Any) -> Record:
    return Record(
        key=run.key,
        dataset=run.cell.dataset,
        method=run.cell.method.name,
        q=run.q or 0,
        n_clusters=run.cell.n_clusters,
        settings=run.settings,
        repeat=run.repeat,
        seed=run.seed,
        **result,
    )


def _estimator(run: Run, memory: Path | None) -> Any:
    arguments = run.arguments()
    # What somebody else's `memory` means is theirs to say (scikit-learn's is another than ours).
    if memory is not None and not run.cell.method.foreign and "memory" in run.cell.method.accepts():
        arguments["memory"] = memory
    return run.cell.method.load()(**arguments)


def _fitted(run: Run, estimator: Any) -> dict[str, Any]:
    data = run.cell.data
    assert data is not None
    assert data.labels is not None
    clusters = np.asarray(estimator.fit_predict(data.Y))
    if clusters.shape != data.labels.shape:
        raise ValueError(
            f"fit_predict gave labels of shape {clusters.shape} for {len(data.labels)} rows."
        )
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        raise ValueError("fit_predict gave labels that are not numbers.")
    n_iter = getattr(estimator, "n_iter_", None)
    return {
        "clusters": np.unique(clusters, return_inverse=True)[1].tolist(),
        "n_iter": int(n_iter) if isinstance(n_iter, int | np.integer) else None,
        "trace": {
            name: curve
            for attribute, name in TRACES.items()
            if (curve := _curve(estimator, attribute))
        },
    }


def _curve(estimator: Any, attribute: str) -> list[float]:
    """A fitted attribute as a list of numbers; empty when there is none, or when it is something else."""
    try:
        values = np.asarray(getattr(estimator, attribute), dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        return []
    return values.tolist() if values.ndim == 1 and np.isfinite(values).all() else []
