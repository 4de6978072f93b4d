"""`sgpmic check`: recompute numbers and compare them with the reference."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sgpmic_cli.commands.terminal.options import completion, shared_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.errors import CellsFailed, SgpmicError, UsageError

if TYPE_CHECKING:
    from sgpmic_cli.experiments.run.pipeline import FinishedStudy
    from sgpmic_cli.experiments.studies.regression_gate import Change


def check(
    data: shared_options.DatasetsArgument = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Data sets of the reference, or 'all'; with --update also CSV files. Separate several by commas.",
            show_default="all",
            autocompletion=completion.datasets,
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            help="Methods of the reference, or 'all'; with --update also module:Class. Separate several by commas.",
            autocompletion=completion.methods,
        ),
    ] = "all",
    full: Annotated[
        bool, typer.Option("--full", help="Every cell of the reference, not only the fast ones.")
    ] = False,
    update: Annotated[
        bool,
        typer.Option(
            "--update", help="Compute the cells anew and rewrite the reference with them."
        ),
    ] = False,
    reference: Annotated[
        Path | None,
        typer.Option(
            help="The file of numbers to hold.", show_default="the one that comes with sgpmic"
        ),
    ] = None,
    label: shared_options.Label = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            help="Runs of each cell.",
            show_default="3; with --full or --update as many as the reference",
        ),
    ] = None,
    n_jobs: shared_options.Jobs = -1,
    store: Annotated[
        Path | None,
        typer.Option(
            help="Folder of run records that may answer.",
            show_default="none: everything is computed",
        ),
    ] = None,
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    junit: Annotated[
        Path | None, typer.Option(help="Also write the findings as JUnit XML.", show_default="none")
    ] = None,
    annotations: Annotated[
        bool,
        typer.Option(
            "--annotations", help="Also print what is broken on stderr as GitHub's annotations."
        ),
    ] = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Recompute cells and compare them with the reference, repeat by repeat with the same seeds.

    A mean may move by max(1, 3 s / sqrt n), s being the spread of the reference and n the repeats compared. Exit codes:
    0 nothing differs down, 1 a number does, failed or is missing, or nothing was compared, 2 wrong argument, 3 some
    runs of an update failed.
    """
    from sgpmic_cli.commands.terminal.progress.run_progress import watching
    from sgpmic_cli.experiments.run.run_options import RunOptions
    from sgpmic_cli.experiments.studies import gate_formats, regression_gate
    from sgpmic_cli.experiments.studies.reference import (
        INSTALLED,
        default_path,
        read_reference,
        write_reference,
    )
    from sgpmic_cli.files.atomic import check_writable, refuse_overwriting_inputs, write_whole

    output = Output(as_json=json, quiet=quiet)
    path = reference if reference is not None else default_path()
    if update and path == INSTALLED:
        raise UsageError(
            "update=True needs reference=FILE: the one that comes with sgpmic is not yours to change."
        )
    if label is not None and not update:
        raise UsageError(
            f"label={label} goes with update=True: a reference remembers the label column of its files."
        )
    if junit is not None and update:
        raise UsageError(f"junit={str(junit)!r} goes without update=True, which judges nothing.")
    selection = regression_gate.Selection(
        tuple(shared_options.split(shared_options.named(data, dataset, "all"))),
        tuple(shared_options.split(methods)),
    )
    options = RunOptions(
        store=store, n_jobs=n_jobs, data_dir=data_dir, mirror=mirror, offline=offline
    )
    if update:
        refuse_overwriting_inputs(path.parent, [path.name], selection.datasets)
        old = read_reference(path) if path.exists() else None
        check_writable(path.parent, "reference")
        with watching(output) as watcher:
            watched = replace(options, watcher=watcher)
            renewed, changes, finished = regression_gate.update(
                old, selection, watched, repeats=repeats, label=label
            )
        write_reference(path, renewed)
        _print(changes, output)
        output.ending(f"{len(renewed.cells)} cells in {path}; {finished.failed} runs failed")
        _raise_failed(finished)
        return
    held = read_reference(path)
    if junit is not None:
        refuse_overwriting_inputs(
            junit.parent, [junit.name], [path, *(own.path for own in held.files.values())]
        )
        check_writable(junit.parent, "junit")
    with watching(output) as watcher:
        watched = replace(options, watcher=watcher)
        changes = regression_gate.check(held, selection, watched, full=full, repeats=repeats)
    _print(changes, output)
    if junit is not None:
        write_whole(junit, gate_formats.junit(changes))
    if annotations:
        print(*gate_formats.annotations(changes), sep="\n", file=sys.stderr)
    if worse := regression_gate.broken(changes):
        raise SgpmicError(
            f"{len(worse)} of {len(changes)} numbers differ down, failed or are missing."
        )
    if not regression_gate.compared(changes):
        raise SgpmicError(
            f"nothing was compared: no cell of '{path}' was asked for; see --dataset, --methods, --full."
        )
    output.ending(f"nothing is worse than {path} allows")


def _raise_failed(finished: "FinishedStudy") -> None:
    """An update with failed runs is no reference to rely on: name the cells and end as other commands do."""
    cells = [
        f"{outcome.cell.method.name} on {outcome.cell.dataset} {outcome.cell.variance}"
        + ("" if outcome.ok else " (all runs: any old values stay)")
        for outcome in finished.outcomes
        if outcome.failed_anywhere
    ]
    if cells:
        raise CellsFailed(
            f"{finished.failed} of {len(finished.records)} runs failed: {', '.join(cells)}."
        )


def _print(changes: "list[Change]", output: Output) -> None:
    """Print the numbers that moved, and a count of all."""
    from collections import Counter

    from sgpmic_cli.experiments.studies.regression_gate import State
    from sgpmic_cli.experiments.tables.formats import TITLES, plain

    counts = Counter(change.state for change in changes)
    if output.as_json:
        document = {"counts": {str(state): counts[state] for state in State if counts[state]}}
        output.document({**document, "changes": [change.document() for change in changes]})
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    styles = {
        State.DOWN: "red",
        State.FAILED: "bold red",
        State.MISSING: "red",
        State.UP: "magenta",
    }
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (
        "data set",
        "%",
        "method",
        "score",
        "reference",
        "now",
        "diff",
        "allowed",
        "state",
    ):
        table.add_column(
            heading,
            justify="right" if heading in ("%", "reference", "now", "diff", "allowed") else "left",
        )
    for change in changes:
        if change.state is not State.SAME:
            name, variance, method = change.place
            difference = "" if change.difference is None else f"{change.difference:+.2f}"
            allowed = "" if change.tolerance is None else f"{change.tolerance:.2f}"
            state = Text(change.state, style=styles.get(change.state, ""))
            if change.reason:
                state.append(f": {change.reason}")
            numbers = plain(change.before), plain(change.now), difference, allowed
            table.add_row(name, str(variance), method, TITLES[change.metric], *numbers, state)
    console = output.console()
    if table.row_count:
        console.print(table)
    told = ", ".join(f"{counts[state]} {state}" for state in State if counts[state])
    console.print(Text(f"{len(changes)} numbers: {told or 'none'}"))
