"""Compute runs: fit, score, and turn an error into a failed run with its reason.

Runs of third-party methods, and all runs if there is a limit of time or memory, are computed in a
child process. A crash, an exit, a hang or a lack of memory there is a failed run. The child returns
the clusters; they are scored in the parent. This module imports little, because child processes
are started often.
"""

import inspect
import json
import re
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.benchmark.methods import (
    IMPORT_SECONDS,
    child,
    error_text,
    import_class,
    one_line,
    read_request,
    wait_for,
    write_answer,
)
from sgpmic_cli.text import for_html, printable

if TYPE_CHECKING:
    from sgpmic_cli.benchmark.plan import Run

KEPT_WARNINGS = 5
KEPT_CHARACTERS = 4000  # of a traceback, from its end
READY = "ready"
Row = dict[str, Any]  # of the results frame
# The fields of every row, with the values of those that a fit may leave out.
DEFAULTS: Row = {
    "scores": {},
    "reason": "",
    "traceback": "",
    "warnings": [],
    "n_iter": None,
    "trace": {},
}
# Fitted attributes that a run keeps, with their names there.
TRACES = {
    "pretrain_loss_curve_": "pretraining loss",
    "loss_curve_": "loss",
    "lower_bounds_": "bound",
}
# A class as "module:Class", arguments for which its constructor may have no parameter, settings.
Arguments = tuple[str, dict[str, Any], dict[str, Any]]


@dataclass(frozen=True)
class Limits:
    """Limits of one run; None means no limit."""

    seconds: float | None = None
    bytes: int | None = None  # memory beyond what the process has after importing the method


def needs_child(run: "Run", limits: Limits) -> bool:
    """Return whether a run must be computed in a child process."""
    return run.cell.method.third_party or limits != Limits()


def compute(
    runs: "Sequence[Run]", memory: Path | None = None, limits: Limits = Limits()
) -> Iterator[Row]:
    """Yield the rows of runs of one cell, computed with one thread per run.

    `memory` is the folder where methods share intermediate results.
    """
    from threadpoolctl import threadpool_limits

    data = runs[0].cell.data
    assert data is not None
    arguments = [arguments_of(run, memory) for run in runs]
    if needs_child(runs[0], limits):
        done = 0
        while done < len(runs):  # with a new child after each fit that ended one
            for fitted in _fits_of_child(arguments[done:], data.Y, limits):
                yield _row(runs[done], data.labels, fitted)
                done += 1
        return
    for run, given in zip(runs, arguments, strict=True):
        with threadpool_limits(limits=1):
            yield _row(run, data.labels, fit(given, data.Y))


def arguments_of(run: "Run", memory: Path | None) -> Arguments:
    """Return the class and the arguments of a run's estimator."""
    common: dict[str, Any] = {"n_clusters": run.cell.n_clusters, "n_components": run.q}
    common["random_state"] = run.seed
    # A third-party parameter of this name may mean something else.
    if memory is not None and not run.cell.method.third_party:
        common["memory"] = memory
    return run.cell.method.target, common, run.cell.settings


def make_estimator(arguments: Arguments) -> Any:
    """Create the estimator of a run."""
    target, common, settings = arguments
    kind = import_class(target)
    accepted = inspect.signature(kind).parameters
    common = {name: value for name, value in common.items() if name in accepted}
    return kind(**common | settings)


def _row(run: "Run", labels: Any, fitted: dict[str, Any]) -> Row:
    """Score the clusters of a fit, and return the row of the run."""
    from sgpmic_cli.scores import score_all

    clusters = fitted.pop("clusters", None)
    if clusters is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the scores are not the method's
            fitted["scores"] = score_all(labels, clusters)
    return {
        "key": run.key,
        "dataset": run.cell.dataset,
        "method": run.cell.method.name,
        "q": run.q,
        "n_clusters": run.cell.n_clusters,
        "settings": run.cell.settings,
        "repeat": run.repeat,
        "seed": run.seed,
        "status": "failed" if clusters is None else "ok",
        **DEFAULTS,
        **fitted,
    }


def fit(
    arguments: Arguments,
    Y: Array,
    failures: tuple[type[BaseException], ...] = (Exception, SystemExit),
) -> dict[str, Any]:
    """Fit a clusterer without scoring, which would count for time and memory.

    Return the clusters and fields of the row; a failed fit has a reason and a traceback instead of
    clusters. The seconds do not include the import of the method.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator = make_estimator(arguments)
            start = time.perf_counter()
            result = _fitted(estimator, Y)
        except failures as error:
            result = {"reason": printable(error_text(error))[:500], "traceback": _traceback(error)}
    seconds = time.perf_counter() - start
    messages = dict.fromkeys(printable(one_line(warning.message))[:300] for warning in caught)
    return {"seconds": seconds, "warnings": list(messages)[:KEPT_WARNINGS], **result}


def _fitted(estimator: Any, Y: Array) -> dict[str, Any]:
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
    return {
        "clusters": np.unique(clusters, return_inverse=True)[1].tolist(),
        "n_iter": int(n_iter) if isinstance(n_iter, int | np.integer) else None,
        "trace": trace,
    }


def _traceback(error: BaseException) -> str:
    """Return the traceback of an error, with the names of files but not their folders."""
    text = "".join(traceback.format_exception(error))
    text = re.sub(r'(?<=File ")[^"\n]*[/\\](?=[^"\n]*")', "", text)
    return for_html(text)[-KEPT_CHARACTERS:]


def _fits_of_child(
    arguments: Sequence[Arguments], Y: Array, limits: Limits
) -> Iterator[dict[str, Any]]:
    """Yield fits up to the first one that ends the child or exceeds its time."""
    request = arguments, Y, limits.bytes
    with child(f"{__name__}:fit_in_child", request) as (folder, process):
        if problem := wait_for(process, folder / READY, IMPORT_SECONDS):
            for _ in arguments:
                yield {"seconds": 0.0, "reason": f"while importing the method, {problem}"}
            return
        for number in range(len(arguments)):
            start = time.perf_counter()
            answer = folder / f"{number}.json"
            if problem := wait_for(process, answer, limits.seconds):
                yield {"seconds": time.perf_counter() - start, "reason": problem}
                return
            yield json.loads(answer.read_text(encoding="utf-8"))


def fit_in_child(folder: str) -> None:
    """In the child: import the method, then fit with the arguments of each run in turn."""
    arguments, Y, memory_limit = read_request(folder)
    with suppress(BaseException):  # the first fit fails for the same reason and reports it
        import_class(arguments[0][0])
    write_answer(folder, READY, None)
    _limit_memory(memory_limit)
    for number, given in enumerate(arguments):
        # Nobody interrupts a child, so even KeyboardInterrupt comes from the method.
        write_answer(folder, f"{number}.json", fit(given, Y, (BaseException,)))


def _limit_memory(size: int | None) -> None:
    """Allow this process `size` bytes more than it has, where the system supports it."""
    if size is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size += pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
