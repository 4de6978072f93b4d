"""Learn a recipe from a raw table: decide what each column is, or report a problem."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from sgpmic_cli.data.intake.columns import (
    DATE,
    FORMATTED,
    ID_NAME,
    Column,
    NumberColumn,
    TextColumn,
    unify_numbers,
)
from sgpmic_cli.data.intake.options import TableOptions
from sgpmic_cli.data.intake.problems import (
    Problem,
    Remedy,
    not_a_number,
    not_finite,
    shown,
    unknown_column,
)
from sgpmic_cli.data.intake.raw_table import RawTable, to_number
from sgpmic_cli.data.intake.recipe import TableRecipe

MAX_CATEGORIES = 20  # of a text column; more would outweigh the other columns
MIN_ID_ROWS = 10  # a shorter column of consecutive numbers may be a measurement
MAX_VALUE = 1e100  # sums of squares of larger numbers overflow
CLASS_NAMES = frozenset({"label", "labels", "class", "target"})
AS_ASKED = "as asked"  # why a column is left out that the user named


class LeftOut(NamedTuple):
    """A column that is not used, because it is an identifier of the rows or for another reason."""

    why: str
    is_id: bool = False


Decision = Column | LeftOut | Problem


def learn_recipe(table: RawTable, options: TableOptions) -> tuple[TableRecipe, list[Problem]]:
    """Decide about every column. Return the recipe, and what cannot be decided.

    `EncodedTable` raises these problems together with those that it finds.
    """
    problems = _check_names(table, options)
    used: list[Column] = []
    left_out: dict[str, str] = {}
    identifiers = [] if options.id is None else [options.id]
    for name in table.columns:
        if name in (options.label, options.id):
            continue
        decision = _decide(table, name, options)
        if isinstance(decision, Problem):
            problems.append(decision)
        elif isinstance(decision, LeftOut):
            left_out[name] = decision.why
            identifiers += [name] if decision.is_id else []
        else:
            used.append(decision)
    if not problems and sum(len(column.feature_names) for column in used) < 2:
        reasons = [f"{shown(name)} ({why})" for name, why in left_out.items()]
        others = f"; left out are {', '.join(reasons[:8])}" if reasons else ""
        what = f"there is {'one' if used else 'no'} feature column to cluster by"
        problems.append(Problem(f"{what}, and at least two are needed{others}"))
    recipe = TableRecipe(
        named=table.named,
        file_columns=tuple(table.columns),
        columns=tuple(used),
        missing=options.missing,
        label=options.label,
        id=identifiers[0] if identifiers else None,
        left_out=left_out,
        format=options.format,
    )
    return recipe, problems


def decision_notes(recipe: TableRecipe) -> list[str]:
    """Describe the decisions that the user did not make."""
    notes = []
    for name, why in recipe.left_out.items():
        if why != AS_ASKED:
            carried = "; it names the rows in what is written" if name == recipe.id else ""
            notes.append(f"column {shown(name)} is left out: {why}{carried}.")
    if recipe.text_columns:
        parts = ", ".join(
            f"{shown(column.name)} ({len(column.categories)} values)"
            for column in recipe.text_columns
        )
        notes.append(
            f"text is encoded, each column with half the variance of one of numbers: {parts}."
        )
    return notes


def _check_names(table: RawTable, options: TableOptions) -> list[Problem]:
    """Report unknown names, names that two options contain, and an unusable class column."""
    given = {
        "label": [options.label] if options.label else [],
        "id": [options.id] if options.id else [],
        "columns": options.columns,
        "drop": options.drop,
    }
    problems = [
        unknown_column(name, parameter, table.columns)
        for parameter in ("columns", "drop")
        for name in given[parameter]
        if name not in table.columns
    ]
    for one, other in combinations(given, 2):
        problems += [
            Problem(f"column {shown(name)} is named by {one} and by {other}; name it once")
            for name in sorted(set(given[one]) & set(given[other]))
        ]
    if options.label in table.cells:
        classes = set(unify_numbers(table.cells[options.label].texts.tolist()))
        if len(classes) == 1 < table.n_rows:
            what = f"column {shown(options.label)} holds one class only ({shown(classes.pop())})"
            problems.append(Problem(what, ["name a column with two or more classes, or none"]))
    return problems


def _decide(table: RawTable, name: str, options: TableOptions) -> Decision:
    """Decide whether and how a column is used."""
    if name in options.drop or (options.columns and name not in options.columns):
        return LeftOut(AS_ASKED)
    is_last = name == table.columns[-1] and name not in options.columns
    if is_last and options.label is None and name.lower() in CLASS_NAMES:
        # As a feature the column would give the answer away; as classes it is a guess.
        return Problem(
            f"the last column is named {shown(name)}, as classes are",
            [
                Remedy("say that it holds the classes", "label", name),
                _leave_out(name),
                "rename it if it is a feature",
            ],
        )
    _, values, invalid = table.cells[name]
    if invalid.any():
        return _decide_on_text(table, name, options)
    if np.isnan(values).all():
        return LeftOut("it is empty")
    magnitude = np.nan_to_num(np.abs(values), nan=0.0, posinf=np.inf)
    row = int(magnitude.argmax())
    place = table.place(row, name)
    if np.isinf(magnitude[row]):
        return not_finite(place)
    if magnitude[row] > MAX_VALUE:
        what = f"{place}: {values[row]:g} is too large to be squared"
        return Problem(what, ["divide the column by a constant", _leave_out(name)])
    if name not in options.columns and (why := _identifier_reason(name, values)):
        return LeftOut(why, is_id=True)
    return NumberColumn.learn(name, values)


def _identifier_reason(name: str, values: np.ndarray) -> str | None:
    """Return why a column of numbers looks like an identifier of the rows, or None."""
    if len(values) < MIN_ID_ROWS or np.isnan(values).any() or (values != np.round(values)).any():
        return None
    if values[0] in (0.0, 1.0) and (np.diff(values) == 1.0).all():
        return "it counts the rows"
    if ID_NAME.fullmatch(name) and len(np.unique(values)) == len(values):
        return "it is called like an id and no two rows share a value"
    return None


def _decide_on_text(table: RawTable, name: str, options: TableOptions) -> Decision:
    """Decide about a column in which some cells are not numbers."""
    _, values, invalid = table.cells[name]
    cells = table.cells[name].categories
    row, n_invalid = int(invalid.argmax()), int(invalid.sum())
    distinct = set(cells[invalid])
    example = f"such as {shown(cells[row])} in {table.place(row)}"
    column = f"column {shown(name)} holds"
    other, sign = (",", "comma") if options.format.decimal == "." else (".", "point")
    if all(to_number(text, other) is not None for text in distinct):
        what = f"{column} numbers with a decimal {sign} {example}"
        return Problem(what, [Remedy("say so", "decimal", other), "write them with the other sign"])
    if all(map(DATE.fullmatch, distinct)):
        if options.encode == "drop":
            return LeftOut("it is text")
        remedy = "turn them into numbers, such as days since the first"
        return Problem(f"{column} dates or times {example}", [remedy, _leave_out(name)])
    if all(map(FORMATTED.fullmatch, distinct)):
        what = f"{column} numbers with signs in or around them {example}"
        return Problem(what, ["write plain numbers", _leave_out(name)])
    if np.count_nonzero(~np.isnan(values)) >= n_invalid:
        return not_a_number(table.place(row, name), cells[row], n_invalid, _leave_out(name))
    if options.encode == "drop":
        return LeftOut("it is text")
    if options.encode == "error":
        return Problem(
            f"{column} text {example}",
            [
                Remedy("encode it", "encode", "one-hot"),
                _leave_out(name),
                Remedy("name it as the classes", "label", name),
            ],
        )
    return _decide_on_categories(name, cells, asked=name in options.columns)


def _decide_on_categories(name: str, cells: np.ndarray, *, asked: bool) -> Decision:
    """Decide about a column of texts, which the user may have `asked` for."""
    known = cells[cells != ""]
    distinct = len(set(known))
    most = MAX_CATEGORIES if asked else max(2, min(MAX_CATEGORIES, len(known) // 2))
    if distinct == 1:
        return LeftOut(f"its only text is {shown(known[0])}")
    if distinct <= most and (distinct < len(known) or asked):
        return TextColumn.learn(name, cells)
    if asked:
        return Problem(
            f"column {shown(name)} has {distinct} different texts, and at most "
            f"{MAX_CATEGORIES} are encoded",
            ["join some of them", Remedy("name it as the id", "id", name), "do not ask for it"],
        )
    if distinct == len(known):
        is_id = len(known) == len(cells)
        return LeftOut("no two rows share a text, as in an id", is_id)
    return LeftOut(f"it has {distinct} different texts, too many to be categories")


def _leave_out(column: str) -> Remedy:
    return Remedy("leave it out", "drop", [column])
