"""Tables for the terminal that describe a fitted model."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgpmic_cli.clustering import interpretation
from sgpmic_cli.clustering.answer import verdict_in_words
from sgpmic_cli.commands.terminal_tables import facts, score_facts, table

if TYPE_CHECKING:
    from sgpmic_cli.clustering.fitting import Fitted

N_DOUBTFUL, N_TYPICAL = 5, 3  # rows that are shown
N_STEPS = 2  # commands that are shown; the page has all


def fit_tables(
    fitted: "Fitted", out: Path, command: Callable[..., str]
) -> Iterator[RenderableType]:
    """Yield the parts of the terminal output of a fit: the answer first, the evidence last."""
    yield Text(interpretation.headline(fitted), style="bold")
    yield _clusters(fitted)
    for sentence in interpretation.how_sure(fitted):
        yield Text(sentence)
    for words, code in islice(interpretation.next_steps(fitted, out, command), N_STEPS):
        yield _code(words, code)
    yield _code("Map, profiles and doubtful rows are on the page:", str(out / "report.html"))
    yield Padding(_model(fitted), (1, 0, 0, 0))
    if interpretation.numbers_tried(fitted):
        yield _numbers_tried(fitted)


def _code(words: str, code: str) -> Padding:
    return Padding(Text.assemble(f"{words}\n  ", (code, "bold")), (1, 0, 0, 0))


def _clusters(fitted: "Fitted") -> Table:
    """Return a table with one line for each cluster, after the groups that are no cluster."""
    columns: dict[str, list[str]] = {"verdict": [verdict_in_words(v) for v in fitted.verdicts]}
    # The paper's model has neither verdicts nor refits, so its clusters have a probability only.
    if not fitted.verdicts:
        columns = {"certainty": [f"{value:.2f}" for value in fitted.model.certainty_]}
    headings = ["cluster", "rows", *columns, "distinguishing features", "typical rows"]
    rows = [
        [f"group {g}", str(size), verdict, "\n".join(features), fitted.group_names[g]]
        for g, size, verdict, features in interpretation.groups_in_words(fitted)
    ]
    rows += [
        [
            str(m),
            str(size),
            *(values[m] if size else "–" for values in columns.values()),
            "\n".join(fitted.profile.in_words(m)) or "none",
            "; ".join(_typical(fitted, m)) if size else "",
        ]
        for m, size in enumerate(fitted.model.cluster_sizes_.tolist())
    ]
    return table(headings, rows, left=["verdict", *headings[-2:]])


def _typical(fitted: "Fitted", cluster: int) -> list[str]:
    rows = interpretation.typical_rows(fitted, fitted.prediction.labels == cluster, N_TYPICAL)
    return [interpretation.row_name(fitted.data, row) for row in rows]


def _model(fitted: "Fitted") -> Table:
    """Return facts about the data, the model and the least certain rows."""
    summary = fitted.summary()
    model = [f"{summary['dims']} dimension{'s' * (summary['dims'] > 1)}"]
    if "kernel" in summary:
        model += [f"{summary['kernel']} kernel", summary["optimizer"]]
    model += [f"{summary['inducing']} inducing inputs", f"scale {summary['scale']}"]
    converged = "converged" if summary["converged"] else "the bound still rises"
    content = {
        "data": f"{summary['dataset']}: {summary['rows']} rows, {summary['columns']} columns",
        "latent space": ", ".join(model),
        "iterations": f"{summary['iterations']} ({converged}), seed {summary['seed']}",
        "lower bound": f"{summary['lower_bound']:.4f}",
        **score_facts(summary["scores"]),
    }
    if doubtful := interpretation.doubtful_rows(fitted, N_DOUBTFUL):
        content["least certain rows"] = "; ".join(
            f"{name} ({first}: {p_first:.2f}, {second}: {p_second:.2f})"
            for name, first, p_first, second, p_second in doubtful
        )
    return facts(content)


def _numbers_tried(fitted: "Fitted") -> Table:
    heading, body = interpretation.numbers_table(fitted)
    chosen = str(fitted.model.n_clusters_)
    rows = []
    for row in body:
        style, mark = ("bold", "chosen") if row[0] == chosen else ("", "")
        rows.append([Text(cell, style=style) for cell in (*row, mark)])
    return table([*heading, ""], rows, left=[""])
