"""Run a study: plan cells, look up stored runs, compute the others, aggregate, write tables."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare.comparison import Result
from sgpmic_cli.benchmark.compare.paper import SHOWN, Stat
from sgpmic_cli.benchmark.plan.cells import Cell, Run, Study, plan_cells, plan_runs, runs_of
from sgpmic_cli.benchmark.plan.methods import resolve, unknown
from sgpmic_cli.benchmark.plan.table_data import load_table_data
from sgpmic_cli.benchmark.run import runner
from sgpmic_cli.benchmark.run.one_run import Limits
from sgpmic_cli.benchmark.run.records import Record, Store
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.manifest import manifest
from sgpmic_cli.files.output_folder import check_writable, claim_folder, write_files

MANIFEST = "manifest.json"
BENCHMARK = "benchmark"  # the command that writes the tables, unless another is named
BACKENDS = ("loky", "dask")
MAX_JOBS_PER_CORE = 32
KEPT_TRACEBACKS = 3  # of a cell; the records have all


class Watcher:
    """Callbacks for the progress of a study, which do nothing unless overridden."""

    def planned(self, kept: int, pending: Sequence[Run]) -> None:
        """Receive how many runs have a record, and the others."""

    def finished(self, record: Record) -> None:
        """Receive the record of a computed run."""

    def warn(self, sentence: str) -> None:
        """Receive a warning."""


@dataclass(frozen=True)
class RunOptions:
    """Options that say how and where runs are computed. They change no number."""

    store: PathLike | None = None  # folder of run records; None for `runs` beside the tables
    n_jobs: int = -1  # processes of this machine; -1 for one per core
    backend: str = "loky"  # or "dask"
    scheduler: str | None = None  # address for Dask; "local" starts a cluster on this machine
    limits: Limits = field(default_factory=Limits)
    force: bool = False  # compute every run again
    retry_failed: bool = False  # compute failed runs again
    data_dir: PathLike | None = None  # folder of downloaded data
    mirror: str | None = None  # folder or server with the publishers' files
    offline: bool = False
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        """Check the options before any data are loaded."""
        most = MAX_JOBS_PER_CORE * (os.cpu_count() or 1)
        if self.n_jobs > most:
            raise UsageError(
                f"--n-jobs {self.n_jobs} is too many for this machine: give at most {most}, or -1."
            )
        if self.backend not in BACKENDS:
            raise UsageError(unknown("backend", self.backend, BACKENDS))
        if self.backend == "dask" and not self.scheduler:
            raise UsageError(
                "--backend dask needs the address of a scheduler: add --scheduler tcp://HOST:8786, "
                "or --scheduler local for a cluster on this machine."
            )

    def arguments(self) -> dict[str, Any]:
        """Return the options for the manifest, without paths on the user's machine."""
        names = ("n_jobs", "backend", "force", "retry_failed", "offline")
        places = {"data_dir": self.data_dir, "mirror": self.mirror}
        return {name: getattr(self, name) for name in names} | {
            name: None if place is None else "given" for name, place in places.items()
        }


@dataclass(frozen=True)
class Prepared:
    """A planned study, which a dry run shows."""

    study: Study
    options: RunOptions
    cells: list[Cell]
    runs: list[Run]
    kept: dict[str, Record]  # of the store, by key
    pending: list[Run]  # without a record
    store: Store

    def runs_of(self, cell: Cell) -> list[Run]:
        """Return the runs of one of the cells."""
        return runs_of(cell, self.study.repeats, self.study.seed)


@dataclass(frozen=True)
class FinishedStudy:
    """The result of every cell, and how many runs were computed."""

    prepared: Prepared
    results: list[Result]  # one for each of the prepared cells
    records: dict[str, Record]  # by key
    seconds: float

    @property
    def computed(self) -> int:
        """Return the number of runs computed by this call."""
        return len(self.prepared.pending)

    @property
    def reused(self) -> int:
        """Return the number of runs read from the store."""
        return len(self.prepared.kept)

    @property
    def failed(self) -> int:
        """Return the number of failed runs, computed or read."""
        return sum(not record.ok for record in self.records.values())

    def document(self) -> dict[str, Any]:
        """Return the JSON document of a benchmark."""
        study = self.prepared.study
        head = {"protocol": study.protocol, "repeats": study.repeats, "seed": study.seed}
        return {**head, "cells": [result.document() for result in self.results]}


def run_study(
    study: Study, options: RunOptions, out: PathLike | None = None, command: str = BENCHMARK
) -> FinishedStudy:
    """Run or resume a study whose tables the command will write into `out`.

    Check before the computation that the folders are writable and have no files of others. Compute
    the runs without a record, and aggregate the runs of every cell.
    """
    prepared = prepare(study, options, out)
    folder, start = prepared.store.folder, time.perf_counter()
    if out is None:
        check_writable(folder, "--store")
    with nullcontext() if out is None else claim_folder(Path(out), command, study.datasets, folder):
        options.watcher.planned(len(prepared.kept), prepared.pending)
        records = prepared.kept | runner.execute(
            prepared.pending,
            prepared.store,
            n_jobs=options.n_jobs,
            scheduler=options.scheduler,
            limits=options.limits,
            progress=options.watcher.finished,
        )
    results = [aggregate_runs(cell, prepared.runs_of(cell), records) for cell in prepared.cells]
    return FinishedStudy(prepared, results, records, time.perf_counter() - start)


def prepare(study: Study, options: RunOptions, out: PathLike | None = None) -> Prepared:
    """Check the arguments, load the data, plan the runs and look them up in the store."""
    methods = resolve(study.methods)
    tables = load_table_data(
        study.datasets,
        study.variances,
        label=study.label,
        scale=study.scale,
        data_dir=options.data_dir,
        mirror=options.mirror,
        offline=options.offline,
    )
    planned = plan_cells(tables, methods, study.protocol, study.scale)
    cells = [varied for cell in planned for varied in study.vary(cell)]
    folder = options.store if options.store is not None or out is None else Path(out) / "runs"
    if folder is None:
        raise ValueError("a study without tables needs a store for its runs.")
    store = Store(folder, warn=options.watcher.warn)
    runs = plan_runs(cells, study.repeats, study.seed)
    found = {} if options.force else {run.key: store.read(run.key) for run in runs}
    kept = {
        key: record
        for key, record in found.items()
        if record is not None and (record.ok or not options.retry_failed)
    }
    pending = [run for run in runs if run.key not in kept]
    return Prepared(study, options, cells, runs, kept, pending, store)


def aggregate_runs(cell: Cell, runs: Sequence[Run], records: Mapping[str, Record]) -> Result:
    """Aggregate the records of a cell's runs."""
    found = [records[run.key] for run in runs]
    good = [record for record in found if record.ok]
    reasons = tuple(dict.fromkeys(record.reason for record in found if not record.ok))
    tracebacks = dict.fromkeys(record.traceback for record in found if record.traceback)
    result = Result(
        dataset=cell.dataset,
        data=cell.data.sha256 if cell.data else "",
        variance=cell.variance,
        q=cell.q,
        n_clusters=cell.n_clusters,
        method=cell.method,
        scores=cell.scores,
        settings=cell.settings,
        repeats=len(found),
        failed=len(found) - len(good),
        ours={name: _stat(good, cell.scores.get(name, name)) for name in SHOWN},
        duration=Stat.of([record.seconds for record in good]),
        note=cell.reason,
        tracebacks=tuple(tracebacks)[:KEPT_TRACEBACKS],
        reasons=reasons if cell.data else (cell.reason,),
        runs=tuple(runs),
    )
    return replace(result, note=_note(result, good)) if cell.data else result


def _stat(records: Sequence[Record], score: str) -> Stat:
    return Stat.of([record.scores[score] for record in records])


def _note(result: Result, good: Sequence[Record]) -> str:
    """Describe differing data, failures, warnings and an ACC that is not purity, in sentences."""
    parts = []
    if result.data_differ:
        parts.append("The public data are not those the paper used.")
    if result.failed:
        count = f"{result.failed} of" if good else "All"
        reasons = "; ".join(result.reasons).removesuffix(".")
        parts.append(f"{count} {result.repeats} runs failed: {reasons}.")
    warnings = dict.fromkeys(text for record in good for text in record.warnings)
    parts += [f"Warning: {text}" for text in warnings]
    if good and result.scores["acc"] != "acc":
        parts.append(
            "ACC is that of the best one-to-one match, as in the printed column; "
            f"purity is {_stat(good, 'acc').mean:.2f}."
        )
    return " ".join(parts)


def write_study(
    folder: Path,
    files: Mapping[str, str],
    finished: FinishedStudy,
    further: Mapping[str, Any] | None = None,
    command: str = BENCHMARK,
) -> None:
    """Write the tables of a study and its manifest, all of them or none.

    `further` are arguments that the study does not hold, such as the values of a sweep. In the
    manifest, `seconds_of_all_runs` includes the runs of earlier calls.
    """
    prepared = finished.prepared
    used = [cell.data for cell in prepared.cells if cell.data is not None]
    content = manifest(
        {**prepared.study.arguments(), **(further or {}), **prepared.options.arguments()},
        {f"{data.name}, {data.Y.shape[0]} x {data.Y.shape[1]}": data.sha256 for data in used},
        runs={"computed": finished.computed, "reused": finished.reused, "failed": finished.failed},
        seconds_of_this_call=finished.seconds,
        seconds_of_all_runs=round(sum(record.seconds for record in finished.records.values()), 1),
    )
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    write_files(folder, command, {**files, MANIFEST: f"{text}\n"})
