"""Write the numbers of the documents from the files in results/.

    python -m benchmarks.numbers [--check]

A document marks what comes from a file: `<!--= NAME -->value<!--/-->`, where NAME is a key of
VALUES and the value is a number, a phrase or a table. `--check` lists the marks that are out of
date and changes nothing.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.shared import number_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
MARK = re.compile(r"<!--= (?P<name>[^>]+?) -->(?P<value>.*?)<!--/-->", re.S)
VALUES: dict[str, Callable[[], str]] = {}
NEAR = ("exact", "within 1")
APART = ("differs up", "differs down")


def documents() -> Iterator[Path]:
    """Yield the documents whose numbers come from files."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted(RESULTS.glob("*.md"))


def updated(text: str) -> str:
    """Return the text of a document with the value of every mark as the files have it."""
    return MARK.sub(lambda mark: f"<!--= {mark['name']} -->{VALUES[mark['name']]()}<!--/-->", text)


def value(name: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Return a decorator that registers a function as the value of a name."""

    def register(function: Callable[[], str]) -> Callable[[], str]:
        VALUES[name] = function
        return function

    return register


@cache
def summary(folder: str) -> dict[str, Any]:
    """Return the counts of a benchmark of the paper."""
    found: dict[str, Any] = json.loads((RESULTS / folder / "summary.json").read_text("utf-8"))
    return found


@cache
def mean_scores(folder: str) -> pd.DataFrame:
    """Return the mean ARI of every set (rows) and method (columns) of a study."""
    scores = pd.read_csv(RESULTS / folder / "scores.csv")
    return scores.groupby(["set", "method"])["ari"].mean().unstack()


def total(counts: dict[str, int], verdicts: tuple[str, ...]) -> int:
    """Return the number of cells with one of the verdicts."""
    return sum(counts.get(verdict, 0) for verdict in verdicts)


def block(table: str) -> str:
    """Return a table between blank lines, as Markdown needs it beside a comment."""
    return f"\n\n{table.strip()}\n\n"


def percent(part: int, whole: int) -> str:
    """Return a fraction in per cent."""
    return f"{100 * part / whole:.0f} %"


VALUES |= {
    "table2 printed": lambda: str(summary("table2")["published"]),
    "table2 judged": lambda: str(summary("table2")["judged"]),
    "table2 near": lambda: percent(
        summary("table2")["within_one_point"], summary("table2")["judged"]
    ),
    "table2 differ": lambda: percent(summary("table2")["differ"], summary("table2")["judged"]),
    "table2 within one": lambda: str(summary("table2")["within_one_point"]),
    "table2 differing": lambda: str(summary("table2")["differ"]),
    "sgp-mic near": lambda: str(total(summary("table2")["by_method"]["sgp-mic"], NEAR)),
    "sgp-mic differ": lambda: str(total(summary("table2")["by_method"]["sgp-mic"], APART)),
}


VALUES |= {
    f"agreement {name}": lambda name=name: block(  # type: ignore[misc]
        (RESULTS / "agreement" / f"{name}.md").read_text("utf-8")
    )
    for name in ("methods", "column", "halves", "order")
}
VALUES |= {
    f"{name} distance": lambda procedure=procedure: distance(procedure)  # type: ignore[misc]
    for name, procedure in {
        "sgp-mic": "SGP-MIC as run",
        "null-gmm": "Gaussian mixture on ISOMAP",
    }.items()
}


def distance(procedure: str) -> str:
    """Return the mean distance of a procedure from SGP-MIC's printed ACC."""
    column = pd.read_csv(RESULTS / "agreement/column.csv", index_col="procedure")
    return str(column.loc[procedure, "mean distance, ACC"]).split()[0]


@value("table2 verdicts")
def table2_verdicts() -> str:
    """Return the verdicts of Table 2 by score."""
    counts = pd.DataFrame(summary("table2")["by_metric"]).T.fillna(0)
    counts.index = counts.index.str.upper()
    return block(number_table("", counts, "{:.0f}"))


@value("tables ARI")
def tables_ari() -> str:
    """Return the scores of the default model and of common methods on the bundled tables."""
    means = mean_scores("study").filter(like="tables/", axis=0)
    means = means[["SGPMIC", "k-means", "Gaussian mixture", "spectral", "Ward"]] + 0.0
    means.index = means.index.str.removeprefix("tables/")
    return block(number_table("data", means.round(2) + 0.0, "{:.2f}"))


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
