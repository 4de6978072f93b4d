"""Problems of a table, all reported in one error, and the parameters that solve them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sgpmic_cli.data.registry import nearest
from sgpmic_cli.errors import UsageError

MAX_SHOWN = 40  # characters of a cell or a name that a message shows

Spelling = Callable[[str, Any], str | None]


@dataclass(frozen=True)
class Remedy:
    """One solution: words, and the parameter with its value unless the file must be changed."""

    words: str
    parameter: str | None = None
    value: Any = None  # a list for parameters that take several values


@dataclass(frozen=True)
class Problem:
    """One problem and its possible solutions."""

    what: str
    remedies: tuple[Remedy, ...] = ()

    def said(self, spelling: Spelling) -> str:
        """Describe the problem. Omit remedies whose parameter `spelling` maps to None."""
        ways = []
        for remedy in self.remedies:
            if remedy.parameter is None:
                ways.append(remedy.words)
            elif (spelled := spelling(remedy.parameter, remedy.value)) is not None:
                ways.append(f"{remedy.words} ({spelled})")
        return f"{self.what}; {', or '.join(ways)}" if ways else self.what


class TableError(UsageError):
    """A table that cannot be used, with all its problems."""

    def __init__(self, table: str, problems: Sequence[Problem]):
        self.table = table
        self.problems = tuple(problems)
        super().__init__(self.said(lambda parameter, value: f"{parameter}={value!r}"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.table, self.problems)

    def said(self, spelling: Spelling) -> str:
        """Describe all problems in one sentence, with parameters written as `spelling` returns."""
        told = [problem.said(spelling) for problem in self.problems]
        if len(told) == 1:
            return f"{self.table}: {told[0]}"
        numbered = " ".join(f"({i}) {one}." for i, one in enumerate(told, 1))
        return f"{self.table} has {len(told)} problems: {numbered}"


def shown(text: str) -> str:
    """Quote a cell or a name, escape control characters and shorten long texts."""
    return repr(text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…")


def listed(names: Sequence[str], most: int = 5) -> str:
    """Quote the first names of a list."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more


def plural(n: int, noun: str) -> str:
    """Return the number with its noun, such as '2 values'."""
    return f"{n} {noun}{'s' * (n != 1)}"


USE_MEDIAN = Remedy("fill in medians", "missing", "median")
DROP_ROWS = Remedy("leave such rows out", "missing", "drop")


def leave_out(column: str) -> Remedy:
    """Return the remedy that applies to every column."""
    return Remedy("leave it out", "drop", [column])


def unknown_column(name: str, parameter: str, columns: Sequence[str]) -> Problem:
    """Report a name that no column has."""
    return Problem(
        f"there is no column {shown(name)} for {parameter}{nearest(name, columns)}; "
        f"its columns are {listed(columns, 20)}"
    )


def not_a_number(place: str, name: str, cell: str, n: int) -> Problem:
    """Report `n` cells of a number column that are not numbers; the first is `cell`."""
    more = f", nor are {n - 1} further cells of the column" if n > 1 else ""
    what = f"{place}, column {shown(name)}: {shown(cell)} is not a number{more}"
    return Problem(what, (Remedy("write numbers or leave the cells empty"),))


def not_finite(place: str, name: str) -> Problem:
    """Report an infinite value."""
    what = f"{place}, column {shown(name)}: the value is not finite"
    return Problem(what, (Remedy("put a number there or leave the cell empty"),))


def class_missing(place: str, name: str, n: int) -> Problem:
    """Report `n` rows without a class."""
    more = f", as it is in {n - 1} more rows" if n > 1 else ""
    what = f"{place}, column {shown(name)}: the class is missing{more}"
    return Problem(what, (Remedy("fill it in or remove the row"),))


def value_missing(place: str, name: str, n: int) -> Problem:
    """Report `n` missing values, the first at `place`."""
    first = f"{place}, column {shown(name)}"
    some = f"{n} values are missing, the first in {first}"
    what = f"{first}: the value is missing" if n == 1 else some
    return Problem(what, (USE_MEDIAN, DROP_ROWS, Remedy("fill them in")))
