"""Tables for the terminal that describe a fitted model."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from sgpmic_cli.clustering.interpretation import (
    choice_in_words,
    doubtful_rows,
    numbers_table,
    numbers_tried,
    stability_in_words,
    typical_rows,
)
from sgpmic_cli.commands.terminal_tables import facts, score_facts, table

if TYPE_CHECKING:
    from sgpmic_cli.clustering.fitting import Fitted

N_DOUBTFUL, N_TYPICAL = 5, 3  # rows that are shown


def fit_tables(fitted: "Fitted") -> Iterator[RenderableType]:
    """Yield the parts of the terminal output of a fit."""
    if numbers_tried(fitted):
        heading, body = numbers_table(fitted)
        chosen = str(fitted.model.n_clusters_)
        tried = []
        for row in body:
            style, mark = ("bold", "chosen") if row[0] == chosen else ("", "")
            tried.append([Text(cell, style=style) for cell in (*row, mark)])
        yield table([*heading, ""], tried, left=[""])
    yield Text(choice_in_words(fitted), style="bold")
    # The paper's model has no refits, so its clusters have a mean probability only.
    name, values = "stability", getattr(fitted.model, "stability_", None)
    if values is None:
        name, values = "certainty", fitted.model.certainty_
    headings = ["cluster", "rows", name, "distinguishing features", "typical rows"]
    rows = [
        [
            str(m),
            str(size),
            f"{values[m]:.2f}" if size else "–",
            "\n".join(fitted.profile.in_words(m)) or "none",
            "; ".join(typical_rows(fitted, m, N_TYPICAL)) if size else "",
        ]
        for m, size in enumerate(fitted.model.cluster_sizes_.tolist())
    ]
    yield table(headings, rows, left=headings[-2:])
    if len(fitted.model.cluster_sizes_) > 1:
        yield Padding(Text(stability_in_words(fitted)), (0, 0, 1, 0))
    if doubtful := doubtful_rows(fitted, N_DOUBTFUL):
        names = "; ".join(
            f"{name} ({first}: {p_first:.2f}, {second}: {p_second:.2f})"
            for name, first, p_first, second, p_second in doubtful
        )
        yield Padding(Text(f"least certain rows: {names}"), (0, 0, 1, 0))
    summary = fitted.summary()
    model = [f"{summary['dims']} dimension{'s' * (summary['dims'] > 1)}"]
    if "kernel" in summary:
        model += [f"{summary['kernel']} kernel", summary["optimizer"]]
    model += [f"{summary['inducing']} inducing inputs", f"scale {summary['scale']}"]
    converged = "converged" if summary["converged"] else "the bound still rises"
    yield facts(
        {
            "data": f"{summary['dataset']}: {summary['rows']} rows, {summary['columns']} columns",
            "latent space": ", ".join(model),
            "iterations": f"{summary['iterations']} ({converged}), seed {summary['seed']}",
            "lower bound": f"{summary['lower_bound']:.4f}",
            **score_facts(summary["scores"]),
        }
    )
