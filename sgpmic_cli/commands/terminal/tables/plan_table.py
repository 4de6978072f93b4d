"""What `--dry-run` shows: the runs of each cell, and how many of them the store answers."""

from pathlib import Path
from typing import Any

from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.pipeline import prepare
from sgpmic_cli.experiments.run.run_options import RunOptions


def show_plan(
    study: Study, options: RunOptions, out: Path, output: Output, parameter: str = ""
) -> None:
    """Print what would be run; `parameter` names what a sweep varies."""
    prepared = prepare(study, options, out)
    kept = prepared.work.kept
    cells: list[dict[str, Any]] = []
    for cell in prepared.cells:
        behind = prepared.runs_of(cell)
        at_hand = sum(run.key in kept for run in behind)
        cells.append(
            {
                "dataset": cell.dataset,
                "variance": cell.variance,
                "q": cell.q,
                "method": cell.method.name,
                **({parameter: cell.parameter(parameter)} if parameter else {}),
                "runs": len(behind),
                "at_hand": at_hand,
                "note": cell.reason,
            }
        )
    if output.as_json:
        output.document(
            {"to_run": len(prepared.work.pending), "at_hand": len(kept), "cells": cells}
        )
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in (
        "data set",
        "variance (Q)",
        "method",
        *([parameter] if parameter else []),
        "to run",
        "at hand",
    ):
        table.add_column(
            heading,
            justify="left" if heading in ("data set", "variance (Q)", "method") else "right",
        )
    table.add_column("note")
    for row in cells:
        share = f"{row['variance']} ({row['q'] if row['q'] is not None else '?'})"
        varied = [str(row[parameter])] if parameter else []
        counts = str(row["runs"] - row["at_hand"]), str(row["at_hand"])
        table.add_row(row["dataset"], share, row["method"], *varied, *counts, row["note"])
    output.console().print(table)
    output.remark(
        f"{len(prepared.work.pending)} runs to compute, {len(kept)} at hand; equal experiments are computed once"
    )
