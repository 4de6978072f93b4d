"""`sgpmic missing-study`: what missing values cost, and who fills them in best."""

from dataclasses import replace
from typing import Annotated

import typer

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output


def missing_study(
    patterns: Annotated[
        int, typer.Option(help="Ways in which entries are lost, for each set.", min=1)
    ] = 8,
    seed: shared_options.Seed = 0,
    n_jobs: shared_options.Jobs = -1,
    out: shared_options.Out = shared_options.EXPLORED / "missing",
    store: shared_options.Store = None,
    force: shared_options.Force = False,
    dry_run: shared_options.DryRun = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Hide 30 % of the entries of every bundled set, and compare holes left to the model with filling them in.

    Beside the full rows: medians, and scikit-learn's IterativeImputer. Writes missing.csv, missing.md and
    manifest.json. The same command again resumes.
    """
    from sgpmic_cli.commands.terminal.progress.run_progress import tell_end, watching
    from sgpmic_cli.commands.terminal.tables.plan_table import show_plan
    from sgpmic_cli.experiments.run.run_options import RunOptions
    from sgpmic_cli.experiments.studies import missing_values

    output = Output(as_json=json, quiet=quiet)
    asked = missing_values.missing_study(patterns, seed)
    options = RunOptions(store=store, n_jobs=n_jobs, force=force)
    if dry_run:
        show_plan(asked, options, out, output)
        return
    with watching(output) as watcher:
        finished = missing_values.missing_values(asked, replace(options, watcher=watcher), out=out)
    if json:
        output.document(finished.document())
    else:
        from rich import box
        from rich.table import Table

        heading, body = finished.table()
        table = Table(*heading, box=box.SIMPLE_HEAD)
        for row in body:
            table.add_row(*row)
        console = output.console()
        console.print(table)
        console.print(finished.findings())
    tell_end(finished.runs, out, output)
