"""Computing the runs that no record answers for: in parallel, longest first, each kept the moment it is finished."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.run.dask_backend import records_of_workers
from sgpmic_cli.experiments.run.one_run import compute
from sgpmic_cli.experiments.run.records import Record, Store
from sgpmic_cli.experiments.run.separate_process import Limits, needs_own_process, records_apart

BATCH_SECONDS = (
    0.5  # runs are sent to a worker in batches of about this length: shorter ones would mostly wait
)
OWN_PROCESS_SECONDS = 5.0  # and where a process has to be started for a batch
USUAL_INDUCING = 50
FOLLOW_SECONDS = 1.0  # how often a worker looks whether the command that started it still lives

Progress = Callable[[Record], None]


@dataclass(frozen=True)
class Work:
    """Which runs are answered by the store, and which are to be computed."""

    kept: dict[str, Record]
    pending: list[Run]


def divide(
    planned: Sequence[Run], store: Store, *, force: bool = False, retry_failed: bool = False
) -> Work:
    """Look every run up in the store."""
    kept: dict[str, Record] = {}
    pending: list[Run] = []
    for run in planned:
        record = None if force else store.read(run.key)
        if record is None or (retry_failed and not record.ok):
            pending.append(run)
        else:
            kept[run.key] = record
    return Work(kept, pending)


def execute(
    pending: Sequence[Run],
    store: Store,
    *,
    n_jobs: int = 1,
    scheduler: str | None = None,
    limits: Limits = Limits(),
    progress: Progress = lambda _: None,
) -> dict[str, Record]:
    """Compute runs and return their records by key. What is finished stays in the store whatever happens here.

    With the address of a Dask `scheduler` its workers compute, and this process keeps the records. Methods from
    elsewhere come last, in processes of their own; with `limits` every run has one.
    """
    if not pending:
        return {}
    store.open()
    records: dict[str, Record] = {}
    trusted = [run for run in pending if not run.cell.method.foreign]
    foreign = [run for run in pending if run.cell.method.foreign]
    for stage in [*_stages(trusted), *([foreign] if foreign else [])]:
        if scheduler is not None:
            length = OWN_PROCESS_SECONDS if needs_own_process(stage[0], limits) else BATCH_SECONDS
            outcomes = _elsewhere(_batches(stage, length), store, scheduler, limits)
        elif needs_own_process(stage[0], limits):
            outcomes = _apart(stage, store, n_jobs, limits)
        else:
            outcomes = _outcomes(_batches(stage), store, n_jobs)
        with contextlib.closing(outcomes) as finished:
            for batch in finished:
                for record in batch:
                    records[record.key] = record
                    progress(record)
    return records


def cost(run: Run) -> float:
    """Rough seconds of a run, to order and batch the work and to guess the time left.

    In proportion to the rows, and to clusters and inducing points beyond the usual ones.
    """
    data = run.cell.data
    assert data is not None
    clusters = run.cell.n_clusters / max(1, data.n_classes)
    inducing = run.settings.get("n_inducing", USUAL_INDUCING) / USUAL_INDUCING
    return run.cell.method.cost * len(data.Y) / 1000 * max(1.0, clusters) * max(1.0, inducing)


def _stages(pending: Sequence[Run]) -> list[list[Run]]:
    """Two stages when runs share intermediate results: in the first, one run of each data set or cell makes them.

    Runs that share nothing fill the first stage up, so no core waits for the longest of those makers.
    """
    makers: dict[tuple[Any, ...], Run] = {}
    sharing = [run for run in pending if "memory" in run.cell.method.accepts()]
    for run in sorted(sharing, key=cost):
        assert run.cell.data is not None
        served = (run.cell.method.name, run.q) if run.cell.method.keeps_for_cell else ()
        makers.setdefault((run.cell.data.sha256, *served), run)
    first = list(makers.values())
    later = {run.key for run in sharing} - {run.key for run in first}
    first += [run for run in pending if "memory" not in run.cell.method.accepts()]
    return [stage for stage in (first, [run for run in pending if run.key in later]) if stage]


def _batches(stage: Sequence[Run], seconds: float = BATCH_SECONDS) -> list[list[Run]]:
    """Runs in falling order of cost, cheap runs of the same cell together."""
    batches: list[list[Run]] = []
    for run in sorted(stage, key=_order):
        last = batches[-1] if batches else []
        if last and last[-1].cell is run.cell and (len(last) + 1) * cost(run) <= seconds:
            last.append(run)
        else:
            batches.append([run])
    return batches


def _order(run: Run) -> tuple[Any, ...]:
    """Falling cost, and the runs of one cell side by side."""
    cell = run.cell
    return -cost(run), cell.dataset, cell.method.name, cell.variance, cell.n_clusters, run.key


def _outcomes(
    batches: Sequence[list[Run]], store: Store, n_jobs: int
) -> Generator[list[Record], None, None]:
    """Records of the batches as they come."""
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config

    if effective_n_jobs(n_jobs) == 1:
        # In this process: runs one by one, so that progress and an interrupt are as fine as the runs.
        for batch in batches:
            for run in batch:
                yield compute_batch([run], store.folder)
        return
    try:
        start = partial(_follow, os.getpid())
        with parallel_config(
            backend="loky", n_jobs=n_jobs, inner_max_num_threads=1, initializer=start
        ):
            # Workers are started here. Ctrl-C goes to them as well, and is left to us, who end them and say so, once.
            with _blocked_interrupts():
                finished = Parallel(
                    return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
                )(delayed(compute_batch)(batch, store.folder) for batch in batches)
            yield from finished
    except BrokenProcessPool as error:
        raise SgpmicError(
            "a worker process died, most likely for want of memory: finished runs are kept, run the same command "
            "again with fewer processes, such as n_jobs=1."
        ) from error


def _apart(
    stage: Sequence[Run], store: Store, n_jobs: int, limits: Limits
) -> Generator[list[Record], None, None]:
    """Records of runs that each have a process to themselves, kept as they come."""
    from joblib import effective_n_jobs

    slots = effective_n_jobs(n_jobs)
    with contextlib.closing(
        records_apart(stage, memory=store.memory, limits=limits, n_jobs=slots)
    ) as finished:
        for record in finished:
            store.write(record)
            yield [record]


def _elsewhere(
    batches: Sequence[list[Run]], store: Store, scheduler: str, limits: Limits
) -> Generator[list[Record], None, None]:
    """Records of the batches as a cluster sends them, each kept here: its workers need not see this disk."""
    with contextlib.closing(records_of_workers(batches, scheduler, limits, store.warn)) as finished:
        for batch in finished:
            for record in batch:
                store.write(record)
            yield batch


def compute_batch(batch: Sequence[Run], folder: Path) -> list[Record]:
    """Compute runs one after the other and keep each record at once; called in the workers."""
    from threadpoolctl import threadpool_limits

    store = Store(folder)
    records = []
    with threadpool_limits(limits=1):
        for run in batch:
            record = compute(run, store.memory)
            store.write(record)
            records.append(record)
    return records


@contextlib.contextmanager
def _blocked_interrupts() -> Generator[None, None, None]:
    """Block Ctrl-C in this thread, and for good in the processes that it starts meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow(parent: int) -> None:
    """In a worker: leave Ctrl-C to the parent, and end when it is gone, were it by a kill."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(FOLLOW_SECONDS)
    os._exit(1)
