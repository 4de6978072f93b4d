"""`sgpmic sweep-inducing` and `sweep-clusters`: scores along a range of one parameter."""

from collections.abc import Callable

from typer import Option

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, Progress, finish_runs, print_plan, rich_table
from sgpmic_cli.paper.experiments.sweep_ranges import CLUSTERS, INDUCING, SweepRange


def _sweep(axis: SweepRange, description: str) -> Callable[..., None]:
    """Return the sweep that varies the parameter of `axis`."""

    def run(  # noqa: PLR0913 - one parameter per option
        dataset: shared.Datasets = ",".join(axis.datasets),
        values: str = Option(",".join(axis.values), help=axis.meaning),
        methods: shared.Methods = ",".join(axis.methods),
        variance: int | None = Option(
            None,
            help="Percentage of explained variance that sets Q.",
            show_default="95, or the only one in the paper",
        ),
        out: shared.Out = shared.OUTPUT_FOLDER / axis.name,
        repeats: shared.Repeats = 10,
        seed: shared.Seed = 0,
        protocol: shared.Protocol = "as-run",
        label: shared.LabelOfFiles = None,
        n_jobs: shared.Jobs = -1,
        backend: shared.Backend = "loky",
        scheduler: shared.Scheduler = None,
        store: shared.Store = None,
        force: shared.ForceRuns = False,
        retry_failed: shared.RetryFailed = False,
        dry_run: shared.DryRun = False,
        json: shared.Json = False,
        quiet: shared.Quiet = False,
    ) -> None:
        from sgpmic_cli.benchmark.run import RunOptions, plan_study
        from sgpmic_cli.paper.experiments.sweeps import sweep, sweep_study

        output = Output(json, quiet)
        grid, names = shared.split_list(values), shared.split_list(methods)
        how = {"repeats": repeats, "seed": seed, "label": label, "protocol": protocol}
        study = sweep_study(axis, grid, shared.split_list(dataset), names, variance, **how)
        address = shared.dask_address(backend, scheduler)
        with Progress(output) as progress:
            options = RunOptions(store, n_jobs, address, force, retry_failed, progress=progress)
            if dry_run:
                print_plan(plan_study(study, options, out), output)
                return
            finished = sweep(axis, study, options, out=out, values=grid)
        grids = [
            rich_table(headings, rows, title=title) for title, headings, rows in finished.grids()
        ]
        output.result(finished.document(), [*grids, *finished.notes()])
        finish_runs(finished.runs, f"tables and manifest in {out}", output)

    files = "Writes sweep.csv, sweep.md, sweep.json and manifest.json. Stored runs are reused."
    run.__doc__ = f"{description}\n\n{files}"
    return run


sweep_inducing = _sweep(
    INDUCING,
    "Score SGP-MIC for a range of numbers of inducing points: ACC, NMI and run time (figure 8).",
)
sweep_clusters = _sweep(
    CLUSTERS,
    "Score methods for a range of numbers of clusters, from the number of classes up (figure 7).",
)
