"""Compute runs with the workers of a Dask cluster.

joblib's Dask backend is not used: it waits forever if the scheduler gives up a batch because its
workers died (joblib 1.6).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.benchmark.plan.study import Run
from sgpmic_cli.benchmark.plan.third_party import error_text
from sgpmic_cli.benchmark.run.fit import Limits, compute
from sgpmic_cli.benchmark.run.parallel import RESUME, Batches, Rows
from sgpmic_cli.benchmark.run.store import Row
from sgpmic_cli.code_version import code_version
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.interrupts import within

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10
LOCAL = "local"  # instead of the address of a scheduler


def run_on_cluster(
    batches: Batches, scheduler: str, limits: Limits, warn: Callable[[str], None], n_jobs: int = 1
) -> Rows:
    """Yield the rows of batches.

    If the scheduler is "local", start a cluster of `n_jobs` workers on this machine.
    """
    with _connect(scheduler, n_jobs) as client:
        from distributed import as_completed

        if not client.nthreads():
            warn(f"the Dask cluster at {scheduler!r} has no worker yet; the runs wait for one.")
        futures = client.map(compute_on_worker, batches, limits=limits, pure=False)
        for future in as_completed(futures, loop=client.loop):
            yield _result(future)


def compute_on_worker(batch: Sequence[Run], limits: Limits = Limits()) -> list[Row]:
    """In a Dask worker: compute runs, if this worker gives the same numbers as this machine."""
    from distributed import get_worker

    worker, run = get_worker(), batch[0]
    if worker.state.nthreads != 1:
        raise SgpmicError(
            f"the Dask worker {worker.address} has several threads, whose runs would disturb each "
            "other: start workers with --nthreads 1, one per core."
        )
    if code_version(run.cell.method.module) != run.code:
        raise SgpmicError(
            f"the Dask worker {worker.address} has another version of {run.cell.method.name}, "
            "NumPy, SciPy or scikit-learn: install the same versions on every machine."
        )
    return list(compute(batch, Path(worker.local_directory) / "sgpmic-memory", limits))


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
        await (await connect(scheduler, timeout=2 * CONNECT_SECONDS)).close()

    def open_client() -> Client:
        # A client without a scheduler prints a traceback when the process ends.
        asyncio.run(try_address())
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)

    try:
        return within(CONNECT_SECONDS, open_client)
    except Exception as error:  # Dask raises many types of errors for a wrong address
        raise UsageError(
            f"no Dask scheduler answers at {scheduler!r} within {CONNECT_SECONDS} s: start one or "
            "correct the address."
        ) from error


def _result(future: Any) -> list[Row]:
    """Return the result of a Dask future. Turn its errors into one sentence."""
    try:
        return future.result()
    except SgpmicError:
        raise
    except Exception as error:  # workers died, the scheduler is gone, or a package is missing
        raise SgpmicError(
            f"the Dask cluster cannot compute the runs ({error_text(error)}): check its memory, "
            f"and install the same sgpmic and methods on every machine; {RESUME}"
        ) from error
