"""What every experiment has in common: cells planned, runs looked up, the rest computed, all folded into outcomes."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.cells import Cell, Run, plan_cells, plan_runs, runs_of
from sgpmic_cli.experiments.plan.methods import resolve
from sgpmic_cli.experiments.plan.protocol import Protocol, protocol_named
from sgpmic_cli.experiments.plan.table_data import load_table_data
from sgpmic_cli.experiments.run import runner
from sgpmic_cli.experiments.run.aggregate import Outcome, aggregate_runs
from sgpmic_cli.experiments.run.manifest import manifest
from sgpmic_cli.experiments.run.records import Record, Store
from sgpmic_cli.experiments.run.separate_process import Limits

MOST_JOBS_PER_CORE = 32  # beyond that processes only take memory from each other
PLACES = ("data_dir", "mirror")  # where data lie on this machine is nobody's business; their hashes are in the manifest
Vary = Callable[[Cell], Iterable[Cell]]


class Watcher:
    """Hears what goes on; this one keeps it to itself."""

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        """The number of runs, how many of them the store already has, and rough costs of the others by key."""

    def finished(self, record: Record) -> None:
        """A run was computed."""

    def warn(self, sentence: str) -> None:
        """Something is not as it should be, but the work goes on."""


@dataclass(frozen=True)
class Prepared:
    """Everything decided, nothing computed: what `--dry-run` shows."""

    protocol: Protocol
    cells: list[Cell]
    runs: list[Run]
    work: runner.Work
    store: Store
    repeats: int
    seed: int


@dataclass(frozen=True)
class Gathered:
    """The outcome of every cell, and how much of it had to be computed."""

    outcomes: list[Outcome]
    records: dict[str, Record]  # by key
    computed: int
    reused: int
    failed: int  # runs
    seconds: float


def prepare(
    datasets: Sequence[str],
    variances: Sequence[str | int] = (95,),
    methods: Sequence[str] = ("all",),
    *,
    store: PathLike,
    repeats: int = 10,
    seed: int = 0,
    protocol: str = "as-run",
    label: str | None = None,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
    force: bool = False,
    retry_failed: bool = False,
    vary: Vary = lambda cell: [cell],
    watcher: Watcher | None = None,
) -> Prepared:
    """Check every argument, load the data, and divide the runs into those at hand and those to compute.

    `vary` turns a cell of the table into the cells that are run in its place.
    """
    if repeats < 1:
        raise UsageError(f"--repeats {repeats} leaves nothing to run: give 1 or more.")
    chosen = protocol_named(protocol)
    entrants = resolve(methods)
    found = load_table_data(datasets, variances, label=label, data_dir=data_dir, mirror=mirror, offline=offline)
    cells = [varied for cell in plan_cells(found, entrants, chosen) for varied in vary(cell)]
    runs = plan_runs(cells, repeats, seed)
    kept = Store(store, warn=(watcher or Watcher()).warn)
    work = runner.divide(runs, kept, force=force, retry_failed=retry_failed)
    return Prepared(chosen, cells, runs, work, kept, repeats, seed)


def gather(
    prepared: Prepared,
    *,
    n_jobs: int = -1,
    scheduler: str | None = None,
    limits: Limits = Limits(),
    watcher: Watcher | None = None,
) -> Gathered:
    """Compute what is missing, here or on the Dask cluster of `scheduler`, and fold the runs of every cell."""
    start = time.perf_counter()
    watcher = watcher or Watcher()
    work = prepared.work
    watcher.planned(len(prepared.runs), len(work.kept), {run.key: runner.cost(run) for run in work.pending})
    records = work.kept | runner.execute(
        work.pending, prepared.store, n_jobs=n_jobs, scheduler=scheduler, limits=limits, progress=watcher.finished
    )
    return Gathered(
        outcomes=[
            aggregate_runs(cell, runs_of(cell, prepared.repeats, prepared.seed), records) for cell in prepared.cells
        ],
        records=records,
        computed=len(work.pending),
        reused=len(work.kept),
        failed=sum(not record.ok for record in records.values()),
        seconds=time.perf_counter() - start,
    )


def manifest_of(prepared: Prepared, gathered: Gathered, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of an experiment: what it was asked for, on which data, and what was computed.

    Runs that the store answered were computed by an earlier call: their time is in `seconds_of_all_runs` only.
    """
    used = [cell.data for cell in prepared.cells if cell.data is not None]
    hashes = {f"{data.name}, {data.Y.shape[0]} x {data.Y.shape[1]}": data.sha256 for data in used}
    counts = {"computed": gathered.computed, "reused": gathered.reused, "failed": gathered.failed}
    spent = sum(record.seconds for record in gathered.records.values())
    asked = {name: value if name not in PLACES or value is None else "given" for name, value in arguments.items()}
    return manifest(
        asked, hashes, runs=counts, seconds_of_this_call=gathered.seconds, seconds_of_all_runs=round(spent, 1)
    )


def check_jobs(n_jobs: int) -> None:
    """Refuse to work with no process at all."""
    if n_jobs == 0:
        raise UsageError("--n-jobs 0 means no process at all: give 1 or more, or -1 for all cores.")
    most = MOST_JOBS_PER_CORE * (os.cpu_count() or 1)
    if n_jobs > most:
        raise UsageError(f"--n-jobs {n_jobs} is more than this machine can start: give at most {most}, or -1.")
