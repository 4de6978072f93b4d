"""The two protocols of the paper's experiments, and the printed numbers.

`as-run` is the procedure that reproduces most cells of the deterministic methods to the second
decimal: Wine without its last column for most methods, NMI of the mapped labels. `as-stated`
follows the text of the paper; docs/printed-numbers.md lists what it takes where the text is silent.
Both take the printed Q where the public data give another one. Settings and scores that match the
printed numbers apply to registered data sets only.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.documents import parse_printed
from sgpmic_cli.benchmark.plan import Cell, Suite
from sgpmic_cli.data.registry import entry, find, names
from sgpmic_cli.paper.experiments.methods import FOLDER, PaperMethod, paper_methods

REFERENCE = FOLDER / "reference.csv"  # of the gate


def paper_suite() -> Suite:
    """Return the methods that a command can name, and the protocols; `as-run` is the default."""
    return Suite(paper_methods(), {"as-run": as_run, "as-stated": as_stated})


def as_run(cell: Cell) -> list[Cell]:
    """Return the cell as the printed numbers were computed."""
    registered, method = find(cell.dataset), cell.method
    if registered is None or not isinstance(method, PaperMethod):
        return [_prescribed(cell, {}, {})]
    if cell.data is not None and method.drops_columns and registered.as_run_drop:
        cell = replace(cell, data=cell.data.without(registered.as_run_drop))
    return [_prescribed(cell, method.as_run, method.as_run_scores)]


def as_stated(cell: Cell) -> list[Cell]:
    """Return the cell as the text of the paper describes it, with each value of a tuned setting."""
    method, scores = cell.method, {"nmi": "nmi_stated"}
    if not isinstance(method, PaperMethod):
        return [_prescribed(cell, {}, scores)]
    cell = _prescribed(cell, method.as_stated, scores)
    tuned = [(name, value) for name, values in method.as_stated_tuned.items() for value in values]
    if cell.data is None or not tuned:
        return [cell]
    return [replace(cell, settings={**cell.settings, name: value}) for name, value in tuned]


def _prescribed(cell: Cell, settings: Mapping[str, Any], scores: Mapping[str, str]) -> Cell:
    """Return the cell with the printed Q, the paper's inducing points, settings and scores.

    The settings do not replace those that the cell has.
    """
    registered = find(cell.dataset)
    if registered is not None:
        cell = replace(cell, q=registered.printed_q.get(cell.explained_variance, cell.q))
    if cell.data is None:
        return cell
    if registered is not None and "n_inducing" in cell.method.accepts():
        settings = {"n_inducing": min(registered.inducing, len(cell.data.Y)), **settings}
    return replace(cell, settings={**settings, **cell.settings}, scores={**cell.scores, **scores})


@cache
def table2() -> pd.DataFrame:
    """Return the numbers of Table 2; `data_differ` marks those whose data are not public."""
    printed = parse_printed((FOLDER / "table2.csv").read_bytes())
    different = [name for name in names() if entry(name).data_differ]
    return printed.assign(data_differ=printed["dataset"].isin(different))


@cache
def table1() -> dict[str, dict[str, int]]:
    """Return the printed shape of every data set, with the latent dimensions as `q50` and so on."""
    shapes: Any = pd.read_csv(FOLDER / "table1.csv", index_col="dataset").to_dict("index")
    rows = pd.read_csv(FOLDER / "table2.csv")
    for dataset, percentage, q in zip(rows["dataset"], rows["variance"], rows["q"], strict=True):
        shapes[dataset][f"q{percentage}"] = q
    return shapes


@cache
def figure_acc() -> dict[tuple[str, str, str], float]:
    """Return the ACC printed under the figures by figure, data set and method."""
    printed: Any = pd.read_csv(FOLDER / "figures.csv", index_col=["figure", "dataset", "method"])
    return printed["acc"].to_dict()
