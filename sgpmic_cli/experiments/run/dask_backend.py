"""Runs on other machines: the same batches, sent to the workers of a Dask cluster.

Dask runs a batch again when its worker is lost. The client is used as it is and not through joblib's backend for Dask,
because that one waits forever for a batch which the scheduler has given up (joblib 1.6).
"""

import asyncio
import importlib.util
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.code_version import code_version
from sgpmic_cli.deadline import within
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.plan.methods import unknown
from sgpmic_cli.experiments.run.one_run import compute
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.experiments.run.separate_process import Limits, needs_own_process, records_apart

if TYPE_CHECKING:
    from distributed import Client

BACKENDS = ("loky", "dask")
CONNECT_SECONDS = 10
CHECK_SECONDS = 30
IN_FLIGHT = (
    200  # batches sent ahead, at least: workers that join later find work, and data do not pile up
)
AHEAD = 3  # and for each thread of the cluster


def scheduler_of(backend: str, scheduler: str | None) -> str | None:
    """The address to send runs to, None for processes of this machine; refuses what does not fit together."""
    if backend not in BACKENDS:
        raise UsageError(unknown("backend", backend, BACKENDS))
    if backend == "dask" and not scheduler:
        raise UsageError(
            "backend=dask needs the address of a scheduler: add scheduler=tcp://HOST:8786."
        )
    if backend != "dask" and scheduler:
        raise UsageError(
            f"scheduler={scheduler} is the address of a Dask cluster: add backend=dask to use it."
        )
    return scheduler


def records_of_workers(
    batches: Sequence[list[Run]],
    scheduler: str,
    limits: Limits = Limits(),
    warn: Callable[[str], None] = lambda _: None,
) -> Generator[list[Record], None, None]:
    """Records of the batches as they come, the first batches first on their way."""
    with _connected(scheduler) as client:
        from distributed import as_completed

        _check_cluster(client, scheduler, warn)

        def send(batch: list[Run]) -> object:
            return client.submit(compute_here, batch, limits, pure=False)

        waiting = iter(batches)
        ahead = max(IN_FLIGHT, AHEAD * sum(client.nthreads().values()))
        finished = as_completed([send(batch) for batch in islice(waiting, ahead)], loop=client.loop)
        for future in finished:
            yield _received(future)
            for batch in islice(waiting, 1):
                finished.add(send(batch))


def compute_here(batch: Sequence[Run], limits: Limits = Limits()) -> list[Record]:
    """Compute runs in a Dask worker, which must be one that gives the numbers the plan asks for."""
    from distributed import get_worker
    from threadpoolctl import threadpool_limits

    worker = get_worker()
    if worker.state.nthreads != 1:
        raise SgpmicError(
            f"the Dask worker {worker.address} computes several runs at once in one process, where they disturb each "
            "other: start workers of one thread each, as many as there are cores."
        )
    for run in batch:
        if code_version(run.cell.method.module) != run.code:
            raise SgpmicError(
                f"the Dask worker {worker.address} has another version of {run.cell.method.name}, or of NumPy, SciPy "
                "or scikit-learn: install the same sgpmic, libraries and methods of your own everywhere."
            )
    memory = Path(worker.local_directory) / "sgpmic-memory"
    if any(needs_own_process(run, limits) for run in batch):
        return list(records_apart(batch, memory=memory, limits=limits))
    with threadpool_limits(limits=1):
        return [compute(run, memory) for run in batch]


def _connected(scheduler: str) -> "Client":
    try:
        from distributed import Client
        from distributed.comm import connect
    except ImportError as error:
        raise UsageError("backend=dask needs Dask: pip install 'sgpmic[dask]'.") from error

    async def knock() -> None:
        await (
            await connect(scheduler, timeout=2 * CONNECT_SECONDS)
        ).close()  # the deadline below comes first

    def enter() -> Client:
        asyncio.run(
            knock()
        )  # a client that found nobody would end the process with a traceback of its own
        return Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)

    nobody = f"no Dask scheduler answers at {scheduler!r}"
    try:
        return within(CONNECT_SECONDS, enter)
    except TimeoutError:
        raise UsageError(
            f"{nobody} within {CONNECT_SECONDS} s: start one or correct the address."
        ) from None
    except (
        Exception
    ) as error:  # an address may be wrong in many ways, and Dask complains in as many
        raise UsageError(f"{nobody}: start one or correct the address.") from error


def _check_cluster(client: "Client", scheduler: str, warn: Callable[[str], None]) -> None:
    """Find out in time that the cluster lacks this package; a cluster without workers may get some later."""
    lacking = (
        f"the Dask cluster at {scheduler!r} cannot import sgpmic on its {{}}: install the same sgpmic, and the same "
        "methods of your own, everywhere."
    )
    try:
        answers = within(CHECK_SECONDS, lambda: _importing(client))
    except TimeoutError:
        raise SgpmicError(
            f"the Dask cluster at {scheduler!r} has workers that did not answer within {CHECK_SECONDS} s: look after "
            "them, and run the same command again."
        ) from None
    except Exception as error:
        raise SgpmicError(lacking.format("scheduler")) from error
    if not answers:
        warn(f"the Dask cluster at {scheduler!r} has no worker yet; the runs wait for the first.")
    if not all(answers.values()):
        raise SgpmicError(lacking.format("workers"))


def _importing(client: "Client") -> dict[str, bool]:
    """By worker, whether it finds this package; both ends only need Python for the question."""
    found = client.run(importlib.util.find_spec, "sgpmic_cli", on_error="return")
    client.run_on_scheduler(importlib.import_module, "sgpmic_cli")
    return {
        worker: spec is not None and not isinstance(spec, Exception)
        for worker, spec in found.items()
    }


def _received(future: object) -> list[Record]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    kept = "finished runs are kept, and the same command again goes on from here."
    try:
        return future.result()  # type: ignore[attr-defined]
    except KilledWorker as error:
        raise SgpmicError(
            f"one worker after the other died on the same runs, most likely for want of memory: {kept}"
        ) from error
    except (CancelledError, FutureCancelledError, OSError) as error:
        raise SgpmicError(f"the Dask scheduler was lost: {kept}") from error
    except ImportError as error:
        raise SgpmicError(
            f"a Dask worker cannot import what it has to run ({error}): install the same sgpmic, and the same methods "
            "of your own, everywhere."
        ) from error
