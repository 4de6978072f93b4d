"""Run a benchmark and write its documents; read them back.

`benchmark.json` has the rows of the comparison, and `table.csv` the same without times, so that a
benchmark that was killed and resumed ends with the same bytes.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare import (
    ROW,
    Verdict,
    best_settings,
    compare,
    comparison,
    is_best,
    shown_metrics,
)
from sgpmic_cli.benchmark.methods import Methods, error_text
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.benchmark.run import RunOptions, Runs, run_study, write_study
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.scores import SCORES
from sgpmic_cli.text import printable

TITLES = {**{name: score.title for name, score in SCORES.items()}, "seconds": "seconds"}
RANKED = "ari"
CSV_COLUMNS = [
    *("metric", "dataset", "explained_variance", "q", "method", "mean", "std", "repeats", "failed"),
    *("paper_mean", "paper_std", "difference", "low", "high", "verdict", "settings", "note"),
]
CSV_NAMES = {"explained_variance": "variance", "low": "difference_low", "high": "difference_high"}


def run_benchmark(
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    printed: pd.DataFrame | None = None,
) -> tuple[Runs, pd.DataFrame, dict[str, Any]]:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    Return the runs, their comparison (see `compare`), also with printed numbers if there are any,
    and its JSON document.
    """
    runs = run_study(study, options, out)
    table = best_settings(compare(runs.frame, study.methods, printed))
    content = document(study, table)
    files = {"table.csv": tidy_csv(table), "benchmark.json": as_json(content)}
    write_study(Path(out), files, runs)
    return runs, table, content


def document(study: Study, table: pd.DataFrame) -> dict[str, Any]:
    """Return the JSON document of a benchmark."""
    head = {name: getattr(study, name) for name in ("protocol", "repeats", "seed")}
    return {**head, "numbers": plain_rows(table)}


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame with the values of JSON: None for a missing number."""
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def read_document(
    path: Path, methods: Methods, printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Read the `benchmark.json` of a benchmark as a comparison; see `compare`."""
    with reading(path) as content:
        return comparison(pd.DataFrame(content["numbers"]), methods, printed)


@contextmanager
def reading(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a JSON object that a benchmark wrote. Turn every fault in it into one sentence."""
    try:
        yield dict(json.loads(path.read_bytes()))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({error_text(error)}): run the "
            "benchmark again."
        ) from None


def as_json(document: Mapping[str, Any]) -> str:
    """Return an indented JSON document. Raise ValueError for NaN."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table with `left` left-aligned columns and right-aligned numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    rows = (
        [re.sub(r"(?<!\\)\|", r"\|", printable(entry)) for entry in row]
        for row in [head, rule, *body]
    )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def plain(mean: float, std: float) -> str:
    """Return `91.33±0.00`, or a dash for NaN."""
    return "–" if math.isnan(mean) else f"{mean:.2f}±{std:.2f}"


def signed(value: float) -> str:
    """Return `+1.20`, or an empty text for NaN."""
    return "" if math.isnan(value) else f"{round(value, 2) + 0.0:+.2f}"


def tidy_csv(table: pd.DataFrame) -> str:
    """Return a CSV with one line for each score of each cell."""
    texts = {
        name: table[name].map("{:.2f}".format, na_action="ignore")
        for name in ("paper_mean", "paper_std")
    }
    settings = [json.dumps(each, sort_keys=True) if each else "" for each in table["settings"]]
    named = table.assign(settings=settings, **texts)[CSV_COLUMNS].rename(columns=CSV_NAMES)
    return named.to_csv(index=False, lineterminator="\n", float_format="%.4f")


def with_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a comparison with the columns that the tables show.

    These are the texts `ours` and `paper`, such as `91.33±0.00`, their difference `off`, the
    variance with Q as `row`, such as `95 (2)`, and whether a mean is the `best` of its row.
    """
    q = table["q"].astype(str).where(table["q"].notna(), "?")
    return table.assign(
        row=table["explained_variance"].astype(str) + " (" + q + ")",
        ours=list(map(plain, table["mean"], table["std"])),
        paper=list(map(plain, table["paper_mean"], table["paper_std"])),
        off=list(map(signed, table["difference"])),
        best=is_best(table),
    )


def methods_table(table: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows: the mean ARI of each method and its verdicts, the best first.

    Methods without a number in some row are omitted.
    """
    ari, verdicts = table[table["metric"] == RANKED], [Verdict.BEST, Verdict.TIED, Verdict.LOWER]
    means = ari.pivot(index=ROW, columns="method", values="mean").dropna(axis="columns").mean()
    counts = pd.crosstab(ari["method"], ari["verdict"]).reindex(columns=verdicts, fill_value=0)
    rows = [
        [str(name), f"{mean:.2f}", *map(str, counts.loc[str(name)])]
        for name, mean in means.sort_values(ascending=False, kind="stable").items()
    ]
    return ["method", f"mean {TITLES[RANKED]}", *verdicts], rows


def notes_of(table: pd.DataFrame, row: str = "explained_variance") -> dict[str, list[str]]:
    """Return each note with the cells that have it; the column `row` tells rows apart."""
    notes: dict[str, list[str]] = {}
    for cell in table[table["note"] != ""].drop_duplicates("cell").to_dict("records"):
        place = f"{cell['method']} on {cell['dataset']} {cell[row]}"
        notes.setdefault(cell["note"], []).append(place)
    return notes


def used(table: pd.DataFrame) -> list[Verdict]:
    """Return the verdicts that occur in a table, in the order of the legend."""
    verdicts = set(table[table["metric"].isin(shown_metrics(table))]["verdict"])
    return [verdict for verdict in Verdict if verdict in verdicts]
