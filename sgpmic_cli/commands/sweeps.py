"""`sgpmic sweep-inducing` and `sweep-clusters`: scores along a range of one parameter."""

from collections.abc import Callable
from itertools import chain

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.paper.experiments.sweep_ranges import CLUSTERS, INDUCING, SweepRange


def _sweep(axis: SweepRange, description: str) -> Callable[..., None]:
    """Return the sweep that varies the parameter of `axis`."""
    default_data = ",".join(axis.datasets)

    def run(  # noqa: PLR0913 - one parameter per option
        data: shared.DatasetsArgument = None,
        dataset: str | None = shared.datasets_option(default_data),
        *,
        values: str = shared.option(axis.meaning, value=",".join(axis.values)),
        methods: shared.MethodsOption = ",".join(axis.methods),
        variance: int | None = shared.option(
            "Percentage of explained variance that sets Q.",
            default="95, or the only one in the paper",
        ),
        out: shared.Out = shared.OUTPUT_FOLDER / axis.name,
        repeats: shared.Repeats = 10,
        seed: shared.Seed = 0,
        protocol: shared.Protocol = "as-run",
        label: shared.LabelOfFile = None,
        n_jobs: shared.Jobs = -1,
        backend: shared.Backend = "loky",
        scheduler: shared.Scheduler = None,
        store: shared.Store = None,
        force: shared.ForceRuns = False,
        retry_failed: shared.RetryFailed = False,
        dry_run: shared.DryRun = False,
        data_dir: shared.DataDir = None,
        json: shared.Json = False,
        quiet: shared.Quiet = False,
    ) -> None:
        from sgpmic_cli.benchmark.run import plan_study
        from sgpmic_cli.commands.output import RunProgress, finish_runs, print_plan, rich_table
        from sgpmic_cli.paper.experiments.sweeps import sweep, sweep_study

        output = Output(json, quiet)
        progress = RunProgress(output)
        grid = shared.split_list(values)
        datasets = shared.split_list(shared.named_data(data, dataset, default_data))
        names = shared.split_list(methods)
        how = {"repeats": repeats, "seed": seed, "label": label, "protocol": protocol}
        study = sweep_study(axis, grid, datasets, names, variance, **how)
        options = shared.run_options(
            progress,
            backend=backend,
            scheduler=scheduler,
            store=store,
            n_jobs=n_jobs,
            force=force,
            retry_failed=retry_failed,
            data_dir=data_dir,
        )
        if dry_run:
            print_plan(plan_study(study, options, out), output, axis.parameter)
            return
        with progress:
            finished = sweep(axis, study, options, out=out, values=grid)
        grids = (
            rich_table(headings, rows, title=title) for title, headings, rows in finished.grids()
        )
        output.result(finished.document(), chain(grids, finished.notes()))
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
