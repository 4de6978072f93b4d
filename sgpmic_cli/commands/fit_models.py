"""Create the estimator that the options of `sgpmic fit` describe, and print a result."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sgpmic_cli._typing import BoolArray
from sgpmic_cli.commands.output import facts, rich_table, score_facts
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.result import notable_rows, words
from sgpmic_cli.result.result import Result
from sgpmic_cli.tables.options import plural
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import as_option_value

Method = Literal["group-map", "sgp-mic"]

USUAL = {"method": "group-map", "seed": 0, "threads": 1}  # defaults, which need not be repeated
N_TYPICAL = 3  # rows of a cluster that are shown
N_NUMBERS = 5  # of clusters that are shown
N_STEPS = 2  # commands that are shown; the page has all


def estimator_for(
    rows: Rows,
    method: Method = "group-map",
    clusters: int | tuple[int, int] | str | None = None,
    seed: int = 0,
    threads: int = 1,
    protocol: str | None = None,
    variance: int | None = None,
    **more: Any,
) -> tuple[Rows, Any]:
    """Create an estimator; return it after the rows that it fits, with a note about the method.

    Options that are None keep its default. One class only is imported.
    """
    run: Any = {"n_jobs": threads, "random_state": seed}
    given = {"n_clusters": clusters, "n_components": more.pop("dims", None), **more}
    given = {name: value for name, value in given.items() if value is not None}
    registered = find(rows.name)
    if method == "group-map":
        from sgpmic_cli.clustering.group_map import GroupMap

        if protocol or variance or "kernel" in given:
            raise UsageError("--protocol, --variance and --kernel need --method sgp-mic.")
        if registered:
            fit = f"sgpmic fit {rows.name} --method sgp-mic --protocol as-run"
            rows = rows.with_note(f"the paper's model is fitted by `{fit}`.")
        return rows, GroupMap(**given, **run)
    from sgpmic_cli.paper.model.estimator import SGPMIC

    if variance and "n_components" in given:
        raise UsageError("give --dims or --variance, not both.")
    if "max_rows" in given:
        raise UsageError("--max-rows belongs to the default model: leave --method sgp-mic out.")
    if not isinstance(clusters, int | None):
        raise UsageError(
            "the paper's model does not choose the number of clusters: its bound, rows left out "
            "and the agreement of halves find it no more often than chance. Give, for example, "
            "--clusters 3, or leave --method sgp-mic out."
        )
    if clusters is None and rows.labels is None:
        raise UsageError(
            f"the number of classes in {rows.name} is unknown: give the number of clusters, "
            "such as --clusters 3, or name the column of classes with --label COLUMN."
        )
    usual: Any = {"n_clusters": rows.n_classes, "n_inducing": min(SGPMIC().n_inducing, len(rows.Y))}
    if variance:
        usual["n_components"] = variance / 100
    if protocol:
        from sgpmic_cli.paper.experiments.protocols import table2_fit

        rows, settings = table2_fit(rows, protocol, variance)
        usual |= settings
    model = SGPMIC(**usual | given, **run)
    q, source = model.n_components, f"those of Table 2, {protocol}" if protocol else "for own data"
    dims = f"{q} dimensions" if q >= 1 else f"dimensions for {100 * q:.0f} % of the variance"
    return rows.with_note(
        f"the settings of SGP-MIC are {source}: scale {model.scale}, {dims}, kernel "
        f"{model.kernel}, at most {plural(model.max_iter, 'iteration')}."
    ), model


def fit_command(arguments: Mapping[str, Any], **changed: Any) -> str:
    """Return the command line of a fit with changed options. Columns to drop are added."""
    drop = (*arguments.get("drop", ()), *changed.get("drop", ()))
    options = {**arguments, **changed, "drop": drop}
    line = ["sgpmic", "fit", shlex.quote(options.pop("data"))]
    for name, value in options.items():
        if value in (None, (), False, USUAL.get(name)):
            continue
        if name in ("drop", "log"):
            word = as_option_value(value)
        elif value is True:
            word = ""
        elif isinstance(value, tuple):  # a range of numbers
            word = "-".join(map(str, value))
        else:
            word = shlex.quote(str(value))
        line += [f"--{name.replace('_', '-')}", *[word] * bool(word)]
    return " ".join(line)


def result_tables(
    result: Result, out: Path, command: Callable[..., str], verbose: bool
) -> Iterator[RenderableType]:
    """Yield the parts of the terminal output of a fit: the answer first, the evidence last."""
    yield Text(words.headline(result), style="bold")
    yield _clusters(result)
    if result.rows.ids is None:
        yield "Rows are counted from 1, without the header."
    yield from words.how_sure(result)
    steps = [*islice(words.next_steps(result, out, command), N_STEPS)]
    by_number = bool(result.selection) and "evidence" not in result.selection[0]
    numbers = ["all numbers of clusters"] * by_number
    contents = words.enumeration(["Map", "profiles", "doubtful rows", *numbers])
    for sentence, code in [*steps, (f"{contents} are on the page:", str(out / "report.html"))]:
        yield f"\n{sentence}"
        yield Text(f"  {code}", no_wrap=True, overflow="ignore")  # to be copied
    told, q, rows = result.facts, result.results.points.shape[1], result.rows
    content = {"\ndata": f"\n{rows.name}: {len(rows.Y)} rows, {result.n_columns} columns"}
    if verbose:
        content["map"] = (
            f"{q} dimensions, {told['inducing']} inducing inputs, scale {told['scale']}, "
            f"{told['iterations']} iterations, bound {told['lower_bound']:.4f}"
        )
    yield facts(content | score_facts(result.scores))
    if by_number:
        yield rich_table(*words.numbers_table(result, N_NUMBERS), left=[""])


def _clusters(result: Result) -> Table:
    """Return a table with one line for each cluster."""
    profile, labels = result.profile, result.results.labels
    # The paper's model has neither verdicts nor refits, so its clusters have a probability only.
    column, values = "probability", [f"{value:.2f}" for value in profile.certainty]
    if result.verdicts:
        column, values = "verdict", [words.verdict_in_words(each) for each in result.verdicts]
    rows: list[list[str | Text]] = []
    for m in np.flatnonzero(result.sizes).tolist():
        line = [str(m), str(result.sizes[m]), values[m], "\n".join(profile.in_words(m)) or "none"]
        rows.append([*line, _typical(result, labels == m)])
    headings = ["cluster", "rows", column, "distinguishing features", "typical rows"]
    return rich_table(headings, rows, left=["verdict", *headings[-2:]])


def _typical(result: Result, member: BoolArray) -> Text:
    rows = notable_rows.typical_rows(result, member, N_TYPICAL)
    names = "\n".join(notable_rows.row_name(result.rows, row) for row in rows)
    return Text(names, no_wrap=True, overflow="ellipsis")
