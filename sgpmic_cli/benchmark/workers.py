"""Compute batches of runs in processes of this machine or of a Dask cluster, the longest first.

joblib's Dask backend is not used: it waits forever if the scheduler gives up a batch because its
workers died (joblib 1.6).
"""

import asyncio
import logging
import os
import signal
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.benchmark.fit import Limits, Row, compute, needs_child
from sgpmic_cli.benchmark.methods import error_text, exit_with_parent
from sgpmic_cli.benchmark.plan import Cell, Run
from sgpmic_cli.code_version import code_version
from sgpmic_cli.errors import SgpmicError, UsageError

if TYPE_CHECKING:
    from distributed import Client

BATCH_SECONDS = 0.5  # short runs are sent to a worker in batches of about this length
CHILD_BATCH_SECONDS = 5.0  # the same if a process has to be started for a batch
USUAL_INDUCING = 50
CONNECT_SECONDS = 10
LOCAL = "local"  # instead of the address of a scheduler
RESUME = "finished runs are kept, and the same command resumes."

Batches = Sequence[list[Run]]
Rows = Generator[list[Row], None, None]


def cost(cell: Cell) -> float:
    """Estimate the seconds of a run of a cell, to order the work and to choose the fast cells.

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
            yield from parallel(delayed(_compute_all)(batch, memory, limits) for batch in batches)
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


def run_on_cluster(
    batches: Batches, scheduler: str, limits: Limits, warn: Callable[[str], None], n_jobs: int = 1
) -> Rows:
    """Compute batches with the workers of a Dask scheduler, given by its address.

    If it is "local", start a cluster of `n_jobs` workers on this machine.
    """
    with _connect(scheduler, n_jobs) as client:
        from distributed import as_completed

        if not client.nthreads():
            warn(f"the Dask cluster at {scheduler!r} has no worker yet; the runs wait for one.")
        futures = client.map(compute_on_worker, batches, limits=limits, pure=False)
        for future in as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except SgpmicError:
                raise
            except Exception as error:  # workers died, the scheduler is gone, or a package missing
                raise SgpmicError(
                    f"the Dask cluster cannot compute the runs ({error_text(error)}): check its "
                    f"memory, and install the same sgpmic and methods on every machine; {RESUME}"
                ) from error


def _connect(scheduler: str, n_jobs: int) -> "Client":
    from joblib import effective_n_jobs

    try:
        from distributed import Client
        from distributed.comm import connect
    except ImportError as error:
        raise UsageError("--backend dask needs Dask: pip install 'sgpmic[dask]'.") from error
    if scheduler == LOCAL:  # the cluster ends with its client
        return Client(
            n_workers=effective_n_jobs(n_jobs),
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            set_as_default=False,
        )
    # It prints a traceback if the scheduler ends, which the command reports itself.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)

    async def try_address() -> None:
        await (await asyncio.wait_for(connect(scheduler), CONNECT_SECONDS)).close()

    try:
        # A client without a scheduler prints a traceback when the process ends.
        asyncio.run(try_address())
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # Dask raises many types of errors for a wrong address
        raise UsageError(
            f"no Dask scheduler answers at {scheduler!r} within {CONNECT_SECONDS} s: start one or "
            "correct the address."
        ) from error


def compute_on_worker(batch: Sequence[Run], limits: Limits = Limits()) -> list[Row]:
    """In a Dask worker: compute runs, if this worker gives the same numbers as this machine."""
    from distributed import get_worker

    worker, run = get_worker(), batch[0]
    if worker.state.nthreads != 1:
        raise SgpmicError(
            f"the Dask worker {worker.address} has several threads, whose runs would disturb each "
            "other: start workers with --nthreads 1, one per core."
        )
    if code_version(run.cell.method.target) != run.code:
        raise SgpmicError(
            f"the Dask worker {worker.address} has another version of {run.cell.method.name}, "
            "NumPy, SciPy or scikit-learn: install the same versions on every machine."
        )
    return list(compute(batch, Path(worker.local_directory) / "sgpmic-memory", limits))
