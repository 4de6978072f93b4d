"""Learn a recipe from a raw table: decide what each column is, or report all problems."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from sgpmic_cli.data.intake.columns import (
    Column,
    NumberColumn,
    TextColumn,
    is_date,
    is_formatted_number,
    is_id_name,
    numbers,
    texts,
    to_number,
)
from sgpmic_cli.data.intake.options import TableOptions
from sgpmic_cli.data.intake.problems import (
    Problem,
    Remedy,
    TableError,
    class_missing,
    leave_out,
    not_a_number,
    not_finite,
    shown,
    unknown_column,
)
from sgpmic_cli.data.intake.raw_table import RawTable
from sgpmic_cli.data.intake.recipe import TableRecipe, first_missing, read_classes, unify_numbers

MAX_CATEGORIES = 20  # of a text column; more would outweigh the other columns
MIN_ID_ROWS = 10  # a shorter column of consecutive numbers may be a measurement
MAX_VALUE = 1e100  # sums of squares of larger numbers overflow
CLASS_NAMES = frozenset({"label", "labels", "class", "target"})
AS_ASKED = "as asked"  # why a column is left out that the user named


def learn_recipe(table: RawTable, options: TableOptions) -> TableRecipe:
    """Decide about every column. Raise TableError with all problems of the table."""
    return _Learner(table, options).learn()


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


@dataclass
class _Learner:
    """The decisions about the columns of one table."""

    table: RawTable
    options: TableOptions
    used: list[Column] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    identifiers: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def learn(self) -> TableRecipe:
        table, options = self.table, self.options
        self._check_names()
        self._check_classes()
        for name in table.columns:
            if name in (options.label, options.id):
                continue
            if name in options.drop or (options.columns and name not in options.columns):
                self.left_out[name] = AS_ASKED
            else:
                self._decide(name)
        if options.missing == "error":
            self._check_missing()
        if not self.problems and sum(len(column.feature_names) for column in self.used) < 2:
            self.problems.append(self._too_few_columns())
        if self.problems:
            raise TableError(table.path, self.problems)
        return TableRecipe(
            named=table.named,
            file_columns=tuple(table.columns),
            columns=tuple(self.used),
            missing=options.missing,
            label=options.label,
            id=options.id or (self.identifiers[0] if self.identifiers else None),
            left_out=self.left_out,
            format=options.format,
        )

    def _check_names(self) -> None:
        """Report unknown names and names that two options contain."""
        options, columns = self.options, self.table.columns
        given = {
            "label": [] if options.label is None else [options.label],
            "id": [] if options.id is None else [options.id],
            "columns": options.columns,
            "drop": options.drop,
        }
        for parameter, names in given.items():
            self.problems += [
                unknown_column(name, parameter, columns) for name in names if name not in columns
            ]
        for one, other in combinations(given, 2):
            self.problems += [
                Problem(f"column {shown(name)} is named by {one} and by {other}; name it once")
                for name in sorted(set(given[one]) & set(given[other]))
            ]

    def _check_classes(self) -> None:
        table, options = self.table, self.options
        if options.label is None:
            last = table.columns[-1]
            named = {*options.drop, options.id}
            if last.lower() in CLASS_NAMES and last not in named and not options.columns:
                # As a feature the column would give the answer away; as classes it is a guess.
                self._report(
                    f"the last column is named {shown(last)}, as classes are",
                    Remedy("say that it holds the classes", "label", last),
                    leave_out(last),
                    "rename it if it is a feature",
                )
        elif options.label in table.cells:
            classes, missing = read_classes(table, options.label)
            if missing.any():
                place = table.place(int(missing.argmax()), options.label)
                self.problems.append(class_missing(place, int(missing.sum())))
            elif len(classes) > 1 and len(set(unify_numbers(classes))) < 2:
                self._report(
                    f"column {shown(options.label)} holds one class only ({shown(classes[0])})",
                    "name a column with two or more classes, or none",
                )

    def _decide(self, name: str) -> None:
        cells = self.table.cells[name]
        values, invalid = numbers(cells, self.table.decimal)
        known = ~np.isnan(values)
        if invalid.any():
            self._decide_on_text(name, cells, n_numbers=int(known.sum()), invalid=invalid)
        elif known.any():
            self._decide_on_numbers(name, values)
        else:
            self.left_out[name] = "it is empty"

    def _decide_on_numbers(self, name: str, values: np.ndarray) -> None:
        magnitude = np.nan_to_num(np.abs(values), nan=0.0, posinf=np.inf)
        row = int(magnitude.argmax())
        place = self.table.place(row, name)
        if np.isinf(magnitude[row]):
            self.problems.append(not_finite(place))
        elif magnitude[row] > MAX_VALUE:
            what = f"{place}: {values[row]:g} is too large to be squared"
            self._report(what, "divide the column by a constant", leave_out(name))
        elif name not in self.options.columns and (why := _identifier_reason(name, values)):
            self.left_out[name] = why
            self.identifiers.append(name)
        else:
            self.used.append(NumberColumn.learn(name, values))

    def _decide_on_text(
        self, name: str, cells: np.ndarray, *, n_numbers: int, invalid: np.ndarray
    ) -> None:
        """Decide about a column in which some cells are not numbers."""
        row = int(invalid.argmax())
        distinct = sorted(set(cells[invalid]))
        example = f"such as {shown(cells[row])} in {self.table.place(row)}"
        column, encode = f"column {shown(name)} holds", self.options.encode
        other, sign = (",", "comma") if self.table.decimal == "." else (".", "point")
        if all(to_number(text, other) is not None for text in distinct):
            self._report(
                f"{column} numbers with a decimal {sign} {example}",
                Remedy("say so", "decimal", other),
                "write them with the other sign",
            )
        elif encode == "drop" and all(map(is_date, distinct)):
            self.left_out[name] = "it is text"
        elif all(map(is_date, distinct)):
            self._report(
                f"{column} dates or times {example}",
                "turn them into numbers, such as days since the first",
                leave_out(name),
            )
        elif all(map(is_formatted_number, distinct)):
            what = f"{column} numbers with signs in or around them {example}"
            self._report(what, "write plain numbers", leave_out(name))
        elif n_numbers >= invalid.sum():
            found = not_a_number(self.table.place(row, name), cells[row], int(invalid.sum()))
            self._report(found.what, *found.remedies, leave_out(name))
        elif encode == "error":
            self._report(
                f"{column} text {example}",
                Remedy("encode it", "encode", "one-hot"),
                leave_out(name),
                Remedy("name it as the classes", "label", name),
            )
        elif encode == "drop":
            self.left_out[name] = "it is text"
        else:
            self._decide_on_categories(name, texts(cells))

    def _decide_on_categories(self, name: str, cells: np.ndarray) -> None:
        known = cells[cells != ""]
        distinct = len(set(known))
        asked = name in self.options.columns
        most = MAX_CATEGORIES if asked else max(2, min(MAX_CATEGORIES, len(known) // 2))
        if distinct == 1:
            self.left_out[name] = f"its only text is {shown(known[0])}"
        elif distinct <= most and (distinct < len(known) or asked):
            self.used.append(TextColumn.learn(name, cells))
        elif asked:
            self._report(
                f"column {shown(name)} has {distinct} different texts, and at most "
                f"{MAX_CATEGORIES} are encoded",
                "join some of them",
                Remedy("name it as the id", "id", name),
                "do not ask for it",
            )
        elif distinct == len(known):
            self.left_out[name] = "no two rows share a text, as in an id"
            if len(known) == len(cells):
                self.identifiers.append(name)
        else:
            self.left_out[name] = f"it has {distinct} different texts, too many to be categories"

    def _report(self, what: str, *remedies: Remedy | str) -> None:
        self.problems.append(Problem(what, remedies))

    def _check_missing(self) -> None:
        masks = [
            np.isnan(column.encode(self.table.cells[column.name], self.table.decimal)[0][:, 0])
            for column in self.used
        ]
        if masks and (missing := np.column_stack(masks)).any():
            names = [column.name for column in self.used]
            self.problems.append(first_missing(self.table, names, missing))

    def _too_few_columns(self) -> Problem:
        reasons = [f"{shown(name)} ({why})" for name, why in self.left_out.items()]
        others = f"; left out are {', '.join(reasons[:8])}" if reasons else ""
        return Problem(
            f"there is {'one' if self.used else 'no'} feature column to cluster by, and at least "
            f"two are needed{others}"
        )


def _identifier_reason(name: str, values: np.ndarray) -> str | None:
    """Return why a column of numbers looks like an identifier of the rows, or None."""
    if len(values) < MIN_ID_ROWS or np.isnan(values).any() or (values != np.round(values)).any():
        return None
    if values[0] in (0.0, 1.0) and (np.diff(values) == 1.0).all():
        return "it counts the rows"
    if is_id_name(name) and len(np.unique(values)) == len(values):
        return "it is called like an id and no two rows share a value"
    return None
