"""A short table of facts for people: a name and a value on each line."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def facts(content: Mapping[str, str]) -> "Table":
    """The table."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in content.items():
        table.add_row(name, value)
    return table


def score_words(scores: Mapping[str, float] | None) -> dict[str, str]:
    """Scores as facts, each under a name that says which of its kind it is; nothing when classes are unknown."""
    if scores is None:
        return {}
    from sgpmic_cli.scores import SCORES

    told: dict[str, list[str]] = {}
    for name, score in SCORES.items():
        kind = score.title.rpartition(" ")[2]  # ACC and Hungarian ACC stand on one line
        told.setdefault(kind, []).append(
            f"{scores[name]:.2f}" + (f" ({score.meaning})" if score.meaning else "")
        )
    return {kind: "; ".join(words) for kind, words in told.items()}
