"""Decide what each column of a table is: learn a recipe, or report a problem.

Whole numbers may be names: identifiers of the rows, codes and dates. A problem is a sentence.
"""

import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import skew

from sgpmic_cli.tables.notation import (
    COMPACT,
    ISO,
    MISSING,
    Notation,
    categories_of,
    find_notation,
    nearly_dates,
    numbers_of,
    texts_of,
)
from sgpmic_cli.tables.options import (
    TableOptions,
    invalid_cell,
    leave_out,
    listed,
    shown,
    unknown_column,
)
from sgpmic_cli.tables.read import Table
from sgpmic_cli.tables.recipe import Column, TableRecipe
from sgpmic_cli.text import as_option_value

EXACT = 2**53  # whole numbers up to here are exact as floats
MAX_CATEGORIES = 20  # of a text column; more would outweigh the other columns
GERMAN = Notation(",", ".")
OTHER = "other"  # the category of all further texts
MAX_MIXED = 10  # of a column of texts with as many or more numbers
CLASS_NAMES = frozenset({"label", "labels", "class", "target"})
AS_ASKED = "as asked"  # why a column is left out that the user named
WRITTEN = "sgpmic wrote it"  # why a column is left out of a table with earlier results
RESULTS = re.compile(  # the names of the last columns of table-with-clusters.csv
    r"(?:\n(?:sgpmic_)*cluster(?:\n\w*group)?\n\w*probability\n\w*typicality\n\w*unusual(?:\n\w*x\d+)+)+$"
)
# Numbers that often stand for missing values: 99, -99, 88, 999 and so on.
CODES = [sign * float(digit * n) for sign in (1, -1) for digit in "98" for n in range(2, 10)]
SKEWED = 3.0  # a note names columns of a larger skewness
MANY_MISSING = 0.2  # a note names columns that lack more of their values
INDEX_NAMES = ("column_1", "Unnamed: 0")  # of row names without a name
MIN_ID_ROWS = 10  # a shorter column of different whole numbers may be a measurement
NAMES = 0.99  # fraction of the texts that differ in a column that names the rows
MIN_ID_DIGITS = 9  # of numbers that are identifiers whatever the column is called
# Texts such as 5 kg, (3), 24:00 and Monday, 3 March 2024.
QUANTITY = re.compile(r"\W*\d|\w+[ ,.].*\b(18|19|20)\d\d\b")
WRITE = (
    "; if these are quantities or dates, write plain numbers, with the unit in the name of the "
    "column, or dates such as 2024-01-31"
)
# Last words of the names of columns. Numbers of the first kind are never quantities. Numbers of the
# second kind are identifiers if no two rows share one.
CODE = re.compile(
    r"id|u?uid|guid|zip|postal|plz|\w*codes?\d*|\w*types?|sku|isbn|ean|gtin|fips|phone|telephone"
    "|mobile|fax"
)
ID = re.compile(
    r"key|index|row|rowid|serial|no|nr|\w*num|number|respondent|participant|subject|patient|customer"
    "|client|person|user|member|employee|student|case|record|sample|order|invoice|account"
)


class LeftOut(NamedTuple):
    """A column that is not used, because it is an identifier of the rows or for another reason."""

    why: str
    is_id: bool = False


Decision = Column | LeftOut | str  # a problem


def learn_recipe(table: Table, options: TableOptions) -> tuple[TableRecipe, list[str]]:
    """Decide about every column. Return the recipe, and what cannot be decided.

    `encode_table` raises these problems together with those that it finds.
    """
    problems = [
        unknown_column(name, parameter, [*table.frame])
        for parameter in ("columns", "drop", "log")
        for name in getattr(options, parameter)
        if name not in table.frame
    ]
    used: list[Column] = []
    left_out: dict[str, str] = {}
    ids, found = list[str](), RESULTS.search("\n".join(table.frame))
    results = found[0].split("\n")[1:] if found else []
    for name in table.frame:
        if name == options.label:
            continue
        is_result = name in results and name not in options.columns
        decision = LeftOut(WRITTEN) if is_result else _decide(table, name, options)
        if isinstance(decision, str):
            problems.append(decision)
        elif isinstance(decision, LeftOut):
            left_out[name] = decision.why
            ids += [name] * decision.is_id
        elif decision.categories and options.numbers_only:
            left_out[name] = AS_ASKED
        elif name in options.log and (kind := decision.role.taken_as) != "numbers":
            problems.append(f"column {shown(name)} holds {kind}, which have no logarithms")
        else:
            used.append(_with_log(table, decision) if name in options.log else decision)
    if not problems and not used:
        reasons = [f"{shown(name)} ({why})" for name, why in left_out.items()] or ["all"]
        problems.append(
            f"there is no feature column to cluster by; left out are {', '.join(reasons[:8])}; "
            "add columns of numbers, or of texts that repeat, or name the separator (--separator)"
            + "".join(f"; {note.removesuffix('.')}" for note in table.notes)
        )
    recipe = TableRecipe(
        named=table.named,
        file_columns=tuple(table.frame),
        columns=tuple(used),
        label=options.label,
        id=min(ids, key=lambda name: _fraction_of_digits(table.frame[name]), default=None),
        left_out=left_out,
        format=replace(options.format, decimal=table.format.decimal or "."),
    )
    return recipe, problems


def decision_notes(recipe: TableRecipe) -> list[str]:
    """Describe the decisions that the user did not make."""
    notes = []
    if recipe.format.decimal == ",":
        notes.append("numbers are read with a decimal comma.")
    for name, why in recipe.left_out.items():
        if why not in (AS_ASKED, WRITTEN):
            carried = "; it names the rows in the output files" if name == recipe.id else ""
            notes.append(f"column {shown(name)} is left out: {why}{carried}.")
    if results := [name for name, why in recipe.left_out.items() if why == WRITTEN]:
        notes.append(f"columns that sgpmic wrote are left out: {listed(results)}.")
    same: dict[str, list[str]] = {}
    for column in recipe.columns:
        if column.notation:
            same.setdefault(column.notation.words, []).append(column.name)
    notes += [f"read as {words}: {listed(names)}." for words, names in same.items()]
    if logs := [column.name for column in recipe.columns if column.log is not None]:
        notes.append(f"logarithms are taken of: {listed(logs, MAX_CATEGORIES)}.")
    if texts := [column.name for column in recipe.columns if column.categories]:
        weight = "each column with the weight of one of numbers"
        notes.append(f"text and codes are encoded, {weight}: {listed(texts, MAX_CATEGORIES)}.")
    if cut := [column.name for column in recipe.columns if column.has_rest]:
        kept = f"the {MAX_CATEGORIES} most frequent texts are kept"
        notes.append(f"{kept}, and all further texts are the category {OTHER!r}: {listed(cut)}.")
    return notes


def doubts(recipe: TableRecipe, Y: np.ndarray) -> list[str]:
    """Describe what may be wrong in the features (N, P) of a table, and stays as it is."""
    notes, lacking, skewed = [], [], []
    first_features = np.unique(recipe.column_of_feature, return_index=True)[1]
    is_code = np.isin(Y, CODES)
    for column, j in zip(recipe.columns, first_features, strict=True):
        values, name = Y[:, j], shown(column.name)
        known = values[~np.isnan(values)]
        if (missing := 1 - len(known) / len(values)) > MANY_MISSING:
            lacking.append(f"{name} ({missing:.0%})")
        if column.role.taken_as != "numbers":
            continue
        if column.log is None and known.min() >= 0.0 and skew(known) > SKEWED:
            skewed.append(name)
        codes, counts = np.unique(values[is_code[:, j]], return_counts=True)
        others = known[~np.isin(known, codes)]
        low, high = others.min(initial=np.inf), others.max(initial=-np.inf)
        far = (counts > 1) & (np.maximum(low - codes, codes - high) > high - low)
        for code, n in zip(codes[far], counts[far], strict=True):
            where = f"column {name} has {code:g} in {n} rows, far from its other values"
            notes.append(f"{where}: leave such cells empty if it stands for missing values.")
    if skewed:
        where = f"{', '.join(skewed[:MAX_CATEGORIES])}"
        notes.append(f"a few rows have most of: {where}; their logarithms (--log) may show more.")
    if lacking:
        notes.append(f"many values are missing: {', '.join(lacking)}.")
    return notes


def _with_log(table: Table, column: Column) -> Column:
    """Return a column with logarithms, of numbers and the least positive number if some are 0."""
    values = column.encode(table.frame[column.name], table.format.decimal or ".")[0]
    positive = values[values > 0.0]
    shift = positive.min() if len(positive) and (values == 0.0).any() else 0.0
    return replace(column, log=float(shift))


def _decide(table: Table, name: str, options: TableOptions) -> Decision:
    """Decide whether and how a column is used."""
    asked = name in options.columns
    if name in options.drop or (options.columns and not asked):
        return LeftOut(AS_ASKED)
    is_last = name == table.frame.columns[-1]
    if is_last and not asked and options.label is None and name.lower() in CLASS_NAMES:
        # As a feature the column would reveal the classes, but its name alone is no proof.
        return (
            f"the last column is named {shown(name)}, so it may hold the classes; say that it "
            f"holds the classes (--label {as_option_value([name])}), {leave_out(name)}, or rename "
            "it if it is a feature"
        )
    column, decimal = table.frame[name], table.format.decimal or "."
    if name in table.categorical:
        return _decide_on_categories(name, categories_of(column), asked=asked)
    notation = Notation(date=ISO) if column.dtype.kind == "M" else None
    if table.format.separator == ";" and decimal == ".":
        # Points between thousands, as in 1.859 beside 900; with decimals it would be 900.000.
        texts = {text for text in texts_of(column) if text.lower() not in MISSING}
        if len({"." in text for text in texts}) == 2 and find_notation(texts, ",") == GERMAN:
            notation = GERMAN
    values, invalid = numbers_of(column, notation or Notation(decimal))
    if np.isnan(values).all() and not invalid.any():
        return LeftOut("it is empty")
    if invalid.any():
        notation = find_notation(set(texts_of(column)), decimal)
        if notation is None:
            return _decide_on_text(table, name, values, invalid, asked)
        values, _ = numbers_of(column, notation)
    if problem := table.too_large(name, values):
        return problem
    if asked and np.nanmin(values) < np.nanmax(values):
        return Column(name, notation)
    return _decide_on_numbers(column, values, notation)


def _decide_on_numbers(
    column: pd.Series, values: np.ndarray, notation: Notation | None
) -> Decision:
    """Decide whether numbers are quantities, dates, codes or identifiers of the rows."""
    name, known = str(column.name), ~np.isnan(values)
    # Codes with many digits may differ although their floating-point numbers are equal.
    if np.nanmin(values) == np.nanmax(values) < EXACT and len(values) > 1:
        return LeftOut(f"its only value is {shown(texts_of(column[known])[0])}")
    is_whole = bool((values[known] == np.round(values[known])).all())
    is_date = notation is not None and notation.date != ""
    if (is_whole or is_date) and (
        why := numbering_reason(values, dates=is_date, is_index=name in INDEX_NAMES)
    ):
        return LeftOut(why, is_id=bool((np.diff(values) > 0).all()))
    if is_whole and notation is None:
        if why := identifier_reason(column, values):
            return LeftOut(why, is_id=True)
        if why := code_reason(column, values):
            return _decide_on_categories(name, categories_of(column), why=f"{why}, and ")
        if notation := compact_dates(column, values):
            return Column(name, notation)
    return Column(name, notation)


def _decide_on_text(
    table: Table, name: str, values: np.ndarray, invalid: np.ndarray, asked: bool
) -> Decision:
    """Decide about a column in which some cells are not numbers."""
    cells = categories_of(table.frame[name])
    known = Counter(cells[cells != ""])
    # A word that is shared by rows among few values, which are shared as well, is no error.
    is_discrete = len(known) <= MAX_MIXED and min(known.values()) > 1
    kind = ""
    if not is_discrete and np.count_nonzero(~np.isnan(values)) >= invalid.sum():
        kind = "number"
    elif not is_discrete and (dates := nearly_dates(pd.unique(cells))):
        kind, (_, invalid) = dates.kind, numbers_of(table.frame[name], dates)
    if kind:
        row = int(invalid.argmax())
        problem = invalid_cell(table.place(row, name), cells[row], int(invalid.sum()), kind)
        return f"{problem}, or {leave_out(name)}"
    return _decide_on_categories(name, cells, asked=asked)


def _decide_on_categories(
    name: str, cells: np.ndarray, *, asked: bool = False, why: str = ""
) -> Decision:
    """Decide about a column of texts or codes, which the user may have `asked` for."""
    known = cells[cells != ""]
    counts = Counter(known)
    distinct = len(counts)
    most = MAX_CATEGORIES if asked else max(2, min(MAX_CATEGORIES, len(known) // 2))
    if distinct == 1:
        return LeftOut(f"its only value is {shown(known[0])}")
    if distinct <= most and (distinct < len(known) or asked):
        return Column(name, None, tuple(sorted(counts)))
    hint = WRITE * (not why and all(map(QUANTITY.match, counts)))
    if distinct >= NAMES * len(known):
        few = "no" if distinct == len(known) else "hardly any"
        is_id = len(known) == len(cells)
        return LeftOut(f"{why}{few} two rows share a value, as in an id{hint}", is_id)
    largest = sorted(counts, key=lambda text: (-counts[text], text))[:MAX_CATEGORIES]
    if 2 * sum(counts[text] for text in largest) >= len(known) >= 2 * distinct:
        return Column(name, None, (*sorted({*largest} - {OTHER}), OTHER), has_rest=True)
    return LeftOut(f"{why}it has {distinct} different values, too many to be categories{hint}")


def _fraction_of_digits(column: pd.Series) -> float:
    """Return the fraction of digits in the first texts of a column, in tenths."""
    text = "".join(texts_of(column.head(100)))
    return round(sum(map(str.isdigit, text)) / max(len(text), 1), 1)


def words_of(name: str) -> list[str]:
    """Split the name of a column such as customerId or Zip code into words in lower case."""
    return re.findall(r"[^\W_]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower())


def numbering_reason(values: np.ndarray, *, dates: bool, is_index: bool = False) -> str | None:
    """Return why whole numbers or dates look like a count of the rows, or None.

    Rising numbers with uneven and wide gaps may be a quantity by which the table is sorted, unless
    they name the rows (`is_index`).
    """
    steps = np.diff(values)
    if len(values) < MIN_ID_ROWS:
        return None
    if not (steps > 0).all():
        if dates:
            return None
        first = values[1:] == values.min()
        onward = steps[~first]
        # A count starts at 0 or 1, and a year does not. Runs have three or more values on average,
        # so that a flag does not count.
        restarts = len(onward) >= 2 * first.sum() and (onward == onward[0]).all() and onward[0] > 0
        restarts = restarts and values.min() in (0, 1)
        return "it counts up and starts again, as a count within groups" if restarts else None
    is_count = (steps == steps[0]).all() or values[-1] - values[0] < 2 * len(values)
    if not (dates or is_index or is_count):
        return None
    return "it rises from row to row, as a count or the time of a log"


def code_reason(column: pd.Series, values: np.ndarray) -> str | None:
    """Return why whole numbers look like codes, or None."""
    words = words_of(str(column.name))
    if "id" in words or CODE.fullmatch(" ".join(words[-1:])):
        return "its name suggests a code"
    if column.dtype.kind == "O" and any(re.match(r"0\d", text) for text in set(texts_of(column))):
        return "its numbers have leading zeros, as codes have"
    if np.nanmax(np.abs(values)) >= EXACT and not any("e" in text for text in texts_of(column)):
        return "its numbers have more digits than measurements have"
    return None


def identifier_reason(column: pd.Series, values: np.ndarray) -> str | None:
    """Return why whole numbers look like identifiers of the rows, or None."""
    low, high = np.nanmin(values), np.nanmax(values)
    last = " ".join(words_of(str(column.name))[-1:])
    named = CODE.fullmatch(last) or ID.fullmatch(last)
    digits = len(f"{low:.0f}")
    wide = low > 0 and digits == len(f"{high:.0f}") >= MIN_ID_DIGITS
    if len(column) < MIN_ID_ROWS or not (named or wide):
        return None
    texts = set(texts_of(column))
    if len(texts) < len(column) or "" in texts:
        return None
    why = "its name suggests an id" if named else f"all its values have {digits} digits"
    return f"{why} and no two rows share one"


def compact_dates(column: pd.Series, values: np.ndarray) -> Notation | None:
    """Return the notation of dates such as 20240131, if all numbers are dates."""
    if np.nanmin(values) < 19000101 or np.nanmax(values) > 20991231:
        return None
    notation = Notation(date=COMPACT)
    return None if numbers_of(column, notation)[1].any() else notation
