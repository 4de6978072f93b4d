"""The benchmark: methods on data sets, our numbers beside the paper's. The command line only parses and prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.atomic import check_writable, refuse_overwriting_inputs
from sgpmic_cli.experiments.compare.comparison import Result, compare_cell
from sgpmic_cli.experiments.plan.protocol import Protocol
from sgpmic_cli.experiments.run.pipeline import Gathered, Prepared, Watcher, check_jobs, gather, manifest_of, prepare
from sgpmic_cli.experiments.run.separate_process import Limits
from sgpmic_cli.experiments.tables.benchmark_files import FILES, write_benchmark

__all__ = ["Benchmark", "Prepared", "Watcher", "benchmark", "complete", "prepare"]


@dataclass(frozen=True)
class Benchmark:
    """The finished table."""

    protocol: Protocol
    repeats: int
    seed: int
    results: list[Result]
    gathered: Gathered

    @property
    def computed(self) -> int:
        """Runs computed by this call."""
        return self.gathered.computed

    @property
    def reused(self) -> int:
        """Runs that the store answered."""
        return self.gathered.reused

    @property
    def failed(self) -> int:
        """Runs that failed, now or before."""
        return self.gathered.failed

    def document(self) -> dict[str, Any]:
        """The one JSON document of the command."""
        return {
            "protocol": self.protocol.name,
            "repeats": self.repeats,
            "seed": self.seed,
            "cells": [cell.document() for cell in self.results],
        }


def complete(
    prepared: Prepared,
    *,
    n_jobs: int = -1,
    scheduler: str | None = None,
    limits: Limits = Limits(),
    watcher: Watcher | None = None,
) -> Benchmark:
    """Compute what is missing and put every cell beside the paper's."""
    gathered = gather(prepared, n_jobs=n_jobs, scheduler=scheduler, limits=limits, watcher=watcher)
    results = [compare_cell(outcome, prepared.protocol) for outcome in gathered.outcomes]
    return Benchmark(prepared.protocol, prepared.repeats, prepared.seed, results, gathered)


def benchmark(
    datasets: Sequence[str],
    variances: Sequence[str | int] = (95,),
    methods: Sequence[str] = ("all",),
    *,
    out: PathLike,
    store: PathLike | None = None,
    n_jobs: int = -1,
    scheduler: str | None = None,
    limits: Limits = Limits(),
    trace: bool = False,
    watcher: Watcher | None = None,
    **options: Any,
) -> Benchmark:
    """Run or resume a benchmark and write its tables and manifest into `out`; `options` are those of `prepare`.

    With `trace` also trace.csv: the losses and bounds of every run, step by step.
    """
    check_jobs(n_jobs)
    folder = Path(out)
    where = Path(store) if store is not None else folder / "runs"
    prepared = prepare(datasets, variances, methods, store=where, watcher=watcher, **options)
    refuse_overwriting_inputs(folder, FILES, datasets)
    check_writable(folder, "--out")
    check_writable(where, "--store")
    finished = complete(prepared, n_jobs=n_jobs, scheduler=scheduler, limits=limits, watcher=watcher)
    arguments = {"datasets": datasets, "variances": variances, "methods": methods, "n_jobs": n_jobs, **options}
    about = manifest_of(prepared, finished.gathered, arguments)
    traced = finished.gathered.records.values() if trace else None
    write_benchmark(folder, finished.results, finished.document(), about, traced)
    return finished
