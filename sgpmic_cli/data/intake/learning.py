"""A decision for every column of a raw table, and the recipe that follows from them; or everything that is wrong."""

from dataclasses import dataclass, field

import numpy as np

from sgpmic_cli.data.intake.cells import (
    MISSING_CLASS,
    is_date,
    is_dressed_number,
    is_id_name,
    to_number,
)
from sgpmic_cli.data.intake.columns import (
    NumberColumn,
    TextColumn,
    number_column,
    numbers,
    text_column,
    texts,
)
from sgpmic_cli.data.intake.options import TableOptions
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, leave_out, shown
from sgpmic_cli.data.intake.raw_table import RawTable
from sgpmic_cli.data.intake.recipe import (
    TableRecipe,
    classes_missing,
    holes_problem,
    not_a_number,
    not_finite,
    same_numbers,
    unknown_column,
    written,
)

MOST_CATEGORIES = (
    20  # texts that one column may have to be encoded; more would drown the other columns in zeros
)
FEWEST_COUNTED = 10  # rows from which on numbers that count up are taken for a count of the rows
LARGEST = 1e100  # squares of larger numbers, summed, leave the floating-point range
CLASS_NAMES = frozenset({"label", "labels", "class", "target"})


@dataclass(frozen=True)
class _NoCategories:
    """Why cells that are no numbers are not taken for categories."""

    problem: Problem
    is_text: bool = False  # and goes where text is left out


@dataclass
class _Decisions:
    """What has been decided so far."""

    used: list[NumberColumn | TextColumn] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    like_ids: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def learn_recipe(table: RawTable, options: TableOptions) -> TableRecipe:
    """Decide on every column; a table with anything wrong is a `TableError` that names all of it."""
    done = _Decisions()
    done.problems += _wrong_names(table, options)
    _decide_on_classes(table, options, done)
    for name in table.columns:
        if name in (options.label, options.id):
            continue
        if name in options.drop or (options.columns and name not in options.columns):
            done.left_out[name] = "as asked"
            continue
        _decide(table, name, options, done)
    if options.missing == "error" and done.used:
        names = [column.name for column in done.used]
        holes = np.column_stack([_holes(table, column) for column in done.used])
        if holes.any():
            done.problems.append(holes_problem(table, names, holes))
    if not done.problems and sum(len(column.feature_names) for column in done.used) < 2:
        done.problems.append(_too_few(done))
    if done.problems:
        raise TableError(table.path, done.problems)
    return TableRecipe(
        named=table.named,
        file_columns=tuple(table.columns),
        columns=tuple(done.used),
        missing=options.missing,
        label=options.label,
        id=options.id or (done.like_ids[0] if done.like_ids else None),
        left_out=done.left_out,
        format=options.format,
    )


def notes_on(recipe: TableRecipe) -> list[str]:
    """What a person should know of the decisions that were made for them."""
    notes = []
    for name, why in recipe.left_out.items():
        if why != "as asked":
            carried = "; it names the rows in what is written" if name == recipe.id else ""
            notes.append(f"column {shown(name)} is left out: {why}{carried}.")
    encoded = [column for column in recipe.columns if isinstance(column, TextColumn)]
    if encoded:
        parts = ", ".join(
            f"{shown(column.name)} ({len(column.categories)} values)" for column in encoded
        )
        notes.append(
            f"text is encoded, each column with half the variance of one of numbers: {parts}."
        )
    return notes


def _wrong_names(table: RawTable, options: TableOptions) -> list[Problem]:
    asked = [("label", options.label), ("id", options.id)]
    asked += [("columns", name) for name in options.columns] + [
        ("drop", name) for name in options.drop
    ]
    there = {None, *table.columns}
    problems = [
        unknown_column(name, by, table)
        for by, name in asked
        if name is not None and name not in there
    ]
    for parameter, name in asked[:2]:
        if name is not None and name in (*options.columns, *options.drop):
            other = "columns" if name in options.columns else "drop"
            problems.append(
                Problem(
                    f"column {shown(name)} is named by {parameter} and by {other}; name it once"
                )
            )
    both = sorted(set(options.columns) & set(options.drop))
    problems += [
        Problem(f"column {shown(name)} is named by columns and by drop; name it once")
        for name in both
    ]
    return problems


def _decide_on_classes(table: RawTable, options: TableOptions, done: _Decisions) -> None:
    last = table.columns[-1]
    if options.label is None:
        settled = (*options.columns, *options.drop, options.id)
        if last.lower() in CLASS_NAMES and last not in settled and not options.columns:
            # As a feature it would give the answer away; as classes it would be a guess.
            done.problems.append(
                Problem(
                    f"the last column is named {shown(last)}, as classes are",
                    (
                        Remedy("say that it holds the classes", "label", last),
                        leave_out(last),
                        Remedy("rename it if it is a feature"),
                    ),
                )
            )
        return
    if options.label not in table.columns:
        return
    classes = [written(cell) for cell in table.cells[options.label]]
    holes = np.array([cell in MISSING_CLASS for cell in classes])
    if holes.any():
        done.problems.append(classes_missing(table, options.label, holes))
    elif len(classes) > 1 and len(set(same_numbers(classes))) < 2:
        done.problems.append(
            Problem(
                f"column {shown(options.label)} holds one class only ({shown(classes[0])})",
                (Remedy("name a column with two or more classes, or none"),),
            )
        )


def _decide(table: RawTable, name: str, options: TableOptions, done: _Decisions) -> None:
    cells = table.cells[name]
    values, wrong = numbers(cells, table.decimal)
    there = ~np.isnan(values)
    if not there.any() and not wrong.any():
        done.left_out[name] = "it is empty"
    elif not wrong.any():
        _decide_on_numbers(table, name, values, options, done)
    else:
        found = _no_categories(table, name, cells, there, wrong, options)
        if found is None:
            _decide_on_text(name, texts(cells), options, done)
        elif found.is_text and options.encode == "drop":
            done.left_out[name] = "it is text"
        else:
            done.problems.append(found.problem)


def _decide_on_numbers(
    table: RawTable, name: str, values: np.ndarray, options: TableOptions, done: _Decisions
) -> None:
    seen = values[~np.isnan(values)]
    if not np.isfinite(seen).all():
        done.problems.append(not_finite(table, name, np.isinf(values)))
    elif np.abs(seen).max() > LARGEST:
        row = int(np.nanargmax(np.abs(values)))
        what = (
            f"{table.place(row)}, column {shown(name)}: {values[row]:g} is too large to be squared"
        )
        done.problems.append(
            Problem(what, (Remedy("divide the column by a constant"), leave_out(name)))
        )
    elif name not in options.columns and (why := _like_an_id(name, values)):
        done.left_out[name] = why
        done.like_ids.append(name)
    else:
        done.used.append(number_column(name, values))


def _like_an_id(name: str, values: np.ndarray) -> str | None:
    """Why whole numbers look like a name of the rows, if they do."""
    if len(values) < FEWEST_COUNTED or np.isnan(values).any() or (values != np.round(values)).any():
        return None
    if values[0] in (0.0, 1.0) and (np.diff(values) == 1.0).all():
        return "it counts the rows"
    if is_id_name(name) and len(np.unique(values)) == len(values):
        return "it is called like an id and no two rows share a value"
    return None


def _no_categories(
    table: RawTable,
    name: str,
    cells: np.ndarray,
    there: np.ndarray,
    wrong: np.ndarray,
    options: TableOptions,
) -> _NoCategories | None:
    """What else than categories the cells of a column are that are no numbers."""
    strange = sorted(set(cells[wrong]))
    row = int(wrong.argmax())

    def holding(what: str, *ways: Remedy) -> Problem:
        return Problem(
            f"column {shown(name)} holds {what} such as {shown(cells[row])} in {table.place(row)}",
            ways,
        )

    other, sign = (",", "comma") if table.decimal == "." else (".", "point")
    if all(to_number(cell, other) is not None for cell in strange):
        say_so = Remedy("say so", "decimal", other)
        return _NoCategories(
            holding(
                f"numbers with a decimal {sign}", say_so, Remedy("write them with the other sign")
            )
        )
    if all(map(is_date, strange)):
        convert = Remedy("turn them into numbers, such as days since the first")
        return _NoCategories(holding("dates or times", convert, leave_out(name)), is_text=True)
    if all(map(is_dressed_number, strange)):
        plain = Remedy("write plain numbers")
        return _NoCategories(
            holding("numbers with signs in or around them", plain, leave_out(name))
        )
    if there.sum() >= wrong.sum():
        found = not_a_number(table, name, cells, wrong)
        return _NoCategories(Problem(found.what, (*found.remedies, leave_out(name))))
    if options.encode == "error":
        encode, classes = (
            Remedy("encode it", "encode", "one-hot"),
            Remedy("name it as the classes", "label", name),
        )
        return _NoCategories(holding("text", encode, leave_out(name), classes))
    if options.encode == "drop":
        return _NoCategories(holding("text"), is_text=True)
    return None


def _decide_on_text(name: str, cells: np.ndarray, options: TableOptions, done: _Decisions) -> None:
    there = cells[cells != ""]
    distinct = len(set(there))
    most = (
        MOST_CATEGORIES
        if name in options.columns
        else max(2, min(MOST_CATEGORIES, len(there) // 2))
    )
    if distinct == 1:
        done.left_out[name] = f"its only text is {shown(there[0])}"
    elif distinct <= most and (distinct < len(there) or name in options.columns):
        done.used.append(text_column(name, cells))
    elif name in options.columns:
        done.problems.append(
            Problem(
                f"column {shown(name)} has {distinct} different texts, and at most {MOST_CATEGORIES} are encoded",
                (
                    Remedy("join some of them"),
                    Remedy("name it as the id", "id", name),
                    Remedy("do not ask for it"),
                ),
            )
        )
    elif distinct == len(there):
        done.left_out[name] = "no two rows share a text, as in an id"
        if len(there) == len(cells):
            done.like_ids.append(name)
    else:
        done.left_out[name] = f"it has {distinct} different texts, too many to be categories"


def _holes(table: RawTable, column: NumberColumn | TextColumn) -> np.ndarray:
    block, _ = column.encoded(table.cells[column.name], table.decimal)
    return np.isnan(block[:, 0])  # a row of categories is known or missing as a whole


def _too_few(done: _Decisions) -> Problem:
    reasons = [f"{shown(name)} ({why})" for name, why in done.left_out.items()]
    n = "no" if not done.used else "one"
    others = f"; left out are {', '.join(reasons[:8])}" if reasons else ""
    return Problem(
        f"there is {n} feature column to cluster by, and at least two are needed{others}"
    )
