"""Format numbers and rows as JSON, CSV, Markdown and LaTeX."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sgpmic_cli.scores import SCORES
from sgpmic_cli.text import printable

TITLES = {**{name: score.title for name, score in SCORES.items()}, "seconds": "seconds"}


def as_json(document: Mapping[str, Any]) -> str:
    """Return an indented JSON document. Raise ValueError for NaN."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a CSV text with a heading."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return text.getvalue()


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table with `left` left-aligned columns and right-aligned numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    rows = (
        [re.sub(r"(?<!\\)\|", r"\|", printable(entry)) for entry in row]
        for row in [head, rule, *body]
    )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def latex_table(columns: str, head: Sequence[str], rows: Iterable[str], title: str = "") -> str:
    """Return a tabular (needs booktabs) with lines as rows."""
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", latex_row(head), r"\midrule", *rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([f"% {title}", *lines] if title else lines)


def latex_row(entries: Iterable[str]) -> str:
    """Return one row of a tabular."""
    return " & ".join(entries) + r" \\"


def escape(text: str) -> str:
    """Escape the special characters of LaTeX."""
    special = {character: "\\" + character for character in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(character, character) for character in text)


def plain(mean: float, std: float) -> str:
    """Return `91.33±0.00`, or a dash for NaN."""
    return "–" if math.isnan(mean) else f"{mean:.2f}±{std:.2f}"


def signed(value: float) -> str:
    """Return `+1.20`, or an empty text for NaN."""
    return "" if math.isnan(value) else f"{round(value, 2) + 0.0:+.2f}"


def digits(value: float, places: int) -> str:
    """Return a number with `places` decimals, or an empty text for NaN."""
    return "" if math.isnan(value) else f"{value:.{places}f}"
