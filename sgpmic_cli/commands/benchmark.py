"""`sgpmic benchmark`, `table1` and `report`: experiments."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.text import for_terminal

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.text import Text

# The colours of verdicts in the terminal.
STYLES = {
    "exact": "bold green",
    "within 1": "green",
    "compatible": "cyan",
    "differs up": "magenta",
    "differs down": "red",
    "data differ": "yellow",
    "best": "bold green",
    "tied": "green",
    "failed": "bold red",
    "unavailable": "dim",
    "not run": "dim",
}


def benchmark(  # noqa: PLR0913 - one parameter per option
    data: shared.DatasetsArgument = None,
    dataset: str | None = shared.datasets_option(),
    *,
    variance: str = shared.option(
        "Percentages of explained variance that set Q: 50, 95, 99 or all.", value="95"
    ),
    methods: shared.MethodsOption = "all",
    scale: Literal["standard", "global", "none"] | None = shared.option(
        "Scaling for all methods: standard (unit variance), global (one factor) or none.",
        default="the scaling of each method",
    ),
    out: shared.Out = shared.OUTPUT_FOLDER / "benchmark",
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
    """Run methods on data sets and compare every score with the paper's, or methods by ARI.

    Finished runs are stored, so the same command resumes an interrupted one. Exit codes: 0 done
    (cells without data are marked unavailable), 2 wrong argument, 3 some runs failed, 4 no data,
    130 interrupted.
    """
    from sgpmic_cli.benchmark.pipeline import run_benchmark
    from sgpmic_cli.benchmark.run import plan_study
    from sgpmic_cli.commands.output import RunProgress, finish_runs, print_plan
    from sgpmic_cli.paper.experiments.protocols import paper_suite, table2

    output = Output(json, quiet)
    progress = RunProgress(output)
    datasets = shared.split_list(shared.named_data(data, dataset))
    names, percentages = shared.split_list(methods), shared.split_list(variance)
    how: dict[str, Any] = {"repeats": repeats, "seed": seed, "label": label, "scale": scale}
    study = paper_suite().study(datasets, names, percentages, protocol=protocol, **how)
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
        print_plan(plan_study(study, options, out), output)
        return
    with progress:
        runs, table, content = run_benchmark(study, options, out=out, printed=table2())
    output.result(content, _result_tables(table))
    finish_runs(runs, f"tables and manifest in {out}", output)


def _result_tables(results: "pd.DataFrame") -> "Iterator[RenderableType]":
    """Yield a table of each metric, or of ARI if nothing is printed, with legend and counts."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from sgpmic_cli.benchmark.compare import (
        METRICS,
        OWN_METRICS,
        ROW,
        Verdict,
        distinct,
        has_print,
        is_best,
        rows_of,
    )
    from sgpmic_cli.benchmark.counts import count_verdicts
    from sgpmic_cli.benchmark.render.tables import BESIDE_NOTE, TITLES, methods_table, notes_of
    from sgpmic_cli.commands.output import note, rich_table

    printed = has_print(results)
    metrics = METRICS if printed else OWN_METRICS[:1]
    shown = results.assign(best=is_best(results))
    shown = shown[shown["metric"].isin(metrics)]
    for metric, numbers in shown.groupby("metric", sort=False):
        # The cells of a row stand together.
        rows = numbers.groupby(ROW, sort=False)
        cells = [_row(cell, printed) for _, row in rows for cell in rows_of(row)]
        headings = ["data set", "% (Q)", "method", TITLES[str(metric)]]
        headings += ["paper", "diff", ""] if printed else [""]
        yield rich_table(headings, cells, left=("data set", "% (Q)", "method", ""))
    counts = {
        metric: count_verdicts(distinct(part)["verdict"])
        for metric, part in shown.groupby("metric", sort=False)
    }
    lines = [
        Text.assemble((verdict, STYLES.get(verdict, "")), f": {verdict.meaning}")
        for verdict in Verdict
        if any(verdict in each for each in counts.values())
    ]
    lines.append(Text.assemble(("bold", "bold"), ": best on the data set"))
    yield Padding(Group(*lines), (0, 0, 1, 0), expand=False)
    for metric, verdicts in counts.items():
        total = sum(verdicts.values())
        repeated = int((shown["metric"] == metric).sum()) - total
        more = f"; {repeated} more repeat them" if repeated else ""
        parts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        yield note(f"{TITLES[str(metric)]} cells", f"{parts}; {total} in total{more}")
    for about, names in notes_of(results).items():
        yield note(", ".join(names), about)
    if not printed:
        head, methods = methods_table(results)
        yield rich_table(head, methods, title="Methods", left=head[:1])
        yield Text(BESIDE_NOTE)


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
        Text(cell.verdict, style=STYLES.get(cell.verdict, "")),
    ]


def table1(
    *,
    out: shared.Out = shared.OUTPUT_FOLDER / "table1",
    data_dir: shared.DataDir = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Compare the shape and the latent dimensions of every data set with the paper's Table 1."""
    from sgpmic_cli.commands.output import note, rich_table
    from sgpmic_cli.paper.experiments.table1 import for_people, shapes, write_table1

    output = Output(json, quiet)
    rows = shapes(data_dir=data_dir)
    write_table1(out, rows)
    shown = rich_table(*for_people(rows), left=("data set", "verdict"))
    brackets = "In brackets: the number of the paper, if it differs."
    notes = (note(shape["dataset"], shape["note"]) for shape in rows if shape["note"])
    output.result({"datasets": rows}, [shown, brackets, *notes])
    output.finish(f"tables in {out}")


def report(
    results: Path = shared.option(
        "Folder of a benchmark, or of the paper's table2 and figures.", value=Path("results")
    ),
    printed: Path | None = shared.option(
        "CSV file of printed numbers.", default="those of the paper"
    ),
    out: Path = shared.option(
        "The HTML file to write.", value=shared.OUTPUT_FOLDER / "report.html"
    ),
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
