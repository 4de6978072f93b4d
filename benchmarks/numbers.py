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
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.shared import number_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
MARK = re.compile(r"<!--= (?P<name>[^>]+?) -->(?P<value>.*?)<!--/-->", re.S)
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


@cache
def summary(folder: str) -> dict[str, Any]:
    """Return the counts of a benchmark of the paper."""
    found: dict[str, Any] = json.loads((RESULTS / folder / "summary.json").read_text("utf-8"))
    return found


def total(counts: dict[str, int], verdicts: tuple[str, ...]) -> int:
    """Return the number of cells with one of the verdicts."""
    return sum(counts.get(verdict, 0) for verdict in verdicts)


def block(table: str) -> str:
    """Return a table between blank lines, as Markdown needs it beside a comment."""
    return f"\n\n{table.strip()}\n\n"


def percent(part: int, whole: int) -> str:
    """Return a fraction in per cent."""
    return f"{100 * part / whole:.0f} %"


def table2_verdicts() -> str:
    """Return the verdicts of Table 2 by score."""
    counts = pd.DataFrame(summary("table2")["by_metric"]).T.fillna(0)
    counts.index = counts.index.str.upper()
    return block(number_table("", counts, "{:.0f}"))


def agreement_table(name: str) -> str:
    """Return a table of `agreement.py`."""
    return block((RESULTS / "agreement" / f"{name}.md").read_text("utf-8"))


def distance(procedure: str) -> str:
    """Return the mean distance of a procedure from SGP-MIC's printed ACC."""
    column = pd.read_csv(RESULTS / "agreement/column.csv", index_col="procedure")
    return str(column.loc[procedure, "mean distance, ACC"]).split()[0]


VALUES: dict[str, Callable[[], str]] = {
    "table2 judged": lambda: str(summary("table2")["judged"]),
    "table2 near": lambda: percent(
        summary("table2")["within_one_point"], summary("table2")["judged"]
    ),
    "table2 differ": lambda: percent(summary("table2")["differ"], summary("table2")["judged"]),
    "table2 within one": lambda: str(summary("table2")["within_one_point"]),
    "table2 differing": lambda: str(summary("table2")["differ"]),
    "table2 verdicts": table2_verdicts,
    "sgp-mic near": lambda: str(total(summary("table2")["by_method"]["sgp-mic"], NEAR)),
    "sgp-mic differ": lambda: str(total(summary("table2")["by_method"]["sgp-mic"], APART)),
    "sgp-mic distance": partial(distance, "SGP-MIC as run"),
    "null-gmm distance": partial(distance, "Gaussian mixture on ISOMAP"),
    "agreement methods": partial(agreement_table, "methods"),
    "agreement column": partial(agreement_table, "column"),
    "agreement halves": partial(agreement_table, "halves"),
    "agreement order": partial(agreement_table, "order"),
}


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
