"""Compute one run: fit, score, and turn an error into a failed run with its reason."""

import io
import time
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.methods import error_text, import_class
from sgpmic_cli.benchmark.plan import Cell
from sgpmic_cli.scores import score_all
from sgpmic_cli.text import printable

KEPT_WARNINGS = 5
Row = dict[str, Any]  # of the frame of runs


def make_estimator(cell: Cell, seed: int, memory: Path | None = None) -> Any:
    """Create the estimator of a run.

    `memory` is the folder where the package's methods share intermediate results.
    """
    common: Row = {"n_clusters": cell.n_clusters, "n_components": cell.q, "random_state": seed}
    if not cell.method.third_party:  # a third-party parameter of this name may mean something else
        common["memory"] = memory
    accepted = cell.method.accepts()
    given = {name: value for name, value in common.items() if name in accepted}
    return import_class(cell.method.target)(**given | cell.settings)


def compute(
    key: str, cell: Cell, seed: int, Y: Array, labels: Any, memory: Path | None = None
) -> Row:
    """Fit and score one run with one thread, and return its key and what it fills in the frame.

    The seconds are those of the fit alone.
    """
    from threadpoolctl import threadpool_limits

    Y = Y.view()
    Y.flags.writeable = False
    row: Row = {"key": key, "status": "ok"}
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
            clusters = _clusters(estimator, Y)
        except (Exception, SystemExit) as error:
            reason = printable(error_text(error))[:500]
            row |= {"status": "failed", "reason": reason}
    row["seconds"] = time.perf_counter() - start
    if row["status"] == "ok":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the scores are not the method's
            row |= score_all(labels, clusters)
    messages = (printable(" ".join(str(each.message).split()))[:300] for each in caught)
    return {**row, "warnings": list(dict.fromkeys(messages))[:KEPT_WARNINGS]}


def _clusters(estimator: Any, Y: Array) -> Indices:
    """Fit the rows, and number their clusters from zero."""
    clusters = np.asarray(estimator.fit_predict(Y))
    if clusters.shape != (len(Y),):
        raise ValueError(f"fit_predict gave labels of shape {clusters.shape} for {len(Y)} rows.")
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        raise ValueError("fit_predict gave labels that are not numbers.")
    return np.unique(clusters, return_inverse=True)[1]
