"""`sgpmic sweep-inducing` and `sgpmic sweep-clusters`: scores along a range of one parameter."""

from collections.abc import Callable
from typing import Annotated

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.experiments.studies.sweep_ranges import CLUSTERS, INDUCING, SweepRange


def _command(axis: SweepRange, description: str) -> Callable[..., None]:
    """Return the command that varies the parameter of `axis`."""
    default_data = ",".join(axis.datasets)

    def run(  # noqa: PLR0913 - one parameter per option
        data: shared.DatasetsArgument = None,
        dataset: Annotated[str | None, shared.datasets_option(default_data)] = None,
        *,
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
        protocol: shared.ProtocolName = "as-run",
        label: shared.LabelOfFile = None,
        out: shared.Out = shared.OUTPUT_FOLDER / axis.name,
        running: shared.Running,
        source: shared.Source,
        output: Output,
    ) -> None:
        from sgpmic_cli.commands.benchmark_tables import print_plan
        from sgpmic_cli.commands.progress import RunProgress, finish_runs
        from sgpmic_cli.commands.terminal_tables import table
        from sgpmic_cli.experiments.plan.cells import Study
        from sgpmic_cli.experiments.studies.sweep_study import sweep, sweep_study

        progress = RunProgress(output)
        grid = shared.split_list(values)
        datasets = shared.split_list(shared.one_of(data, dataset, default_data))
        study = Study(datasets, ["all"], shared.split_list(methods), repeats, seed, protocol, label)
        options = running.options(source, progress)
        if running.dry_run:
            planned = sweep_study(axis, grid, study, variance)
            print_plan(planned, options, out, output, axis.parameter)
            return
        with progress:
            finished = sweep(axis, grid, study, options, out=out, variance=variance)
        if output.json:
            output.document(finished.document())
        else:
            for title, headings, rows in finished.grids():
                output.show(table(headings, rows, title=title))
            output.show(*finished.notes())
        finish_runs(finished.runs, out, output)

    files = "Writes sweep.csv, sweep.md, sweep.json and manifest.json. Stored runs are reused."
    run.__doc__ = f"{description}\n\n{files}"
    return shared.option_groups(run)


sweep_inducing = _command(
    INDUCING,
    "Score SGP-MIC for a range of numbers of inducing points: ACC, NMI and run time (figure 8).",
)
sweep_clusters = _command(
    CLUSTERS,
    "Score methods for a range of numbers of clusters, from the number of classes up (figure 7).",
)
