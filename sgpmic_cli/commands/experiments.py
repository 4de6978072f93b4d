"""The commands that reproduce the paper, and `sgpmic check`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, finish_runs, progress_bar, rich_table
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.paper.experiments import CLUSTERS, INDUCING, SweepRange
from sgpmic_cli.text import for_terminal

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType


def benchmark(  # noqa: PLR0913 - one parameter per option
    dataset: shared.Datasets,
    variance: str = Option(
        "95", help="Percentages of explained variance that set Q: 50, 95, 99 or all."
    ),
    methods: shared.Methods = "all",
    out: shared.Out = shared.OUTPUT_FOLDER / "benchmark",
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
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Run methods on data sets and compare every score with the paper's, or methods by ARI.

    Finished runs are stored, so the same command resumes an interrupted one. Exit codes: 0 done
    (cells without data are marked unavailable), 2 wrong argument, 3 some runs failed, 4 no data,
    130 interrupted.
    """
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.benchmark.tables import run_benchmark
    from sgpmic_cli.paper.experiments.protocols import paper_suite, table2

    output, cells = Output(json, quiet), map(shared.split_list, (dataset, methods, variance))
    how: Any = {"protocol": protocol, "repeats": repeats, "seed": seed, "label": label}
    study = paper_suite().study(*cells, **how)
    address = shared.dask_address(backend, scheduler)
    with progress_bar(output) as progress:
        options = RunOptions(store, n_jobs, address, force, retry_failed, progress=progress)
        runs, table, content = run_benchmark(study, options, out=out, printed=table2())
    output.result(content, _result_tables(table))
    finish_runs(runs, f"tables and manifest in {out}", output)


def _result_tables(results: "pd.DataFrame") -> "Iterator[RenderableType]":
    """Yield a table of each metric, or of ARI if nothing is printed, with legend and notes."""
    from sgpmic_cli.benchmark import compare, tables

    printed = compare.has_print(results)
    metrics = compare.METRICS if printed else ("ari",)
    results = results[results["metric"].isin(metrics)]
    shown = tables.with_texts(results)
    columns = {"dataset": "data set", "row": "% (Q)", "title": "method", "ours": ""}
    columns |= {"paper": "paper", "off": "difference"} if printed else {}
    columns |= {"verdict": "verdict"}
    left = ("data set", "% (Q)", "method", "verdict")
    for metric in metrics:
        rows = shown.loc[shown["metric"] == metric, [*columns]].to_numpy().tolist()
        headings = columns | {"ours": tables.TITLES[metric]}
        yield rich_table([*headings.values()], rows, left=left)
    yield from (f"{verdict}: {verdict.meaning}" for verdict in tables.used(results))
    for note, places in tables.notes_of(results).items():
        yield f"{', '.join(places)}: {note}"
    if not printed:
        head, body = tables.methods_table(results)
        yield rich_table(head, body, title="Methods", left=head[:1])


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
        n_jobs: shared.Jobs = axis.n_jobs,
        backend: shared.Backend = "loky",
        scheduler: shared.Scheduler = None,
        store: shared.Store = None,
        force: shared.ForceRuns = False,
        retry_failed: shared.RetryFailed = False,
        json: shared.Json = False,
        quiet: shared.Quiet = False,
    ) -> None:
        from sgpmic_cli.benchmark.run import RunOptions
        from sgpmic_cli.paper.experiments.sweeps import sweep, sweep_study

        output = Output(json, quiet)
        grid, datasets, names = map(shared.split_list, (values, dataset, methods))
        how = {"protocol": protocol, "repeats": repeats, "seed": seed, "label": label}
        study = sweep_study(axis, grid, datasets, names, variance, **how)
        address = shared.dask_address(backend, scheduler)
        with progress_bar(output) as progress:
            options = RunOptions(store, n_jobs, address, force, retry_failed, progress=progress)
            finished = sweep(axis, study, options, out=out, values=grid)
        grids = [rich_table(head, rows, title=title) for title, head, rows in finished.grids()]
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


def table1(
    out: shared.Out = shared.OUTPUT_FOLDER / "table1",
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Compare the shape and the latent dimensions of every data set with the paper's Table 1."""
    from sgpmic_cli.paper.experiments.table1 import for_people, shapes, write_table1

    output = Output(json, quiet)
    rows = shapes()
    write_table1(out, rows)
    shown = rich_table(*for_people(rows), left=("data set", "verdict"))
    brackets = "In brackets: the number of the paper, if it differs."
    notes = (f"{shape['dataset']}: {shape['note']}" for shape in rows if shape["note"])
    output.result({"datasets": rows}, [shown, brackets, *notes])
    output.finish(f"tables in {out}")


def plot(
    figures: list[str] = Argument(
        metavar="FIGURE...",
        help="figure1 (model), figure2 (Iris), figure3 (Wine), figure4 (spiral, arcs), figure5 "
        "(kernels), figure6 (iterations), figure7 and figure8 (sweeps), or all.",
    ),
    out: Path = Option(shared.OUTPUT_FOLDER / "figures", help="Output folder."),
    n_jobs: shared.Jobs = -1,
    results: Path = Option(
        shared.OUTPUT_FOLDER,
        help="Folder of the sweeps, or of one sweep; in a checkout, results has published ones.",
    ),
    quiet: shared.Quiet = False,
) -> None:
    """Draw the paper's figures from our runs, each as PNG.

    Runs that are not stored are computed, a minute for a figure. Figures 7 and 8 show what
    `sgpmic sweep-clusters` (an hour) and `sgpmic sweep-inducing` wrote, so run these first.
    """
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.paper.figures import PlotOptions, drawings

    chosen, output = drawings(figures), Output(quiet=quiet)
    errors: dict[str, SgpmicError] = {}  # by their text
    with progress_bar(output) as progress:
        options = PlotOptions(
            results, running=RunOptions(results / "runs", n_jobs, progress=progress)
        )
        for name, draw in chosen.items():
            try:
                with output_folder(out, "plot") as folder:
                    draw(folder / name, options)
                print(for_terminal(str(out / f"{name}.png")))
            except SgpmicError as error:  # continue with the other figures
                errors[str(error)] = error
    if len(errors) == 1:
        raise errors.popitem()[1]
    if errors:
        raise UsageError(" ".join(errors))
    output.finish(f"figures in {out}")


def report(
    results: Path = Option(
        shared.OUTPUT_FOLDER / "benchmark",
        help="Folder of a benchmark, or of the paper's table2 and figures.",
    ),
    printed: Path | None = Option(
        None, help="CSV file of printed numbers.", show_default="those of the paper"
    ),
    out: Path = Option(shared.OUTPUT_FOLDER / "report.html", help="The HTML file to write."),
) -> None:
    """Write one HTML page with the table of a benchmark, its verdicts and significance.

    The page reads what `sgpmic benchmark --out RESULTS` wrote. It computes nothing and needs no
    network. If RESULTS contains `table2`, the page is about the paper, with the figures of
    `sgpmic plot --out RESULTS/figures` and its protocol. A file of printed numbers has the columns
    method, dataset, metric, mean, std, repeats and, if rows differ by it, variance.
    """
    from sgpmic_cli.files import write_whole
    from sgpmic_cli.pages import refuse_other_file
    from sgpmic_cli.paper.page import report_page

    refuse_other_file(out)
    write_whole(out, report_page(results, printed))
    print(for_terminal(str(out)))


def check(
    dataset: shared.Datasets = "all",
    methods: shared.Methods = "all",
    full: bool = Option(False, "--full", help="Check all cells, not only the fast ones."),
    sample: float | None = Option(
        None, min=0.0, max=1.0, help="Check a random fraction of all cells, such as 0.1."
    ),
    update: bool = Option(False, "--update", help="Recompute all cells and write the reference."),
    n_jobs: shared.Jobs = -1,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Recompute cells with the seeds of the reference and compare the scores.

    The fast cells are those with short runs on bundled data. A mean may fall by one point and two
    standard errors of the ten runs in the reference. Exit codes: 0 no score is lower, 1 a score is
    lower or failed, or nothing was compared, 2 wrong argument.
    """
    from sgpmic_cli.benchmark import gate
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.benchmark.tables import plain_rows
    from sgpmic_cli.paper.experiments.protocols import REFERENCE, paper_suite

    output, suite = Output(json, quiet), paper_suite()
    reference = gate.read_reference(REFERENCE)
    wanted = gate.select(reference, shared.split_list(dataset), shared.split_list(methods))
    with progress_bar(output) as progress:
        options = RunOptions(n_jobs=n_jobs, progress=progress)
        if update:
            runs = gate.update_reference(REFERENCE, suite, wanted, options)
            finish_runs(runs, f"scores in {REFERENCE}", output)
            return
        changes = gate.check_scores(suite, wanted, options, 1.0 if full else sample)
    counts = {str(state): int(n) for state, n in changes["state"].value_counts().items()}
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    document = {"counts": counts, "changes": plain_rows(changes)}
    output.result(document, [*_changes(changes), f"{len(changes)} numbers: {states}"])
    if worse := int(changes["state"].isin(gate.BROKEN).sum()):
        raise SgpmicError(f"{worse} of {len(changes)} scores are lower or failed.")
    output.finish("no score is lower than the reference allows")


def _changes(changes: "pd.DataFrame") -> "Iterator[RenderableType]":
    """Yield a table of the scores that changed, if any did."""
    from sgpmic_cli.benchmark.compare import rows_of
    from sgpmic_cli.benchmark.gate import State
    from sgpmic_cli.benchmark.tables import TITLES, plain, signed

    headings = ["data set", "%", "method", "score", "reference", "now", "diff", "allowed", "state"]
    rows = [
        [
            *(change.dataset, str(change.explained_variance), change.method, TITLES[change.metric]),
            plain(change.before_mean, change.before_std),
            plain(change.now_mean, change.now_std),
            *(signed(change.difference), f"{change.allowed:.2f}"),
            f"{change.state}: {change.reason}".removesuffix(": "),
        ]
        for change in rows_of(changes[changes["state"] != State.SAME])
    ]
    if rows:
        yield rich_table(headings, rows, left=["data set", "method", "score", "state"])
