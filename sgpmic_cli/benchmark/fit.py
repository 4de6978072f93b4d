"""Compute one run: fit, score, and turn an error into a failed run with its reason."""

import io
import re
import time
import traceback
import warnings
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.methods import error_text, import_class
from sgpmic_cli.benchmark.plan import Cell
from sgpmic_cli.scores import score_all
from sgpmic_cli.text import for_html, printable

KEPT_WARNINGS = 5
KEPT_CHARACTERS = 4000  # of a traceback, from its end
Row = dict[str, Any]  # of the frame of runs
# Fitted attributes that a run keeps, with their names there.
TRACES = {
    "pretrain_loss_curve_": "pretraining loss",
    "loss_curve_": "loss",
    "lower_bounds_": "bound",
}


def make_estimator(cell: Cell, seed: int, memory: Path | None = None) -> Any:
    """Create the estimator of a run.

    `memory` is the folder where the package's methods share intermediate results.
    """
    common: dict[str, Any] = {
        "n_clusters": cell.n_clusters,
        "n_components": cell.q,
        "random_state": seed,
    }
    if not cell.method.third_party:  # a third-party parameter of this name may mean something else
        common["memory"] = memory
    accepted = cell.method.accepts()
    given = {name: value for name, value in common.items() if name in accepted}
    return import_class(cell.method.target)(**given | dict(cell.settings))


def compute(cell: Cell, seed: int, Y: Array, labels: Any, memory: Path | None = None) -> Row:
    """Fit and score one run with one thread, and return the fields that it fills in the frame.

    The seconds are those of the fit alone.
    """
    from threadpoolctl import threadpool_limits

    Y = Y.view()
    Y.flags.writeable = False
    start = time.perf_counter()
    with (
        threadpool_limits(limits=1),
        redirect_stdout(io.StringIO()),  # methods may print, but stdout is for our tables
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            estimator = make_estimator(cell, seed, memory)
            start = time.perf_counter()
            clusters, fitted = _fitted(estimator, Y)
        except (Exception, SystemExit) as error:
            text = printable(error_text(error))[:500]
            fitted = {"status": "failed", "reason": text, "traceback": _traceback(error)}
    seconds = time.perf_counter() - start
    if fitted["status"] == "ok":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the scores are not the method's
            fitted |= score_all(labels, clusters)
    messages = (printable(" ".join(str(each.message).split()))[:300] for each in caught)
    kept = list(dict.fromkeys(messages))[:KEPT_WARNINGS]
    return {"reason": "", "traceback": "", "seconds": seconds, "warnings": kept, **fitted}


def _fitted(estimator: Any, Y: Array) -> tuple[Indices, Row]:
    """Return the clusters of a fit, and its iterations and curves."""
    clusters = np.asarray(estimator.fit_predict(Y))
    if clusters.shape != (len(Y),):
        raise ValueError(f"fit_predict gave labels of shape {clusters.shape} for {len(Y)} rows.")
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        raise ValueError("fit_predict gave labels that are not numbers.")
    n_iter, trace = getattr(estimator, "n_iter_", None), {}
    for attribute, name in TRACES.items():
        with suppress(AttributeError, TypeError, ValueError):  # it has other attributes
            values = np.asarray(getattr(estimator, attribute), dtype=np.float64)
            if values.ndim == 1 and np.isfinite(values).all():
                trace[name] = values.tolist()
    n_iter = int(n_iter) if isinstance(n_iter, int | np.integer) else None
    labels = np.unique(clusters, return_inverse=True)[1]
    return labels, {"status": "ok", "n_iter": n_iter, "trace": trace}


def _traceback(error: BaseException) -> str:
    """Return the traceback of an error, with the names of files but not their folders."""
    text = "".join(traceback.format_exception(error))
    text = re.sub(r'(?<=File ")[^"\n]*[/\\](?=[^"\n]*")', "", text)
    return for_html(text)[-KEPT_CHARACTERS:]
