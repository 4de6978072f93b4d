"""What a fit has found, for the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgpmic_cli.commands.terminal.tables.facts import facts, score_words
from sgpmic_cli.single_fit.interpretation import (
    choice_in_words,
    doubtful_rows,
    numbers_tried,
    typical_rows,
)

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Fitted

DOUBTFUL = 5
TYPICAL = 3


def tables(fitted: "Fitted") -> Iterator[RenderableType]:
    """The parts, one below the other."""
    if tried := numbers_tried(fitted):
        yield _numbers(tried, len(fitted.model.weights_))
    yield Text(choice_in_words(fitted), style="bold")
    yield _clusters(fitted)
    if doubtful := doubtful_rows(fitted, DOUBTFUL):
        words = [
            f"{row.name} ({row.first}: {row.first_probability:.2f}, {row.second}: {row.second_probability:.2f})"
            for row in doubtful
        ]
        yield Padding(Text("most doubtful rows: " + ", ".join(words)), (0, 0, 1, 0))
    yield _facts(fitted)


def _numbers(tried: list[dict[str, Any]], chosen: int) -> Table:
    """What spoke for each number of clusters."""
    names = [name for name in tried[0] if name != "n_clusters"]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("clusters", *names, ""):
        table.add_column(name, justify="left" if not name else "right")
    for row in tried:
        mark = "chosen" if row["n_clusters"] == chosen else ""
        table.add_row(
            str(row["n_clusters"]),
            *(f"{row[name]:.3f}" for name in names),
            mark,
            style="bold" if mark else None,
        )
    return table


def _clusters(fitted: "Fitted") -> Table:
    """Size and certainty of each cluster, what sets it apart, and rows that show it."""
    outcome, profile = fitted.outcome, fitted.profile
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("cluster", "rows", "certainty"):
        table.add_column(name, justify="right")
    table.add_column("what sets it apart", overflow="fold")
    table.add_column("typical rows", overflow="fold")
    for m, size in enumerate(outcome.sizes.tolist()):
        certainty = f"{outcome.certainty[m]:.3f}" if size else "–"
        apart = "\n".join(profile.in_words(m)) or "nothing stands out"
        table.add_row(
            str(m),
            str(size),
            certainty,
            apart,
            ", ".join(typical_rows(fitted, m, TYPICAL)) if size else "",
        )
    return table


def _facts(fitted: "Fitted") -> Table:
    summary = fitted.summary()
    ended = "converged" if summary["converged"] else "all done"
    of_paper = (
        [f"{summary['kernel']} kernel", str(summary["optimizer"])]
        if fitted.setting == "paper"
        else []
    )
    dims = f"{summary['dims']} dimension{'s' * (summary['dims'] > 1)}"
    model = [dims, *of_paper, f"{summary['inducing']} inducing inputs", f"scale {summary['scale']}"]
    return facts(
        {
            "data": f"{summary['dataset']}: {summary['rows']} rows, {summary['columns']} columns",
            "latent space": ", ".join(model),
            "rounds": f"{summary['rounds']} ({ended}), seed {summary['seed']}",
            "lower bound": f"{summary['lower_bound']:.4f}",
            **score_words(summary["scores"]),
        }
    )
