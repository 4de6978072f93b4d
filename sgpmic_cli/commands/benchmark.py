"""`sgpmic benchmark`: methods on data sets, beside the paper's table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgpmic_cli.commands import _complete
from sgpmic_cli.commands._output import Output
from sgpmic_cli.errors import CellsFailed

if TYPE_CHECKING:
    from sgpmic_cli.experiments.benchmark import Benchmark, Prepared


def benchmark(
    dataset: Annotated[
        str,
        typer.Option(
            help="Data sets: names, 'all' of the paper's, or CSV files; separate several by commas.",
            autocompletion=_complete.datasets,
        ),
    ],
    variance: Annotated[
        str, typer.Option(help="Shares of variance that set Q: 50, 95, 99 or all.", autocompletion=_complete.variances)
    ] = "95",
    methods: Annotated[
        str,
        typer.Option(
            help="Methods: names, 'all' of the paper's, or module:Class of your own.", autocompletion=_complete.methods
        ),
    ] = "all",
    repeats: Annotated[int, typer.Option(help="Runs of each cell, every one with its own seed.")] = 10,
    seed: Annotated[int, typer.Option(help="What all seeds are derived from.")] = 0,
    n_jobs: Annotated[int, typer.Option(help="Processes; -1 for one per core.")] = -1,
    protocol: Annotated[
        str, typer.Option(help="as-run: what reproduces the paper's numbers; as-stated: what its text says.")
    ] = "as-run",
    label: Annotated[str | None, typer.Option(help="Label column of a CSV file.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the tables and the manifest.")] = Path("results/benchmark"),
    store: Annotated[Path | None, typer.Option(help="Folder of run records.", show_default="OUT/runs")] = None,
    force: Annotated[bool, typer.Option("--force", help="Compute every run again.")] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Compute failed runs again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would run, and stop.")] = False,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of downloaded data.", envvar="SGPMIC_DATA", show_envvar=True)
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(help="Folder or server with the publishers' files.", envvar="SGPMIC_MIRROR", show_envvar=True),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never use the network.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on stderr but errors.")] = False,
) -> None:
    """Run methods on data sets and put every number beside the paper's.

    Finished runs are kept: the same command again resumes, and computes nothing twice. Exit codes: 0 done (cells
    whose data cannot be had are marked unavailable), 2 wrong argument, 3 some runs failed, 4 no data, 130 interrupted.
    """
    from sgpmic_cli.commands._watching import watching
    from sgpmic_cli.experiments import benchmark as experiment

    output = Output(as_json=json, quiet=quiet)
    options: dict[str, Any] = {
        "repeats": repeats,
        "seed": seed,
        "protocol": protocol,
        "label": label,
        "data_dir": data_dir,
        "mirror": mirror,
        "offline": offline,
        "force": force,
        "retry_failed": retry_failed,
    }
    asked = _split(dataset), _split(variance), _split(methods)
    if dry_run:
        where = store if store is not None else out / "runs"
        _print_plan(experiment.prepare(*asked, store=where, **options), output)
        return
    with watching(output) as watcher:
        finished = experiment.benchmark(*asked, out=out, store=store, n_jobs=n_jobs, watcher=watcher, **options)
    _print_result(finished, output)
    output.remark(f"{finished.computed} runs computed, {finished.reused} reused; tables and manifest in {out}")
    if finished.failed:
        total = finished.computed + finished.reused
        raise CellsFailed(
            f"{finished.failed} of {total} runs failed; the notes say why, and --retry-failed runs them again."
        )


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _print_result(finished: "Benchmark", output: Output) -> None:
    if output.as_json:
        output.document(finished.document())
        return
    from sgpmic_cli.commands._benchmark_table import render

    console = output.console()
    for part in render(finished.results, console):
        console.print(part)


def _print_plan(prepared: "Prepared", output: Output) -> None:
    """What `--dry-run` shows: the runs of each cell, and how many of them the store answers."""
    from sgpmic_cli.experiments.plan import runs_of

    kept = prepared.work.kept
    cells: list[dict[str, Any]] = []
    for cell in prepared.cells:
        behind = runs_of(cell, prepared.repeats, prepared.seed)
        at_hand = sum(run.key in kept for run in behind)
        cells.append(
            {
                "dataset": cell.dataset,
                "variance": cell.variance,
                "q": cell.q,
                "method": cell.method.name,
                "runs": len(behind),
                "at_hand": at_hand,
                "note": cell.reason,
            }
        )
    if output.as_json:
        output.document({"to_run": len(prepared.work.pending), "at_hand": len(kept), "cells": cells})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("data set", "variance (Q)", "method", "to run", "at hand", "note"):
        table.add_column(heading, justify="right" if heading in ("to run", "at hand") else "left")
    for row in cells:
        share = f"{row['variance']} ({row['q'] if row['q'] is not None else '?'})"
        counts = str(row["runs"] - row["at_hand"]), str(row["at_hand"])
        table.add_row(row["dataset"], share, row["method"], *counts, row["note"])
    output.console().print(table)
    output.remark(
        f"{len(prepared.work.pending)} runs to compute, {len(kept)} at hand; equal experiments are computed once"
    )
