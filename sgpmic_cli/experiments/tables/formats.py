"""Numbers and rows as text: JSON, CSV, Markdown, LaTeX. Knows nothing of what the rows are about."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sgpmic_cli.experiments.compare.paper import Published
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.safe_text import printable
from sgpmic_cli.scores import SCORES

TITLES = {**{name: score.title for name, score in SCORES.items()}, "seconds": "seconds"}


def as_json(document: Mapping[str, Any]) -> str:
    """A JSON document for people and programs; NaN is refused, as JSON has none."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV with a heading."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return text.getvalue()


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table whose first `left` columns are words and the others numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    rows = [head, rule, *body]
    return "".join(
        "| " + " | ".join(_escaped(printable(entry)) for entry in row) + " |\n" for row in rows
    )


def _escaped(entry: str) -> str:
    """A cell whose bars are no ends of it."""
    return re.sub(r"(?<!\\)\|", r"\|", entry)


def escape(text: str) -> str:
    """Text that LaTeX prints as it stands."""
    special = {character: "\\" + character for character in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(character, character) for character in text)


def plain(stat: Stat | Published | None) -> str:
    """`91.33±0.00`, or a dash."""
    return "–" if stat is None or stat.mean is None else f"{stat.mean:.2f}±{stat.std:.2f}"


def signed(value: float | None) -> str:
    """`+1.20`; nothing when there is none."""
    return "" if value is None else f"{round(value, 2) + 0.0:+.2f}"


def digits(value: float | None, places: int) -> str:
    """A number with so many decimals; nothing when there is none."""
    return "" if value is None else f"{value:.{places}f}"
