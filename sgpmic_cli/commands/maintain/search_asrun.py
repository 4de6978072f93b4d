"""`sgpmic search-asrun`: the search behind SGP-MIC's setting, as anybody can run it again."""

from typing import Annotated

import typer

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output


def search_asrun(
    repeats: shared_options.Repeats = 2,
    more: Annotated[
        int, typer.Option(help="Runs of each cell of the variations that come out first.", min=1)
    ] = 5,
    seed: shared_options.Seed = 3000,
    n_jobs: shared_options.Jobs = -1,
    out: shared_options.Out = shared_options.EXPLORED / "search-asrun",
    store: shared_options.Store = None,
    retry_failed: shared_options.RetryFailed = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Vary what the paper leaves open in SGP-MIC, one thing at a time, and judge how close each comes to its column.

    The best few are run again with more repeats. The seeds are not those of the table.

    Writes search.csv, search.md and a manifest. Exit codes: 0 done, 2 wrong argument, 3 some runs failed, 130
    interrupted.
    """
    from sgpmic_cli.commands.terminal.progress.run_progress import tell_end, watching
    from sgpmic_cli.experiments.run.run_options import RunOptions
    from sgpmic_cli.experiments.studies import setting_search

    output = Output(as_json=False, quiet=quiet)
    with watching(output) as watcher:
        options = RunOptions(store=store, n_jobs=n_jobs, retry_failed=retry_failed, watcher=watcher)
        finished = setting_search.search_asrun(
            options, out=out, repeats=repeats, more=more, seed=seed
        )
    from rich import box
    from rich.table import Table
    from rich.text import Text

    head, body = finished.table()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    counted = len(head) - len(
        finished.judged[0].results
    )  # the paper's rows are for the file: they fill no screen
    for heading in head[:counted]:
        table.add_column(heading, justify="left" if heading == "variation" else "right")
    for row in body:
        table.add_row(*map(Text, row[:counted]))
    console = output.console()
    console.print(table)
    for line in finished.failures():
        console.print(Text(line))
    tell_end(finished.runs, out, output)
