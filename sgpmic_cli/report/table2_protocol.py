"""The section "Protocol": how the numbers are computed, and errors in the paper."""

import numpy as np
import pandas as pd

from sgpmic_cli.data import load
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.compare.counts import distinct, rows_of, wins_by_side
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.compare.significance import our_scores, published_scores
from sgpmic_cli.experiments.tables.formats import TITLES, plain
from sgpmic_cli.figures.critical_difference import method_title
from sgpmic_cli.report.markup import Html, items, paragraph, table, tag, texts
from sgpmic_cli.report.table2_results import FITTED, OWN_METHOD, Table2Results, dataset_title


def protocol_section(results: Table2Results) -> list[Html]:
    """Return the protocol, the errors in the paper, and the cells that equal a single cluster."""
    notes = texts()["protocol"]
    differences = [
        [text.format(fitted=FITTED) for text in each.values()] for each in notes["differences"]
    ]
    # The paper counts its wins in the cells that it prints.
    wins = [
        f"{wins_by_side(results.run, metric)['ours_in_printed_cells'].get(OWN_METHOD, 0)} times by "
        f"{TITLES[metric]}"
        for metric in METRICS
    ]
    rows = len(rows_of(distinct(results.run)))
    return [
        paragraph("protocol", protocol=results.protocol),
        table(
            ["", "as run", "as stated", "evidence"],
            differences,
            caption="Differences between numbers and text",
        ),
        tag("h3", "Other errors"),
        items(notes["errors"]),
        tag("h3", "Best in 7 of 22"),
        paragraph("best_of_22", rows=rows, wins=" and ".join(wins)),
        *_as_stated(results),
        tag("h3", "Cells at the level of a single cluster"),
        paragraph("single_cluster"),
        table(
            ["", "largest class (%)", "printed cells", "ours"],
            _single_cluster_cells(results),
            caption="ACC cells equal to the fraction of the largest class",
        ),
    ]


def _as_stated(results: Table2Results) -> list[Html]:
    """Return the columns of SGP-MIC under both protocols, if both have been run."""
    if not results.as_stated:
        return []
    rows = []
    for place, cell in results.as_stated.items():
        as_run = results.cells.get(place)
        row = [f"{dataset_title(place[0])} {place[1]} %"]
        for metric in METRICS:
            ours = as_run.ours[metric] if as_run else None
            row += [plain(ours), plain(cell.ours[metric]), plain(cell.paper[metric])]
        rows.append(row)
    sides = ("as run", "as stated", "paper")
    heading = ["", *(f"{TITLES[metric]}, {side}" for metric in METRICS for side in sides)]
    return [
        tag("h3", "SGP-MIC as run and as stated"),
        paragraph("as_stated"),
        table(heading, rows, caption="SGP-MIC under both protocols"),
    ]


def _single_cluster_cells(results: Table2Results) -> list[list[object]]:
    """Return the printed cells and ours whose ACC equals the fraction of the largest class."""
    sides = published_scores(table2(), "acc"), our_scores(results.run, "acc")
    rows: list[list[object]] = []
    for name in names():
        found = entry(name)
        if not found.in_paper or found.kind != "bundled":
            continue
        labels = load(name).labels
        assert labels is not None
        largest = 100.0 * np.bincount(labels).max() / len(labels)
        printed, ours = (_at_level(scores, name, largest) for scores in sides)
        if printed or ours:
            rows.append([dataset_title(name), f"{largest:.2f}", printed or "–", ours or "–"])
    return rows


def _at_level(scores: pd.DataFrame, dataset: str, level: float) -> str:
    """List the cells of a data set at a level, as in "VAE-FCM 50, 95 %; SDC 99 %"."""
    near = (scores[scores.index.isin([dataset], level="dataset")] - level).abs() < 0.01
    variances = {method: near.index[near[method]].get_level_values("variance") for method in near}
    return "; ".join(
        f"{method_title(str(method))} {', '.join(map(str, found))} %"
        for method, found in variances.items()
        if len(found)
    )
