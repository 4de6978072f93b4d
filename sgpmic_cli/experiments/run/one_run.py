"""One run: fit, score, and turn whatever goes wrong into a failed record with its reason."""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.scores import score_all

KEPT_WARNINGS = 5
TRACES = {"pretrain_loss_curve_": "pretraining loss", "loss_curve_": "loss", "lower_bounds_": "bound"}


def compute(run: Run, memory: Path | None = None) -> Record:
    """The record of a run, also of one that fails; `memory` is where methods share intermediate results.

    Its seconds are those of the fit: the first run of a process imports the method, too, which is no part of them.
    """
    result: dict[str, Any]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator = _estimator(run, memory)
            start = time.perf_counter()
            result = {"status": "ok", **_fit(run, estimator)}
        except (Exception, SystemExit) as error:  # a method of somebody's may even try to end the program
            sentence = " ".join(str(error).split()) or "no reason was given"
            result = {"status": "failed", "reason": f"{type(error).__name__}: {sentence}"[:500]}
    messages = dict.fromkeys(" ".join(str(warning.message).split())[:300] for warning in caught)
    return Record(
        key=run.key,
        dataset=run.cell.dataset,
        method=run.cell.method.name,
        q=run.cell.q or 0,
        n_clusters=run.cell.n_clusters,
        settings=run.settings,
        repeat=run.repeat,
        seed=run.seed,
        seconds=time.perf_counter() - start,
        warnings=list(messages)[:KEPT_WARNINGS],
        **result,
    )


def _estimator(run: Run, memory: Path | None) -> Any:
    arguments = run.arguments()
    if memory is not None and "memory" in run.cell.method.accepts():
        arguments["memory"] = memory
    return run.cell.method.load()(**arguments)


def _fit(run: Run, estimator: Any) -> dict[str, Any]:
    data = run.cell.data
    assert data is not None
    assert data.labels is not None
    clusters = np.asarray(estimator.fit_predict(data.Y))
    if clusters.shape != data.labels.shape:
        raise ValueError(f"fit_predict gave labels of shape {clusters.shape} for {len(data.labels)} rows.")
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        raise ValueError("fit_predict gave labels that are not numbers.")
    n_iter = getattr(estimator, "n_iter_", None)
    return {
        "scores": score_all(data.labels, clusters),
        "n_iter": int(n_iter) if isinstance(n_iter, int | np.integer) else None,
        "trace": {name: curve for attribute, name in TRACES.items() if (curve := _curve(estimator, attribute))},
    }


def _curve(estimator: Any, attribute: str) -> list[float]:
    """A fitted attribute as a list of numbers; empty when there is none, or when it is something else."""
    try:
        values = np.asarray(getattr(estimator, attribute), dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        return []
    return values.tolist() if values.ndim == 1 and np.isfinite(values).all() else []
