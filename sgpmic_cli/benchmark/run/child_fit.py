"""Fit one clusterer, in this process or in a child process.

This module imports little, because child processes are started often.
"""

import inspect
import re
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.benchmark.plan.third_party import (
    error_text,
    import_class,
    one_line,
    read_request,
    write_answer,
)
from sgpmic_cli.text import for_html, printable

KEPT_WARNINGS = 5
KEPT_CHARACTERS = 4000  # of a traceback, from its end
READY = "ready"
# Fitted attributes that are kept in the record, with their names there.
TRACES = {
    "pretrain_loss_curve_": "pretraining loss",
    "loss_curve_": "loss",
    "lower_bounds_": "bound",
}

# The class as "module:Class", arguments for which its constructor may have no parameter, settings.
Task = tuple[str, dict[str, Any], dict[str, Any]]


def make_estimator(task: Task) -> Any:
    """Create the estimator of a task."""
    target, common, settings = task
    found = import_class(target)
    accepted = inspect.signature(found).parameters
    common = {name: value for name, value in common.items() if name in accepted}
    return found(**common | settings)


def fit(
    task: Task, Y: Array, failures: tuple[type[BaseException], ...] = (Exception, SystemExit)
) -> dict[str, Any]:
    """Fit a clusterer without scoring, which would count for time and memory.

    Return the clusters and fields of the record; a failed fit has a reason and a traceback instead
    of clusters. The seconds do not include the import of the method.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator = make_estimator(task)
            start = time.perf_counter()
            result = _fitted(estimator, Y)
        except failures as error:
            result = {"reason": printable(error_text(error))[:500], "traceback": _traceback(error)}
    seconds = time.perf_counter() - start
    messages = dict.fromkeys(printable(one_line(warning.message))[:300] for warning in caught)
    return {"seconds": seconds, "warnings": list(messages)[:KEPT_WARNINGS], **result}


def _traceback(error: BaseException) -> str:
    """Return the traceback of an error, with the names of files but not their folders."""
    text = "".join(traceback.format_exception(error))
    text = re.sub(r'(?<=File ")[^"\n]*[/\\](?=[^"\n]*")', "", text)
    return for_html(text)[-KEPT_CHARACTERS:]


def fit_in_child(folder: str) -> None:
    """In the child: import the method, then run the tasks of the request one after the other."""
    tasks, Y, memory_limit = read_request(folder)
    with suppress(BaseException):  # the first fit fails for the same reason and reports it
        import_class(tasks[0][0])
    write_answer(folder, READY, None)
    _limit_memory(memory_limit)
    for number, task in enumerate(tasks):
        # Nobody interrupts a child, so even KeyboardInterrupt comes from the method.
        write_answer(folder, f"{number}.json", fit(task, Y, (BaseException,)))


def _fitted(estimator: Any, Y: Array) -> dict[str, Any]:
    clusters = np.asarray(estimator.fit_predict(Y))
    if clusters.shape != (len(Y),):
        raise ValueError(f"fit_predict gave labels of shape {clusters.shape} for {len(Y)} rows.")
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        raise ValueError("fit_predict gave labels that are not numbers.")
    n_iter = getattr(estimator, "n_iter_", None)
    curves = {name: _curve(estimator, attribute) for attribute, name in TRACES.items()}
    return {
        "clusters": np.unique(clusters, return_inverse=True)[1].tolist(),
        "n_iter": int(n_iter) if isinstance(n_iter, int | np.integer) else None,
        "trace": {name: curve for name, curve in curves.items() if curve},
    }


def _curve(estimator: Any, attribute: str) -> list[float]:
    """Return a fitted attribute as a list of numbers, or an empty list if it is anything else."""
    try:
        values = np.asarray(getattr(estimator, attribute), dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        return []
    return values.tolist() if values.ndim == 1 and np.isfinite(values).all() else []


def _limit_memory(size: int | None) -> None:
    """Allow this process `size` bytes more than it has, where the system supports it."""
    if size is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size += pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
