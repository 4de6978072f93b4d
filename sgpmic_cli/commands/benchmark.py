"""`sgpmic benchmark`, `table1` and `report`: experiments."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Option

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, Progress, finish_runs, print_plan, rich_table
from sgpmic_cli.text import for_terminal

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.text import Text


def benchmark(  # noqa: PLR0913 - one parameter per option
    dataset: shared.Datasets,
    variance: str = Option(
        "95", help="Percentages of explained variance that set Q: 50, 95, 99 or all."
    ),
    methods: shared.Methods = "all",
    scale: shared.Scale | None = Option(
        None, help="Scaling for all methods.", show_default="the scaling of each method"
    ),
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
    dry_run: shared.DryRun = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Run methods on data sets and compare every score with the paper's, or methods by ARI.

    Finished runs are stored, so the same command resumes an interrupted one. Exit codes: 0 done
    (cells without data are marked unavailable), 2 wrong argument, 3 some runs failed, 4 no data,
    130 interrupted.
    """
    from sgpmic_cli.benchmark.pipeline import run_benchmark
    from sgpmic_cli.benchmark.run import RunOptions, plan_study
    from sgpmic_cli.paper.experiments.protocols import paper_suite, table2

    output = Output(json, quiet)
    datasets, names = shared.split_list(dataset), shared.split_list(methods)
    how: Any = {"protocol": protocol, "repeats": repeats, "seed": seed}
    study = paper_suite().study(
        datasets, names, shared.split_list(variance), label=label, scale=scale, **how
    )
    address = shared.dask_address(backend, scheduler)
    with Progress(output) as progress:
        options = RunOptions(store, n_jobs, address, force, retry_failed, progress=progress)
        if dry_run:
            print_plan(plan_study(study, options, out), output)
            return
        runs, table, content = run_benchmark(study, options, out=out, printed=table2())
    output.result(content, _result_tables(table))
    finish_runs(runs, f"tables and manifest in {out}", output)


def _result_tables(results: "pd.DataFrame") -> "Iterator[RenderableType]":
    """Yield a table of each metric, or of ARI if nothing is printed, with legend and counts."""
    from sgpmic_cli.benchmark import compare
    from sgpmic_cli.benchmark.counts import count_verdicts
    from sgpmic_cli.benchmark.render.tables import BESIDE_NOTE, TITLES, methods_table, notes_of

    printed = compare.has_print(results)
    results = results.assign(best=compare.is_best(results))
    occurring: dict[str, int] = {}
    for metric in compare.METRICS if printed else ("ari",):
        part = results[results["metric"] == metric]
        headings = ["data set", "% (Q)", "method", TITLES[metric]]
        headings += ["paper", "diff", ""] if printed else [""]
        cells = [_row(cell, printed) for cell in compare.rows_of(part)]
        yield rich_table(headings, cells, left=("data set", "% (Q)", "method", ""))
        counts = count_verdicts(compare.distinct(part)["verdict"])
        occurring |= counts
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        yield f"{TITLES[metric]}: {verdicts}; equal experiments are counted once"
    for verdict in compare.Verdict:
        if verdict in occurring:
            yield f"{verdict}: {verdict.meaning}"
    for about, places in notes_of(results).items():
        yield f"{', '.join(places)}: {about}"
    if not printed:
        head, rows = methods_table(results)
        yield rich_table(head, rows, title="Methods", left=head[:1])
        yield BESIDE_NOTE


def _row(cell: Any, printed: bool) -> "list[str | Text]":
    """Return the row of a cell; the difference has its confidence interval, as +1.2 [0.4, 2.0]."""
    from rich.text import Text

    from sgpmic_cli.benchmark.render.tables import plain, row_title, signed

    succeeded = cell.repeats - cell.failed
    runs = f" ({succeeded}/{cell.repeats})" if cell.failed and succeeded else ""
    interval = f" [{cell.low:.1f}, {cell.high:.1f}]" if cell.error > 0 else ""
    paper = [plain(cell.paper_mean, cell.paper_std), signed(cell.difference) + interval]
    return [
        cell.dataset,
        row_title(cell),
        cell.title,
        Text(plain(cell.mean, cell.std) + runs, style="bold" if cell.best else ""),
        *(paper if printed else []),
        cell.verdict,
    ]


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


def report(
    results: Path = Option(
        Path("results"), help="Folder of a benchmark, or of the paper's table2 and figures."
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
