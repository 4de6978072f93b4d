"""Compute batches of runs in the processes of this machine, the longest runs first."""

import multiprocessing.resource_tracker
import os
import signal
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from sgpmic_cli.benchmark.plan.study import Cell, Run
from sgpmic_cli.benchmark.plan.third_party import exit_with_parent
from sgpmic_cli.benchmark.run.fit import Limits, compute, needs_child
from sgpmic_cli.benchmark.run.store import Row
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.interrupts import blocked_interrupts

BATCH_SECONDS = 0.5  # short runs are sent to a worker in batches of about this length
CHILD_BATCH_SECONDS = 5.0  # the same if a process has to be started for a batch
USUAL_INDUCING = 50
RESUME = "finished runs are kept, and the same command resumes."

Batches = Sequence[list[Run]]
Rows = Generator[list[Row], None, None]


def cost(cell: Cell) -> float:
    """Estimate the seconds of a run of a cell, to order the work and to show the time left.

    The estimate is proportional to the rows, and to the clusters and inducing points beyond the
    usual numbers.
    """
    assert cell.data is not None
    clusters = cell.n_clusters / max(1, cell.data.n_classes)
    inducing = cell.settings.get("n_inducing", USUAL_INDUCING) / USUAL_INDUCING
    return cell.method.cost * len(cell.data.Y) / 1000 * max(1.0, clusters) * max(1.0, inducing)


def make_batches(runs: Sequence[Run], limits: Limits) -> list[list[Run]]:
    """Sort runs by decreasing cost, and put short runs of the same cell into one batch.

    The sort is stable, so the runs of a cell stay together.
    """
    batches: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: (run.cell.method.third_party, -cost(run.cell))):
        seconds = CHILD_BATCH_SECONDS if needs_child(run, limits) else BATCH_SECONDS
        last = batches[-1] if batches else []
        if last and last[-1].cell is run.cell and (len(last) + 1) * cost(run.cell) <= seconds:
            last.append(run)
        else:
            batches.append([run])
    return batches


def run_locally(batches: Batches, memory: Path, limits: Limits, n_jobs: int) -> Rows:
    """Compute batches with joblib, or in this process if there is one job."""
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config
    from joblib.externals import loky

    if effective_n_jobs(n_jobs) == 1:
        for batch in batches:
            for row in compute(batch, memory, limits):
                yield [row]
        return
    start = partial(_start_worker, os.getpid())
    # joblib warns of cancelled tasks after an interrupt, which the command reports itself.
    warnings.filterwarnings("ignore", message=r"\d+ tasks (which|have been)")
    try:
        with parallel_config(
            backend="loky", n_jobs=n_jobs, inner_max_num_threads=1, initializer=start
        ):
            parallel = Parallel(
                return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
            )
            for tracker in (multiprocessing.resource_tracker, loky.backend.resource_tracker):
                tracker.ensure_running()  # its start unblocks the signals
            with blocked_interrupts():
                rows = parallel(delayed(_compute_all)(batch, memory, limits) for batch in batches)
            yield from rows
    except BrokenProcessPool as error:
        raise SgpmicError(
            f"a worker process died, probably out of memory: {RESUME} Use fewer processes, such as "
            "--n-jobs 1."
        ) from error


def _compute_all(batch: Sequence[Run], memory: Path, limits: Limits) -> list[Row]:
    return list(compute(batch, memory, limits))


def _start_worker(parent: int) -> None:
    """In a worker: ignore Ctrl-C, and exit when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exit_with_parent(parent)
