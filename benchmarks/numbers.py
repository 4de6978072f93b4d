"""Write the numbers of the documents from the files in results/.

    python -m benchmarks.numbers [--check]

A document marks what comes from a file: `<!--= NAME ARGUMENTS -->value<!--/-->`, where NAME is
that of a function below. The value is a number, a phrase or a table.
`--check` lists the documents that are out of date and changes nothing.
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import invariance, map_study, missing_values, new_rows, study
from benchmarks.agreement import PROCEDURES, compared, read_cells
from benchmarks.shared import number_table
from benchmarks.verdicts import CLOUDS
from sgpmic_cli.benchmark import compare
from sgpmic_cli.benchmark.compare import METRICS, NEAR
from sgpmic_cli.benchmark.tables import markdown_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
MARK = re.compile(r"<!--= (?P<name>[^>]+?) -->(?P<value>.*?)<!--/-->", re.S)
VERDICTS = {
    "exact": ("exact",),
    "near": ("exact", "within 1"),
    "compatible": ("compatible",),
    "differ": ("differs up", "differs down"),
    "judged": ("exact", "within 1", "compatible", "differs up", "differs down"),
}
# Kinds of data of the comparison, and the folders below results/ with their scores.
KINDS = {
    "numbers": ("study", "study-numeric", "study-keel"),
    "text": ("study-mixed",),
    "suite": ("study-suite",),
    "clouds": ("study",),
}


def documents() -> Iterator[Path]:
    """Yield the documents whose numbers come from files."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted(RESULTS.glob("*.md"))


def updated(text: str) -> str:
    """Return the text of a document with the value of every mark as the files have it."""
    return MARK.sub(lambda mark: f"<!--= {mark['name']} -->{value(mark['name'])}<!--/-->", text)


def value(name: str) -> str:
    """Return the value of a mark."""
    function, *arguments = name.split()
    found = str(globals()[function.replace("-", "_")](*arguments))
    # In Markdown a table needs blank lines beside a comment.
    return f"\n\n{found.strip()}\n\n" if found.startswith("|") else found


@cache
def read(file: str) -> Any:
    """Return a JSON document or a CSV table below results/."""
    path = RESULTS / file
    return pd.read_csv(path) if path.suffix == ".csv" else json.loads(path.read_text("utf-8"))


def count(folder: str, verdict: str, method: str | None = None) -> str:
    """Return the number of distinct cells of a benchmark with a verdict."""
    cells = read_cells(RESULTS / folder)
    if method is not None:
        cells = cells[cells["method"] == method]
    return str(cells["verdict"].isin(VERDICTS[verdict]).sum())


def percent(folder: str, verdict: str) -> str:
    """Return the percentage of distinct cells with a verdict."""
    return f"{100 * int(count(folder, verdict)) / int(count(folder, 'judged')):.0f} %"


def interval_within_one_point(folder: str) -> str:
    """Return the number of cells whose whole interval is within one point."""
    return str((read_cells(RESULTS / folder)[["low", "high"]].abs().max(axis=1) <= NEAR).sum())


def minutes(folder: str) -> str:
    """Return how long a benchmark took, unless it reused runs, and the time of all its runs."""
    manifest = read(f"{folder}/manifest.json")
    call, runs = (manifest[f"seconds_of_{part}"] / 60 for part in ("this_call", "all_runs"))
    cores = manifest["cpu"]["cores"]
    if runs > cores * call:
        return f"{runs:.0f} minutes of one core"
    return f"{call:.1f} minutes on {cores} cores ({runs:.0f} minutes of one core)"


def verdicts(folder: str) -> str:
    """Return the verdicts of a benchmark by score."""
    cells = compare.distinct(compare.in_print(compared(RESULTS / folder)))
    counts = {metric: cells["verdict"][cells["metric"] == metric] for metric in METRICS}
    table = pd.DataFrame({name.upper(): compare.count_verdicts(it) for name, it in counts.items()})
    return number_table("", table.T.fillna(0), "{:.0f}")


def off(folder: str, verdict: str) -> str:
    """Return the median distance from the print of the cells with a verdict."""
    cells = read_cells(RESULTS / folder)
    return f"{cells['distance'][cells['verdict'].isin(VERDICTS[verdict])].median():.1f}"


def cells(folder: str, method: str, dataset: str, metric: str, variance: str = "all") -> str:
    """Return our means of a data set, one for each Q."""
    table = read(f"{folder}/table.csv")
    found = table[["method", "dataset", "metric"]].eq([method, dataset, metric]).all(axis=1)
    if variance != "all":
        found &= table["variance"].astype(str) == variance
    return ", ".join(f"{mean:.2f}" for mean in table[found].drop_duplicates("q")["mean"])


def agreement(name: str, row: str | None = None) -> str:
    """Return a table of the agreement with the paper, or its rows that have an entry `row`."""
    table = read(f"agreement/{name}.csv")
    if row is not None:
        table = table[table.eq(row).any(axis=1)]
    shown = table.map(lambda x: f"{x:.2f}" if isinstance(x, float) else str(x)).replace("nan", "")
    return markdown_table([*table], shown.to_numpy().tolist())


def distance(method: str, score: str = "ACC", what: str = "mean-distance") -> str:
    """Return the mean or median distance of a procedure from SGP-MIC's printed column."""
    return _of_procedure("column", method, f"{what.replace('-', ' ')}, {score}")


def held_out(method: str) -> str:
    """Return the same over both scores, on data sets that chose no setting."""
    return _of_procedure("halves", method, "held out, both")


def _of_procedure(table: str, method: str, column: str) -> str:
    (title,) = [title for title, (_, name) in PROCEDURES.items() if name == method]
    values = read(f"agreement/{table}.csv").set_index("procedure")
    return f"{float(str(values.loc[title, column]).split()[0]):.2f}"


def rank_correlation(score: str) -> str:
    """Return the mean rank correlation of the methods in the rows of Table 2."""
    order = read("agreement/order.csv").set_index(["score", "data set"])
    return f"{order.loc[(score.upper(), 'all'), 'rank correlation']:.2f}"


def near(group: str) -> str:
    """Return the percentage of near cells in fitted columns, in the others, or in null columns."""
    methods = read("agreement/methods.csv").set_index("method")["% near, as run"]
    (percentage,) = methods[methods.index.str.contains(f"{group} columns|null: {group}")]
    return f"{percentage} %"


def wins(metric: str, method: str) -> str:
    """Return the number of experiments in which a method has our best mean."""
    return str(compare.wins(compared(RESULTS / "table2"), metric)[method])


def study_scores(kind: str) -> pd.DataFrame:
    """Return the scores of a kind of data. The folder of the study without TABLES has two kinds."""
    scores = pd.concat([read(f"{folder}/scores.csv") for folder in KINDS[kind]])
    return scores[scores["set"].str.startswith("clouds/") == (kind == "clouds")]


def study_sets(kind: str = "all") -> str:
    """Return the number of sets of a kind, and of their sources. "all" leaves clouds out."""
    kinds = [each for each in KINDS if each != "clouds"] if kind == "all" else [kind]
    sets = {name for each in kinds for name in study_scores(each)["set"]}
    return f"{len(sets)} sets from {len({study.source(name) for name in sets})} sources"


def encoded(way: str) -> str:
    """Return the other methods for which an encoding of tables with text is the better one."""
    found = [name for name, best in study.by_source(study_scores("text")) if best == way]
    return ", ".join(name for name in study.RIVALS if name in found)


def study_table(what: str) -> str:
    """Return the scores of methods, or the differences of GroupMap from them, by kind of data."""
    form = {
        "scores": "{0[mean]:.2f}, {0[median]:.2f}",
        "differences": "{0[lead]:+.2f} ({0[standard error]:.2f}) "
        "{0[better]:.0f}/{0[equal]:.0f}/{0[worse]:.0f}",
    }[what]
    columns = {}
    for kind in KINDS:
        table = study.compared(study.by_source(study_scores(kind)))
        table = table if what == "scores" else table.loc[table.index.isin(study.RIVALS)]
        columns[kind] = pd.Series({name: form.format(row) for name, row in table.iterrows()})
    return number_table("method", pd.DataFrame(columns, columns[kind].index), "{}")


def conclusion(kind: str) -> str:
    """Return which methods that choose the number GroupMap differs from significantly."""
    table = study.compared(study.by_source(study_scores(kind)))
    table = table[table.index.isin(study.RIVALS) & table.index.isin([*study.OPEN])]
    certain = table["lead"].abs() > 2.0 * table["standard error"]
    found = {
        "ahead of": table.index[certain & (table["lead"] > 0)],
        "behind": table.index[certain & (table["lead"] < 0)],
        "not told apart from": table.index[~certain],
    }
    return "; ".join(f"{words} {', '.join(names)}" for words, names in found.items() if len(names))


def map_means(*measures: str) -> str:
    """Return means over the data sets by method, and on how many a method is the best."""
    columns = {}
    for measure in measures:
        means = map_study.values_by_dataset(read("study/map.csv"), measure).round(3)
        best = means.eq(means.agg(map_study.MEASURES[measure], axis=1), axis=0).sum()
        shown = [f"{mean:.2f} ({n})" for mean, n in zip(means.mean(), best, strict=True)]
        columns[measure] = pd.Series(shown, list(means))
    methods = list(dict.fromkeys(name for column in columns.values() for name in column.index))
    found = pd.DataFrame(columns).reindex(methods).fillna("")
    if map_study.REFITS in methods:
        found = found.rename(index={map_study.OURS: f"{map_study.OURS} without refits"})
    return markdown_table(["", *measures], [[str(name), *row] for name, *row in found.itertuples()])


def map_seeds() -> str:
    """Return the number of seeds of the study of maps."""
    return str(read("study/map.csv")["seed"].nunique())


def missing(way: str) -> str:
    """Return the mean loss of ACC by missing values, completed in a way."""
    means = missing_values.mean_acc(read("study/missing/missing.csv"))
    return f"{(means['full'] - means[way]).mean():.1f}"


def false_alarms() -> str:
    """Return how often clusters are called groups: in clouds, and in each kind of two groups."""
    table, clouds = read("verdicts.csv").set_index("table"), list(CLOUDS)
    alarms = table.loc[clouds].agg(["mean", "max"])
    alarms.index = [f"{len(clouds)} kinds of clouds, mean", "the kind with most false alarms"]
    shown = pd.concat([alarms, table.drop(index=clouds)])
    return number_table("fraction of tables with a group", shown, "{:.2f}")


def bundled_verdicts() -> str:
    """Return how many clusters of each bundled table have which verdict."""
    table = read("verdicts-bundled.csv").set_index("table")
    shown = {
        name: [
            f"{row[verdict]} {verdict}"
            for verdict in ("groups", "slices", "too few")
            if row[verdict]
        ]
        for name, row in table.iterrows()
    }
    return "; ".join(f"{name} {', '.join(parts)}" for name, parts in shown.items())


def new_row_probabilities() -> str:
    """Return how good the probabilities of new rows under the paper's model are."""
    return number_table("new rows", new_rows.summary(read("new-rows.csv")), "{:g}")


def changes() -> str:
    """Return how often clusters stay when a table changes in ways that mean nothing."""
    return number_table("change", invariance.summary(read("invariance.csv")), "{:g}")


def files() -> str:
    """Return time and memory of fits and predictions of files."""
    form = "{0[%s_seconds]:.0f} s, {0[%s_gb]:.2f} GB"
    body = [
        [f"{row['n']:,}", *((form % (work, work)).format(row) for work in ("fit", "predict"))]
        for row in read("speed.json")["streamed"]
    ]
    return markdown_table(["rows", "`fit`", "`predict`"], body)


def threads() -> str:
    """Return times with one thread and with two."""
    body = []
    for row in read("speed.json")["threads"]:
        one, two = row["ms"]["1"] / 1e3, row["ms"]["2"] / 1e3
        name = f"{row['work']}, {row['setting']} model"
        body.append([name, f"{row['n']:,}", f"{one:#.2g} s", f"{two:#.2g} s", f"{one / two:.2f}"])
    return markdown_table(["", "rows", "one thread", "two threads", "ratio"], body)


def ways() -> str:
    """Return processor seconds of a fit from file to page beside two scripts."""
    body = []
    for row in read("speed-end-to-end.json")["rows"]:
        ours = row["sgpmic"]
        times = [f"{ours[name]:.1f} s" for name in ("seconds", "first_answer")]
        times += [
            "over " * ("stopped" in row[script]) + f"{row[script]['seconds']:.1f} s"
            for script in ("umap_hdbscan", "k_means_silhouettes")
        ]
        body.append([f"{row['n']:,}", *times])
    head = ["rows", "`sgpmic fit`", "its first answer", "UMAP, HDBSCAN", "k-means, silhouettes"]
    return markdown_table(head, body)


def components(size: str) -> str:
    """Return the time of the bound of all components relative to that of one."""
    ms = {row["name"]: row["ms"] for row in read("speed.json")["sizes"]}[size]
    return f"{ms['all'] / ms['one']:.1f}"


def beside_gpy() -> str:
    """Return the range of the time of the bound of one component relative to GPy's."""
    ratios = [row["ms"]["one"] / row["ms"]["gpy"] for row in read("speed.json")["sizes"]]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def growth() -> str:
    """Return the exponent of the time of a gradient in the number of rows."""
    return f"{read('speed.json')['growth']['exponent']:.2f}"


def main() -> None:
    """Write the documents, or list what is out of date."""
    stale = []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        if (new := updated(text)) == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv:
            path.write_text(new, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(ROOT)}: numbers differ from results/")
    sys.exit(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
