"""`sgpmic sweep-inducing` and `sgpmic sweep-clusters`: scores along a range of one parameter."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.experiments.studies.sweep_ranges import CLUSTERS, INDUCING, SweepRange

if TYPE_CHECKING:
    from sgpmic_cli.experiments.studies.sweep_study import Sweep


def _command(axis: SweepRange, description: str) -> Callable[..., None]:
    """Return the command that varies the parameter of `axis`."""
    default_data = ",".join(axis.datasets)

    def run(  # noqa: PLR0913 - one parameter per option
        data: shared.DatasetsArgument = None,
        dataset: Annotated[str | None, shared.datasets_option(default_data)] = None,
        values: Annotated[str, shared.option(axis.meaning)] = ",".join(axis.values),
        methods: shared.Methods = ",".join(axis.methods),
        variance: Annotated[
            int | None,
            shared.option(
                "Percentage of explained variance that sets Q.",
                default="95, or the only one in the paper",
            ),
        ] = None,
        repeats: shared.Repeats = 10,
        seed: shared.Seed = 0,
        n_jobs: shared.Jobs = -1,
        backend: shared.Backend = "loky",
        scheduler: shared.Scheduler = None,
        timeout: shared.Timeout = None,
        memory_limit: shared.MemoryLimit = None,
        protocol: shared.ProtocolName = "as-run",
        label: shared.LabelOfFile = None,
        out: shared.Out = shared.OUTPUT_FOLDER / axis.name,
        store: shared.Store = None,
        force: shared.Force = False,
        retry_failed: shared.RetryFailed = False,
        dry_run: shared.DryRun = False,
        data_dir: shared.DataDir = None,
        mirror: shared.Mirror = None,
        offline: shared.Offline = False,
        json: shared.Json = False,
        quiet: shared.Quiet = False,
    ) -> None:
        from sgpmic_cli.commands.benchmark_tables import print_plan
        from sgpmic_cli.commands.progress import finish_runs, run_progress
        from sgpmic_cli.experiments.plan.study import Study
        from sgpmic_cli.experiments.run.pipeline import RunOptions
        from sgpmic_cli.experiments.studies.sweep_study import sweep, sweep_study

        output = Output(as_json=json, quiet=quiet)
        grid = shared.split_list(values)
        datasets = shared.split_list(shared.one_of(data, dataset, default_data))
        study = Study(datasets, ["all"], shared.split_list(methods), repeats, seed, protocol, label)
        limits = shared.run_limits(timeout, memory_limit)
        where = data_dir, mirror, offline
        options = RunOptions(store, n_jobs, backend, scheduler, limits, force, retry_failed, *where)
        if dry_run:
            planned = sweep_study(axis, grid, study, variance)
            print_plan(planned, options, out, output, axis.parameter)
            return
        with run_progress(output) as watcher:
            watched = replace(options, watcher=watcher)
            finished = sweep(axis, grid, study, watched, out=out, variance=variance)
        _print(finished, output)
        finish_runs(finished.runs, out, output)

    run.__doc__ = description
    return run


def _print(finished: "Sweep", output: Output) -> None:
    if output.as_json:
        output.document(finished.document())
        return
    from rich.text import Text

    from sgpmic_cli.commands.terminal_tables import table

    console = output.console()
    for title, headings, rows in finished.grids():
        console.print(table(headings, rows, title=title))
    for line in finished.notes():
        console.print(Text(line))


sweep_inducing = _command(
    INDUCING,
    """Score SGP-MIC for a range of numbers of inducing points: ACC, NMI and run time (figure 8).

    Writes sweep.csv, sweep.md, sweep.json and manifest.json. Stored runs are reused.
    """,
)


sweep_clusters = _command(
    CLUSTERS,
    """Score methods for a range of numbers of clusters, from the number of classes up (figure 7).

    Writes sweep.csv, sweep.md, sweep.json and manifest.json. Stored runs are reused.
    """,
)
