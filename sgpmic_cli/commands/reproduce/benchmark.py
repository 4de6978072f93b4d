"""`sgpmic benchmark`: methods on data sets, beside the paper's table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sgpmic_cli.commands.terminal.options import completion, shared_options
from sgpmic_cli.commands.terminal.options.shared_options import split
from sgpmic_cli.commands.terminal.output import Output

if TYPE_CHECKING:
    from sgpmic_cli.experiments.studies.benchmark import Benchmark


def benchmark(
    data: shared_options.DatasetsArgument = None,
    dataset: shared_options.Datasets = None,
    variance: Annotated[
        str,
        typer.Option(
            help="Shares of variance that set Q: 50, 95, 99 or all.",
            autocompletion=completion.variances,
        ),
    ] = "95",
    methods: shared_options.Methods = "all",
    repeats: shared_options.Repeats = 10,
    seed: shared_options.Seed = 0,
    n_jobs: shared_options.Jobs = -1,
    backend: shared_options.BackendName = "loky",
    scheduler: shared_options.Scheduler = None,
    timeout: shared_options.Timeout = None,
    memory_limit: shared_options.MemoryLimit = None,
    protocol: shared_options.ProtocolName = "as-run",
    label: Annotated[
        str | None,
        typer.Option(help="Label column of the CSV files.", show_default="their last column"),
    ] = None,
    scale: Annotated[
        Literal["standard", "global", "none"] | None,
        typer.Option(
            help="Columns for all methods: standard (each its own deviation), global (one factor) or none.",
            show_default="what each method does by itself",
        ),
    ] = None,
    out: shared_options.Out = shared_options.EXPLORED / "benchmark",
    store: shared_options.Store = None,
    force: shared_options.Force = False,
    retry_failed: shared_options.RetryFailed = False,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Also write OUT/trace.csv: losses and bounds of every run, step by step.",
        ),
    ] = False,
    dry_run: shared_options.DryRun = False,
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Run methods on data sets and put every number beside the paper's.

    Finished runs are kept: the same command again resumes, and computes nothing twice. Exit codes: 0 done (cells
    whose data cannot be had are marked unavailable), 2 wrong argument, 3 some runs failed, 4 no data, 130 interrupted.
    """
    from sgpmic_cli.commands.terminal.progress.run_progress import tell_end, watching
    from sgpmic_cli.commands.terminal.tables.plan_table import show_plan
    from sgpmic_cli.experiments.plan.study import Study
    from sgpmic_cli.experiments.run.run_options import RunOptions
    from sgpmic_cli.experiments.studies import benchmark as experiment

    output = Output(as_json=json, quiet=quiet)
    asked = split(shared_options.named(data, dataset)), split(variance), split(methods)
    study = Study(*asked, repeats=repeats, seed=seed, protocol=protocol, label=label, scale=scale)
    limits = shared_options.limits(timeout, memory_limit)
    options = RunOptions(
        store, n_jobs, backend, scheduler, limits, force, retry_failed, data_dir, mirror, offline
    )
    if dry_run:
        show_plan(study, options, out, output)
        return
    with watching(output) as watcher:
        finished = experiment.benchmark(
            study, replace(options, watcher=watcher), out=out, with_trace=trace
        )
    _print_result(finished, output)
    tell_end(finished.runs, out, output)


def _print_result(finished: "Benchmark", output: Output) -> None:
    if output.as_json:
        output.document(finished.document())
        return
    from sgpmic_cli.commands.terminal.tables.benchmark_table import render
    from sgpmic_cli.commands.terminal.tables.ranking_table import render_ranking

    console = output.console()
    for part in render(finished.results, console):
        console.print(part)
    if not any(
        any(result.paper.values()) for result in finished.results
    ):  # no table of the paper's to stand beside
        for part in render_ranking(finished.results):
            console.print(part)
