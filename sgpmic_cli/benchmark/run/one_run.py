"""Compute runs: fit, score, and turn an error into a failed record with its reason.

Runs of third-party methods, and all runs if there is a limit of time or memory, are computed in a
child process. A crash, an exit, a hang or a lack of memory there is a failed record. The child
returns the clusters; they are scored in the parent.
"""

import json
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.plan.cells import Run
from sgpmic_cli.benchmark.plan.third_party import IMPORT_SECONDS, child, wait_for
from sgpmic_cli.benchmark.run import child_fit
from sgpmic_cli.benchmark.run.child_fit import READY, Task, fit
from sgpmic_cli.benchmark.run.records import Record
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.scores import score_all


@dataclass(frozen=True)
class Limits:
    """Limits of one run; None means no limit."""

    seconds: float | None = None
    bytes: int | None = None  # memory beyond what the process has after importing the method


def needs_child(run: Run, limits: Limits) -> bool:
    """Return whether a run must be computed in a child process."""
    return run.cell.method.third_party or limits != Limits()


def compute(
    runs: Sequence[Run], memory: Path | None = None, limits: Limits = Limits()
) -> Iterator[Record]:
    """Yield the records of runs of one cell, computed with one thread per run.

    `memory` is the folder where methods share intermediate results.
    """
    from threadpoolctl import threadpool_limits

    data = runs[0].cell.data
    assert data is not None
    tasks = [task_of(run, memory) for run in runs]
    if needs_child(runs[0], limits):
        done = 0
        while done < len(runs):  # with a new child after each fit that ended one
            for fitted in _fits_of_child(tasks[done:], data, limits):
                yield _scored(runs[done], data, fitted)
                done += 1
        return
    for run, task in zip(runs, tasks, strict=True):
        with threadpool_limits(limits=1):
            yield _scored(run, data, fit(task, data.Y))


def task_of(run: Run, memory: Path | None) -> Task:
    """Return the class and the arguments of a run's estimator."""
    common: dict[str, Any] = {
        "n_clusters": run.cell.n_clusters,
        "n_components": run.q,
        "random_state": run.seed,
    }
    # A third-party parameter of this name may mean something else.
    if memory is not None and not run.cell.method.third_party:
        common["memory"] = memory
    return run.cell.method.target, common, run.cell.settings


def _scored(run: Run, data: Dataset, fitted: dict[str, Any]) -> Record:
    clusters = fitted.pop("clusters", None)
    scores: dict[str, float] = {}
    if clusters is not None:
        assert data.labels is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the scores are not the method's
            scores = score_all(data.labels, clusters)
    return Record(
        key=run.key,
        dataset=run.cell.dataset,
        method=run.cell.method.name,
        q=run.q or 0,
        n_clusters=run.cell.n_clusters,
        settings=run.cell.settings,
        repeat=run.repeat,
        seed=run.seed,
        status="failed" if clusters is None else "ok",
        scores=scores,
        **fitted,
    )


def _fits_of_child(
    tasks: Sequence[Task], data: Dataset, limits: Limits
) -> Iterator[dict[str, Any]]:
    """Yield the fits of tasks up to the first one that ends the child or exceeds its time."""
    request = tasks, data.Y, limits.bytes
    with child(f"{child_fit.__name__}:fit_in_child", request) as (folder, process):
        if problem := wait_for(process, folder / READY, IMPORT_SECONDS):
            for _ in tasks:
                yield {"seconds": 0.0, "reason": f"while importing the method, {problem}"}
            return
        for number in range(len(tasks)):
            start = time.perf_counter()
            answer = folder / f"{number}.json"
            if problem := wait_for(process, answer, limits.seconds):
                yield {"seconds": time.perf_counter() - start, "reason": problem}
                return
            yield json.loads(answer.read_text(encoding="utf-8"))
