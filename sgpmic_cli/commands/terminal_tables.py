"""Tables for the terminal that several commands print."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    title: str | None = None,
    left: Sequence[str] = (),
) -> Table:
    """Return a table; columns are right-aligned unless their heading is in `left`."""
    content = Table(box=box.SIMPLE_HEAD, title=title, title_style="bold", pad_edge=False)
    for heading in headings:
        justify: JustifyMethod = "left" if heading in left else "right"
        content.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        content.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return content


def facts(content: Mapping[str, str]) -> Table:
    """Return a table with a name and a value on each line."""
    names = Table(box=None, show_header=False, pad_edge=False)
    names.add_column(style="bold", no_wrap=True)
    names.add_column(overflow="fold")
    for name, value in content.items():
        names.add_row(name, Text(value))
    return names


def note(name: str, sentence: str) -> Text:
    """Return a sentence about something, with its name in bold."""
    return Text.assemble((f"{name}: ", "bold"), sentence)


def as_text(value: Any, separator: str = "\n") -> str:
    """Format a plain value, with one line for each entry of a dict or a list."""
    if isinstance(value, dict):
        return separator.join(f"{name}: {as_text(entry)}" for name, entry in value.items()) or "–"
    if isinstance(value, list | tuple):
        return separator.join(as_text(entry, ", ") for entry in value) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value in (None, "") else str(value)


def score_facts(scores: Mapping[str, float] | None) -> dict[str, str]:
    """Return the scores as facts, with ACC and Hungarian ACC on one line."""
    if scores is None:
        return {}
    from sgpmic_cli.scores import SCORES

    lines: dict[str, list[str]] = {}
    for name, score in SCORES.items():
        meaning = f" ({score.meaning})" if score.meaning else ""
        lines.setdefault(score.title.split()[-1], []).append(f"{scores[name]:.2f}{meaning}")
    return {title: "; ".join(values) for title, values in lines.items()}
