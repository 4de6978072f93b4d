"""The one way of every study: cells planned, runs looked up, the rest computed, all aggregated, tables written."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.experiments.plan.cells import Cell, Run, plan_cells, plan_runs, runs_of
from sgpmic_cli.experiments.plan.methods import resolve
from sgpmic_cli.experiments.plan.protocol import Protocol, protocol_named
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.plan.table_data import load_table_data
from sgpmic_cli.experiments.run import runner
from sgpmic_cli.experiments.run.aggregate import Outcome, aggregate_runs
from sgpmic_cli.experiments.run.manifest import manifest
from sgpmic_cli.experiments.run.records import Record, Store
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.files.atomic import check_writable, refuse_overwriting_inputs, write_files

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Prepared:
    """A study of which everything is decided and nothing computed: what a dry run shows."""

    study: Study
    options: RunOptions
    protocol: Protocol
    cells: list[Cell]
    runs: list[Run]
    work: runner.Work
    store: Store

    def runs_of(self, cell: Cell) -> list[Run]:
        """The runs behind one of the cells."""
        return runs_of(cell, self.study.repeats, self.study.seed)


@dataclass(frozen=True)
class FinishedStudy:
    """The outcome of every cell, and how much of it had to be computed."""

    prepared: Prepared
    outcomes: list[Outcome]  # one for each of the prepared cells
    records: dict[str, Record]  # by key
    seconds: float

    @property
    def computed(self) -> int:
        """Runs computed by this call."""
        return len(self.prepared.work.pending)

    @property
    def reused(self) -> int:
        """Runs that the store answered."""
        return len(self.prepared.work.kept)

    @property
    def failed(self) -> int:
        """Runs that failed, now or before."""
        return sum(not record.ok for record in self.records.values())


def run_study(
    study: Study, options: RunOptions, out: PathLike | None = None, files: Iterable[str] = ()
) -> FinishedStudy:
    """Run or resume a study whose tables are to go into `out` as `files`, if it has any.

    That `out` and the store can be written, and that no table would replace what is read, is found out before hours of
    computing, not after them.
    """
    prepared = prepare(study, options, out)
    if out is not None:
        refuse_overwriting_inputs(Path(out), (*files, MANIFEST), study.datasets)
        check_writable(Path(out), "out")
    check_writable(prepared.store.folder, "store")
    return compute(prepared)


def prepare(study: Study, options: RunOptions, out: PathLike | None = None) -> Prepared:
    """Check what is asked for, load the data, and divide the runs into those at hand and those to compute."""
    protocol = protocol_named(study.protocol)
    methods = resolve(study.methods)
    found = load_table_data(
        study.datasets,
        study.variances,
        label=study.label,
        scale=study.scale,
        data_dir=options.data_dir,
        mirror=options.mirror,
        offline=options.offline,
    )
    cells = [
        varied
        for cell in plan_cells(found, methods, protocol, study.scale)
        for varied in study.vary(cell)
    ]
    runs = plan_runs(cells, study.repeats, study.seed)
    store = Store(_store_folder(options, out), warn=options.watcher.warn)
    work = runner.divide(runs, store, force=options.force, retry_failed=options.retry_failed)
    return Prepared(study, options, protocol, cells, runs, work, store)


def compute(prepared: Prepared) -> FinishedStudy:
    """Compute what is missing, here or on a Dask cluster, and aggregate the runs of every cell."""
    start = time.perf_counter()
    options, work = prepared.options, prepared.work
    costs = {run.key: runner.cost(run) for run in work.pending}
    options.watcher.planned(len(prepared.runs), len(work.kept), costs)
    records = work.kept | runner.execute(
        work.pending,
        prepared.store,
        n_jobs=options.n_jobs,
        scheduler=options.scheduler,
        limits=options.limits,
        progress=options.watcher.finished,
    )
    outcomes = [aggregate_runs(cell, prepared.runs_of(cell), records) for cell in prepared.cells]
    return FinishedStudy(prepared, outcomes, records, time.perf_counter() - start)


def write_study(
    folder: Path,
    files: Mapping[str, str],
    finished: FinishedStudy,
    further: Mapping[str, Any] | None = None,
) -> None:
    """Write the tables of a study and its manifest, all of them or none.

    `further` are arguments that the study does not hold itself, such as the values of a sweep.
    """
    text = json.dumps(
        _manifest(finished, further or {}), indent=2, ensure_ascii=False, allow_nan=False
    )
    write_files(folder, {**files, MANIFEST: f"{text}\n"})


def _manifest(finished: FinishedStudy, further: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for, on which data, and what was computed.

    Runs that the store answered were computed by an earlier call: their time is in `seconds_of_all_runs` only.
    """
    prepared = finished.prepared
    used = [cell.data for cell in prepared.cells if cell.data is not None]
    return manifest(
        {**prepared.study.arguments(), **further, **prepared.options.arguments()},
        {f"{data.name}, {data.Y.shape[0]} x {data.Y.shape[1]}": data.sha256 for data in used},
        runs={"computed": finished.computed, "reused": finished.reused, "failed": finished.failed},
        seconds_of_this_call=finished.seconds,
        seconds_of_all_runs=round(sum(record.seconds for record in finished.records.values()), 1),
    )


def _store_folder(options: RunOptions, out: PathLike | None) -> Path:
    if options.store is not None:
        return Path(options.store)
    if out is None:
        raise ValueError("a study that writes no tables needs a store for its runs.")
    return Path(out) / "runs"
