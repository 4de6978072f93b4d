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
    return {
        "ACC": f"{scores['acc']:.2f} (purity, the paper's); {scores['acc_hungarian']:.2f} one-to-one",
        "NMI": f"{scores['nmi']:.2f} (mapped labels, the paper's); {scores['nmi_stated']:.2f} clusters",
        "ARI": f"{scores['ari']:.2f}",
    }
