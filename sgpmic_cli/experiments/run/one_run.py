"""Compute one run: fit, score, and turn an error into a failed record with its reason.

Runs of third-party methods, and all runs if there is a limit of time or memory, are computed in a
child process. A crash, an exit, a hang or a lack of memory there is a failed record. The child
returns the clusters; they are scored in the parent.
"""

import json
import os
import pickle
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.plan.third_party import (
    IMPORT_SECONDS,
    end_child,
    error_text,
    exit_reason,
    exit_with_parent,
    one_line,
    start_child,
)
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.safe_text import printable
from sgpmic_cli.scores import score_all

KEPT_WARNINGS = 5
POLL_SECONDS = 0.02
REQUEST, READY = "request.pickle", "ready"
# Fitted attributes that are kept in the record, with their names there.
TRACES = {
    "pretrain_loss_curve_": "pretraining loss",
    "loss_curve_": "loss",
    "lower_bounds_": "bound",
}


@dataclass(frozen=True)
class Limits:
    """Limits of one run; None means no limit."""

    seconds: float | None = None
    bytes: int | None = None  # memory beyond what the process has after importing the method

    def __bool__(self) -> bool:
        return self.seconds is not None or self.bytes is not None


@dataclass(frozen=True)
class Fit:
    """The result of fitting a method, or the reason why it failed."""

    seconds: float  # time of the fit, without the import of the method
    clusters: list[int] | None = None
    reason: str = ""
    warnings: list[str] = field(default_factory=list)
    n_iter: int | None = None
    trace: dict[str, list[float]] = field(default_factory=dict)


def needs_child(run: Run, limits: Limits) -> bool:
    """Return whether a run must be computed in a child process."""
    return run.cell.method.third_party or bool(limits)


def compute(
    runs: Sequence[Run], memory: Path | None = None, limits: Limits = Limits()
) -> Iterator[Record]:
    """Yield the records of runs of one cell, computed with one thread per run.

    `memory` is the folder where methods share intermediate results.
    """
    from threadpoolctl import threadpool_limits

    if needs_child(runs[0], limits):
        for run, fitted in zip(runs, _fits_of_children(runs, memory, limits), strict=True):
            yield scored(run, fitted)
        return
    for run in runs:
        with threadpool_limits(limits=1):
            yield scored(run, fit(run, memory))


def fit(
    run: Run,
    memory: Path | None = None,
    failures: tuple[type[BaseException], ...] = (Exception, SystemExit),
) -> Fit:
    """Fit the method of a run without scoring, which would count for time and memory."""
    assert run.cell.data is not None
    result: dict[str, Any]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator = _estimator(run, memory)
            start = time.perf_counter()
            result = _fitted(run.cell.data.Y, estimator)
        except failures as error:
            result = {"reason": printable(error_text(error))[:500]}
    seconds = time.perf_counter() - start
    messages = dict.fromkeys(printable(one_line(warning.message))[:300] for warning in caught)
    return Fit(seconds, warnings=list(messages)[:KEPT_WARNINGS], **result)


def scored(run: Run, fitted: Fit) -> Record:
    """Return the record of a fitted run."""
    scores: dict[str, float] = {}
    if fitted.clusters is not None:
        labels = run.cell.data.labels if run.cell.data else None
        assert labels is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the scores are not the method's
            scores = score_all(labels, fitted.clusters)
    return Record(
        key=run.key,
        dataset=run.cell.dataset,
        method=run.cell.method.name,
        q=run.q or 0,
        n_clusters=run.cell.n_clusters,
        settings=run.settings,
        repeat=run.repeat,
        seed=run.seed,
        status="failed" if fitted.clusters is None else "ok",
        scores=scores,
        **{name: value for name, value in vars(fitted).items() if name != "clusters"},
    )


def _estimator(run: Run, memory: Path | None) -> Any:
    method, arguments = run.cell.method, run.arguments()
    # A third-party parameter of this name may mean something else.
    if memory is not None and not method.third_party and "memory" in method.accepts():
        arguments["memory"] = memory
    return method.load()(**arguments)


def _fitted(Y: Array, estimator: Any) -> dict[str, Any]:
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


def _fits_of_children(runs: Sequence[Run], memory: Path | None, limits: Limits) -> Iterator[Fit]:
    """Yield the fits of runs, with a new child after each one that failed."""
    done = 0
    while done < len(runs):
        for fitted in _fits_of_child(runs[done:], memory, limits):
            yield fitted
            done += 1


def _fits_of_child(runs: Sequence[Run], memory: Path | None, limits: Limits) -> Iterator[Fit]:
    """Yield the fits of runs up to the first one that ends the child or exceeds its time."""
    with tempfile.TemporaryDirectory(prefix="sgpmic-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / REQUEST).write_bytes(pickle.dumps((runs, memory, limits)))
        child = start_child(f"{__name__}:fit_in_child", folder)
        try:
            if problem := _wait(child, folder / READY, IMPORT_SECONDS):
                yield from [Fit(0.0, reason=f"while importing the method, {problem}")] * len(runs)
                return
            for number in range(len(runs)):
                start = time.perf_counter()
                answer = folder / f"{number}.json"
                if problem := _wait(child, answer, limits.seconds):
                    yield Fit(time.perf_counter() - start, reason=problem)
                    return
                yield Fit(**json.loads(answer.read_text(encoding="utf-8")))
        finally:
            end_child(child)


def _wait(child: "subprocess.Popen[bytes]", answer: Path, seconds: float | None) -> str:
    """Wait until a child has written an answer; return "" or the reason why there is none."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while True:
        code = child.poll()
        if answer.exists():
            return ""
        if code is not None:
            return f"its process {exit_reason(code)}"
        if deadline is not None and time.monotonic() >= deadline:
            return f"it took longer than the limit of {seconds:g} s"
        time.sleep(POLL_SECONDS)


def fit_in_child(name: str) -> None:
    """In the child: import the method, then fit the runs of the request one after the other."""
    exit_with_parent(os.getppid())
    folder = Path(name)
    runs, memory, limits = pickle.loads((folder / REQUEST).read_bytes())
    with suppress(BaseException):  # the first run fails for the same reason and reports it
        runs[0].cell.method.load()
    (folder / READY).touch()
    _limit_memory(limits.bytes)
    for number, run in enumerate(runs):
        # Nobody interrupts a child, so even KeyboardInterrupt comes from the method.
        text = json.dumps(asdict(fit(run, memory, (BaseException,))))
        (folder / "part").write_text(text, encoding="utf-8")
        (folder / "part").rename(folder / f"{number}.json")


def _limit_memory(size: int | None) -> None:
    """Allow this process `size` bytes more than it has, where the system supports it."""
    if size is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size += pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
