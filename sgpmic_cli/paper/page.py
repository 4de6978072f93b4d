"""The page about the paper: every printed number of Table 2 beside ours, figures and protocol."""

from pathlib import Path

import numpy as np

from sgpmic_cli.benchmark import page
from sgpmic_cli.benchmark.compare import METRICS, in_print, rows_of, wins
from sgpmic_cli.benchmark.page import Report, dataset_title
from sgpmic_cli.benchmark.tables import TITLES, plain, read_document
from sgpmic_cli.data import load
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.pages import Html, Section, document, fill, picture, table, templates
from sgpmic_cli.paper.experiments.protocols import paper_suite, read_printed, table2
from sgpmic_cli.paper.figures import MODULES

TABLE2_FOLDER, AS_STATED_FOLDER = "table2", "table2-as-stated"
OWN_METHOD = "sgp-mic"
TITLE = "SGP-MIC reproduced: every number of Table 2 compared with ours"
LEAD = (
    "This page repeats the clustering experiments of “Clustering based on Mixtures of Sparse "
    "Gaussian Processes” (arXiv 2303.13665) and compares every printed number with ours."
)


def report_page(folder: Path, printed: Path | None = None) -> str:
    """Return the HTML page about the paper, or about another benchmark.

    `folder` is that of a benchmark; a folder that holds the benchmark of Table 2 as `table2` makes
    the page of the paper. `printed` is a CSV file of printed numbers; None takes those of the paper
    for the cells that were run.
    """
    of_paper = (folder / TABLE2_FOLDER / page.TABLE).exists()
    tables = folder / TABLE2_FOLDER if of_paper else folder
    if not (tables / page.TABLE).exists():
        raise UsageError(
            f"there is no benchmark in {str(folder)!r}: name the folder of one with --results, or "
            f"run `sgpmic benchmark --dataset NAMES --out {folder}`, for the whole paper "
            f"`sgpmic benchmark --dataset all --variance all --out {folder / TABLE2_FOLDER}`."
        )
    if of_paper and printed is not None:
        raise UsageError(
            f"{str(folder)!r} holds the results of the paper, which has its own printed numbers: "
            f"give --results {tables} to compare them with others."
        )
    methods = paper_suite().methods
    if of_paper:
        return _paper_page(folder, page.read_report(tables, methods, table2(), METRICS))
    numbers = table2() if printed is None else read_printed(printed)
    report = page.read_report(tables, methods, numbers, only_run=printed is None)
    return page.benchmark_page(report)


def _paper_page(folder: Path, report: Report) -> str:
    columns = set(table2()["method"])
    run = report.table[report.table["method"].isin(columns)]
    report = Report(**{**vars(report), "table": run})
    notes = _part("fitted", fitted=_fitted())
    figures = [_figure(folder / "figures", name) for name in MODULES]
    sections = [
        Section("summary", "Summary", page.summary_section(report, notes)),
        Section("table", "Table", page.grid_section(report)),
        Section("figures", "Figures", figures),
        Section("protocol", "Protocol and errors", [_protocol(folder, report)]),
        Section("environment", "Environment", page.environment_section(report)),
    ]
    lead = page.headline(report, "numbers on the paper's data")
    return document(TITLE, f"{lead} {LEAD}", sections, ["details.js"])


def _figure(folder: Path, name: str) -> Html:
    """Return a figure with its title and caption, or the command that draws it."""
    title, _, caption = _part(name, embedding=_part("embedding")).partition("\n")
    path = folder / f"{name}.png"
    drawn = path.is_file()
    content = picture(path, title, Html(caption)) if drawn else _part("not-drawn", name=name)
    return _part("figure", name=name, title=title, content=content)


def _protocol(folder: Path, report: Report) -> Html:
    """Return the protocol, the errors in the paper, and the cells that equal a single cluster."""
    # The paper counts its wins in the cells that it prints.
    printed = in_print(report.table)
    won = [
        f"{wins(printed, metric).get(OWN_METHOD, 0)} times by {TITLES[metric]}"
        for metric in METRICS
    ]
    cells = table(
        ["", "largest class (%)", "printed cells", "ours"],
        _single_cluster_cells(report),
        caption="ACC cells equal to the fraction of the largest class",
    )
    return _part(
        "protocol",
        protocol=report.manifest["arguments"]["protocol"],
        fitted=_fitted(),
        rows=report.counts["rows"],
        wins=" and ".join(won),
        as_stated=_as_stated(folder / AS_STATED_FOLDER / page.TABLE, report),
        single_cluster=cells,
    )


def _as_stated(path: Path, report: Report) -> Html:
    """Return the columns of SGP-MIC under both protocols, if both have been run."""
    if not path.exists():
        return Html("")
    every = read_document(path, report.methods, table2())
    stated = every[every["method"] == OWN_METHOD]
    place = ["dataset", "explained_variance", "method", "metric"]
    both = stated.merge(report.table[[*place, "mean", "std"]], "left", place, suffixes=("", "_run"))
    rows = []
    for (name, percentage, _), cell in both.groupby(place[:3], sort=False):
        row = [f"{dataset_title(str(name))} {percentage} %"]
        for score in rows_of(cell[cell["metric"].isin(METRICS)]):
            row += [plain(score.mean_run, score.std_run), plain(score.mean, score.std)]
            row.append(plain(score.paper_mean, score.paper_std))
        rows.append(row)
    sides = ("as run", "as stated", "paper")
    heading = ["", *(f"{TITLES[metric]}, {side}" for metric in METRICS for side in sides)]
    numbers = table(heading, rows, caption="SGP-MIC under both protocols")
    return _part("as-stated", table=numbers)


def _single_cluster_cells(report: Report) -> list[list[object]]:
    """Return the printed cells and ours whose ACC equals the fraction of the largest class.

    The cells of a data set are listed as in "VAE-FCM 50, 95 %; SDC 99 %".
    """
    rows, columns = list[list[object]](), table2()["method"].unique().tolist()
    for name in names():
        if not entry(name).in_paper or entry(name).kind != "bundled":
            continue
        labels = load(name).labels
        assert labels is not None
        largest = 100.0 * np.bincount(labels).max() / len(labels)
        sides = []
        for numbers in (table2(), report.table):
            acc = numbers[(numbers["metric"] == "acc") & (numbers["dataset"] == name)]
            near = acc[(acc["mean"] - largest).abs() < 0.01]
            groups = near.groupby("method")["explained_variance"]
            cells = sorted(groups, key=lambda cell: columns.index(str(cell[0])))
            listed = (f"{report.title(str(m))} {', '.join(map(str, at))} %" for m, at in cells)
            sides.append("; ".join(listed) or "–")
        if sides != ["–", "–"]:
            rows.append([dataset_title(name), f"{largest:.2f}", *sides])
    return rows


def _fitted() -> str:
    """Name the methods with settings that the paper does not give, chosen by its columns."""
    methods = paper_suite().methods.values()
    return ", ".join(method.label for method in methods if method.settings_searched)


def _part(part: str, /, **values: object) -> Html:
    """Return a part of page.html with the values filled in."""
    return fill(templates("sgpmic_cli.paper", "page.html")[part], **values)
