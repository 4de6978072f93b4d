"""The benchmark: methods on data sets, our numbers beside the paper's. The command line only parses and prints."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments import methods as registry
from sgpmic_cli.experiments import plan, runner
from sgpmic_cli.experiments.fold import fold
from sgpmic_cli.experiments.manifest import manifest
from sgpmic_cli.experiments.protocol import Protocol
from sgpmic_cli.experiments.protocol import protocol as protocol_named
from sgpmic_cli.experiments.result import Result, result
from sgpmic_cli.experiments.sources import sources
from sgpmic_cli.experiments.store import Record, Store
from sgpmic_cli.experiments.tables import write_tables

Folder = str | os.PathLike[str]


class Watcher:
    """Hears what goes on; this one keeps it to itself."""

    def planned(self, total: int, kept: int) -> None:
        """The number of runs, and how many of them the store already has."""

    def finished(self, record: Record) -> None:
        """A run was computed."""

    def warn(self, sentence: str) -> None:
        """Something is not as it should be, but the work goes on."""


@dataclass(frozen=True)
class Prepared:
    """Everything decided, nothing computed: what `--dry-run` shows."""

    protocol: Protocol
    cells: list[plan.Cell]
    runs: list[plan.Run]
    work: runner.Work
    store: Store
    repeats: int
    seed: int


@dataclass(frozen=True)
class Benchmark:
    """The finished table."""

    protocol: Protocol
    repeats: int
    seed: int
    results: list[Result]
    computed: int
    reused: int
    failed: int  # runs
    seconds: float

    def document(self) -> dict[str, Any]:
        """The one JSON document of the command."""
        return {
            "protocol": self.protocol.name,
            "repeats": self.repeats,
            "seed": self.seed,
            "cells": [cell.document() for cell in self.results],
        }


def prepare(
    datasets: Sequence[str],
    variances: Sequence[str | int] = (95,),
    methods: Sequence[str] = ("all",),
    *,
    store: Folder,
    repeats: int = 10,
    seed: int = 0,
    protocol: str = "as-run",
    label: str | None = None,
    data_dir: Folder | None = None,
    mirror: str | None = None,
    offline: bool = False,
    force: bool = False,
    retry_failed: bool = False,
    watcher: Watcher | None = None,
) -> Prepared:
    """Check every argument, load the data, and divide the runs into those at hand and those to compute."""
    if repeats < 1:
        raise UsageError(f"--repeats {repeats} leaves nothing to run: give 1 or more.")
    chosen = protocol_named(protocol)
    entrants = registry.resolve(methods)
    found = sources(datasets, variances, label=label, data_dir=data_dir, mirror=mirror, offline=offline)
    cells = plan.cells(found, entrants, chosen)
    runs = plan.runs(cells, repeats, seed)
    kept = Store(store, warn=(watcher or Watcher()).warn)
    work = runner.divide(runs, kept, force=force, retry_failed=retry_failed)
    return Prepared(chosen, cells, runs, work, kept, repeats, seed)


def complete(prepared: Prepared, *, n_jobs: int = -1, watcher: Watcher | None = None) -> Benchmark:
    """Compute what is missing and put every cell beside the paper's."""
    start = time.perf_counter()
    watcher = watcher or Watcher()
    work = prepared.work
    watcher.planned(len(prepared.runs), len(work.kept))
    records = work.kept | runner.execute(work.pending, prepared.store, n_jobs=n_jobs, progress=watcher.finished)
    results = [
        result(fold(cell, plan.runs_of(cell, prepared.repeats, prepared.seed), records), prepared.protocol)
        for cell in prepared.cells
    ]
    return Benchmark(
        protocol=prepared.protocol,
        repeats=prepared.repeats,
        seed=prepared.seed,
        results=results,
        computed=len(work.pending),
        reused=len(work.kept),
        failed=sum(not record.ok for record in records.values()),
        seconds=time.perf_counter() - start,
    )


def benchmark(
    datasets: Sequence[str],
    variances: Sequence[str | int] = (95,),
    methods: Sequence[str] = ("all",),
    *,
    out: Folder,
    store: Folder | None = None,
    n_jobs: int = -1,
    watcher: Watcher | None = None,
    **options: Any,
) -> Benchmark:
    """Run or resume a benchmark and write its tables and manifest into `out`; `options` are those of `prepare`."""
    if n_jobs == 0:
        raise UsageError("--n-jobs 0 means no process at all: give 1 or more, or -1 for all cores.")
    folder = Path(out)
    where = Path(store) if store is not None else folder / "runs"
    prepared = prepare(datasets, variances, methods, store=where, watcher=watcher, **options)
    _check_writable(folder, "--out")
    _check_writable(where, "--store")
    finished = complete(prepared, n_jobs=n_jobs, watcher=watcher)
    arguments = {"datasets": datasets, "variances": variances, "methods": methods, "n_jobs": n_jobs, **options}
    used = [cell.data for cell in prepared.cells if cell.data is not None]
    hashes = {f"{data.name}, {data.Y.shape[0]} x {data.Y.shape[1]}": data.sha256 for data in used}
    counts = {"computed": finished.computed, "reused": finished.reused, "failed": finished.failed}
    environment = manifest(arguments, hashes, runs=counts, seconds=finished.seconds)
    write_tables(folder, finished.results, finished.document(), environment)
    return finished


def _check_writable(folder: Path, option: str) -> None:
    """Find out before hours of computing that their results could not be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".write-{os.getpid()}.tmp"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(
            f"cannot write into {option} {str(folder)!r}: {error.strerror}; name another folder."
        ) from error
