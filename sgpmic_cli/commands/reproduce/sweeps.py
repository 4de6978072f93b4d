"""`sgpmic sweep-inducing` and `sgpmic sweep-clusters`: scores along a range. They differ only in what they vary."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.options.shared_options import split
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.experiments.studies.sweep_ranges import CLUSTERS, INDUCING, SweepRange

if TYPE_CHECKING:
    from sgpmic_cli.experiments.studies.sweeps import Sweep


def _command(axis: SweepRange, description: str) -> Callable[..., None]:
    """The command that varies `axis`."""

    def run(
        data: shared_options.DatasetsArgument = None,
        dataset: Annotated[
            str | None, shared_options.datasets_option(",".join(axis.datasets))
        ] = None,
        values: Annotated[str, typer.Option(help=axis.meaning)] = ",".join(axis.values),
        methods: shared_options.Methods = ",".join(axis.methods),
        variance: Annotated[
            int | None,
            typer.Option(
                help="Share of variance that sets Q.", show_default="95, or the paper's only row"
            ),
        ] = None,
        repeats: shared_options.Repeats = 10,
        seed: shared_options.Seed = 0,
        n_jobs: shared_options.Jobs = -1,
        backend: shared_options.BackendName = "loky",
        scheduler: shared_options.Scheduler = None,
        timeout: shared_options.Timeout = None,
        memory_limit: shared_options.MemoryLimit = None,
        protocol: shared_options.ProtocolName = "as-run",
        label: shared_options.Label = None,
        out: shared_options.Out = shared_options.EXPLORED / axis.name,
        store: shared_options.Store = None,
        force: shared_options.Force = False,
        retry_failed: shared_options.RetryFailed = False,
        dry_run: shared_options.DryRun = False,
        data_dir: shared_options.DataDir = None,
        mirror: shared_options.Mirror = None,
        offline: shared_options.Offline = False,
        json: shared_options.Json = False,
        quiet: shared_options.Quiet = False,
    ) -> None:
        from sgpmic_cli.commands.terminal.progress.run_progress import tell_end, watching
        from sgpmic_cli.commands.terminal.tables.plan_table import show_plan
        from sgpmic_cli.experiments.plan.study import Study
        from sgpmic_cli.experiments.run.run_options import RunOptions
        from sgpmic_cli.experiments.studies.sweeps import sweep, sweep_study

        output = Output(as_json=json, quiet=quiet)
        along = split(values)
        datasets = split(shared_options.named(data, dataset, ",".join(axis.datasets)))
        study = Study(datasets, ["all"], split(methods), repeats, seed, protocol, label)
        limits = shared_options.limits(timeout, memory_limit)
        options = RunOptions(
            store,
            n_jobs,
            backend,
            scheduler,
            limits,
            force,
            retry_failed,
            data_dir,
            mirror,
            offline,
        )
        if dry_run:
            show_plan(
                sweep_study(axis, along, study, variance), options, out, output, axis.parameter
            )
            return
        with watching(output) as watcher:
            finished = sweep(
                axis, along, study, replace(options, watcher=watcher), out=out, variance=variance
            )
        _print(finished, output)
        tell_end(finished.runs, out, output)

    run.__doc__ = description
    return run


def _print(finished: "Sweep", output: Output) -> None:
    if output.as_json:
        output.document(finished.document())
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = output.console()
    for title, head, body in finished.grids():
        table = Table(box=box.SIMPLE_HEAD, title=title, title_style="bold", pad_edge=False)
        for heading in head:
            table.add_column(heading, justify="right", overflow="fold")
        for row in body:
            table.add_row(*map(Text, row))
        console.print(table)
    for line in finished.notes():
        console.print(Text(line))


sweep_inducing = _command(
    INDUCING,
    """Score SGP-MIC along a range of inducing points: ACC, NMI and run time, as in the paper's figure 8.

    Writes sweep.csv, sweep.md, sweep.json and a manifest. Runs kept in the same store are used again.
    """,
)


sweep_clusters = _command(
    CLUSTERS,
    """Score methods along a range of clusters, from the classes to many times as many, as in the paper's figure 7.

    Writes sweep.csv, sweep.md, sweep.json and a manifest. Runs kept in the same store are used again.
    """,
)
