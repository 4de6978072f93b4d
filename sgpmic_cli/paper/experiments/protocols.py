"""The methods and the two protocols of the paper's experiments, and the printed numbers.

`as-run` is the procedure that reproduces most cells of the deterministic methods to the second
decimal: Wine without its last column for most methods, NMI of the mapped labels. `as-stated`
follows the text of the paper; docs/printed-numbers.md lists what it takes where the text is silent.
Both take the printed Q where the public data give another one. Settings and scores that match the
printed numbers apply to registered data sets only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import KEY, NUMBERS, SHOWN
from sgpmic_cli.benchmark.methods import Method, Methods, read_methods
from sgpmic_cli.benchmark.plan import USUAL_PERCENTAGE, Cell, Suite
from sgpmic_cli.data.registry import entry, find, names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.rows import Rows

FOLDER = Path(__file__).parent
REFERENCE = FOLDER / "reference.csv"  # of the gate


@dataclass(frozen=True)
class PaperMethod(Method):
    """A method of methods.toml."""

    # The paper ran it without the columns in `as_run_drop` of the data set.
    drops_columns: bool = False
    # Settings that reproduce the printed numbers: on registered data, under `as-run`.
    as_run: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Scores of columns that the paper scored differently: on registered data, under `as-run`.
    as_run_scores: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Settings under the protocol `as-stated`.
    as_stated: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Values that `as-stated` tries of a setting, to show the best mean of each row.
    as_stated_tuned: Mapping[str, Sequence[Any]] = field(default_factory=dict, hash=False)


@cache
def paper_methods() -> Methods:
    """Return the methods of the paper."""
    methods = read_methods(FOLDER / "methods.toml", PaperMethod)
    stated = methods["sgp-mic"]
    assert isinstance(stated, PaperMethod)
    # The algorithm of the text, on the columns and with the scores behind the printed numbers.
    for name in ("algorithm-1", "algorithm-1-fixed"):
        settings = {**stated.as_stated, **methods[name].settings}
        methods[name] = replace(methods[name], settings=settings)
    methods["null-experts"] = replace(methods["null-experts"], settings=dict(stated.as_run))
    return methods


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


def table2_fit(rows: Rows, protocol: str, percentage: int | None) -> tuple[Rows, dict[str, Any]]:
    """Return the rows and the settings that SGP-MIC has in Table 2, also for other tables."""
    method, registered = paper_methods()["sgp-mic"], find(rows.name)
    assert isinstance(method, PaperMethod)
    if protocol == "as-run" and registered is not None and registered.as_run_drop:
        rows = rows.without(registered.as_run_drop)
    settings = method.as_run if protocol == "as-run" else method.as_stated
    percentage = percentage or USUAL_PERCENTAGE
    cell = Cell(rows.name, percentage, None, method, rows.n_classes, data=rows)
    cell = _prescribed(cell, settings, {})
    return rows, {**cell.settings, "n_components": cell.q or percentage / 100}


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


def read_printed(path: Path) -> pd.DataFrame:
    """Read and check printed numbers: the columns KEY, NUMBERS and `data_differ` (False).

    The CSV file has the columns method, dataset, metric, mean, std and repeats. A column `variance`
    has the percentage of each row, which is otherwise 95. Lines without a mean and other columns
    are ignored.
    """
    try:
        return _checked(pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig"))
    except (OSError, KeyError, ValueError) as error:
        problem = f"column {error} is missing" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{str(path)!r} is not a CSV file of printed numbers: {problem}."
        ) from None


def _checked(table: pd.DataFrame) -> pd.DataFrame:
    table.index += 2  # the lines of the file
    table = table[table["mean"] != ""]
    if table.empty:
        raise ValueError("there is no number in it")
    if "variance" not in table:
        table = table.assign(variance=str(USUAL_PERCENTAGE))
    variance = table["variance"].replace("", str(USUAL_PERCENTAGE))
    printed = table.assign(metric=table["metric"].str.lower(), explained_variance=variance)
    printed = printed[[*KEY, *NUMBERS]]
    numbers = printed[["explained_variance", *NUMBERS]].apply(pd.to_numeric, errors="coerce")
    printed = printed.assign(**numbers)
    problems = {
        f"its metric is none of {', '.join(SHOWN)}": ~printed["metric"].isin(SHOWN),
        "a number is missing or wrong": ~np.isfinite(numbers).all(axis=1),
        "a number is negative": (printed["std"] < 0) | (printed["repeats"] <= 0),
        "it repeats an earlier cell": printed.duplicated(KEY),
    }
    for problem, wrong in problems.items():
        for line in printed.index[wrong]:
            raise ValueError(f"line {line}: {problem}")
    types: Any = {"explained_variance": int, **dict.fromkeys(NUMBERS, float)}
    return printed.astype(types).assign(data_differ=False).reset_index(drop=True)


@cache
def table2() -> pd.DataFrame:
    """Return the numbers of Table 2; `data_differ` marks those whose data are not public."""
    printed = read_printed(FOLDER / "table2.csv")
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
