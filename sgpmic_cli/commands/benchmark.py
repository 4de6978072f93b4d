"""`sgpmic benchmark`: run methods on data sets and compare them with the paper's Table 2."""

from typing import Annotated, Literal

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output


@shared.option_groups
def benchmark(  # noqa: PLR0913 - one parameter per option
    data: shared.DatasetsArgument = None,
    dataset: shared.Datasets = None,
    *,
    variance: Annotated[
        str, shared.option("Percentages of explained variance that set Q: 50, 95, 99 or all.")
    ] = "95",
    methods: shared.Methods = "all",
    repeats: shared.Repeats = 10,
    seed: shared.Seed = 0,
    protocol: shared.ProtocolName = "as-run",
    label: Annotated[
        str | None, shared.option("Label column of the CSV files.", default="their last column")
    ] = None,
    scale: Annotated[
        Literal["standard", "global", "none"] | None,
        shared.option(
            "Scaling for all methods: standard (unit variance), global (one factor) or none.",
            default="the scaling of each method",
        ),
    ] = None,
    out: shared.Out = shared.OUTPUT_FOLDER / "benchmark",
    trace: Annotated[
        bool,
        shared.option("Also write the losses and bounds of all runs to OUT/trace.csv.", "--trace"),
    ] = False,
    running: shared.Running,
    source: shared.Source,
    output: Output,
) -> None:
    """Run methods on data sets and compare every score with the paper's.

    Finished runs are stored, so the same command resumes an interrupted one. Exit codes: 0 done
    (cells without data are marked unavailable), 2 wrong argument, 3 some runs failed, 4 no data,
    130 interrupted.
    """
    from sgpmic_cli.commands.benchmark_tables import print_plan, ranking_tables, result_tables
    from sgpmic_cli.commands.progress import RunProgress, finish_runs
    from sgpmic_cli.experiments.plan.cells import Study
    from sgpmic_cli.experiments.studies import benchmark_study as experiment

    progress = RunProgress(output)
    datasets = shared.split_list(shared.one_of(data, dataset))
    selected = datasets, shared.split_list(variance), shared.split_list(methods)
    study = Study(*selected, repeats, seed, protocol, label, scale=scale)
    options = running.options(source, progress)
    if running.dry_run:
        print_plan(study, options, out, output)
        return
    with progress:
        finished = experiment.benchmark(study, options, out=out, with_trace=trace)
    if output.json:
        output.document(finished.document())
    else:
        results = finished.results
        output.show(*result_tables(results))
        if not any(any(result.paper.values()) for result in results):  # the paper has no numbers
            output.show(*ranking_tables(results))
    finish_runs(finished, out, output)
