"""Problems of a table, all reported in one error, and the options that solve them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest

MAX_SHOWN = 40  # characters of a cell or a name that a message shows

Value = str | list[str]  # a list for parameters that take several names
Spelling = Callable[[str, Value], str | None]


class Remedy(NamedTuple):
    """A parameter value that solves a problem."""

    words: str
    parameter: str
    value: Value


class Problem(NamedTuple):
    """A problem and its solutions: parameter values, or advice on how to change the file."""

    what: str
    remedies: Sequence[Remedy | str] = ()

    def message(self, spelling: Spelling) -> str:
        """Describe the problem. Omit remedies whose parameter `spelling` maps to None."""
        ways = []
        for remedy in self.remedies:
            if isinstance(remedy, str):
                ways.append(remedy)
            elif (spelled := spelling(remedy.parameter, remedy.value)) is not None:
                ways.append(f"{remedy.words} ({spelled})")
        return f"{self.what}; {', or '.join(ways)}" if ways else self.what


class TableError(UsageError):
    """A table that cannot be used, with all its problems."""

    def __init__(self, table: str, problems: Sequence[Problem]):
        super().__init__(table, problems)
        self.table, self.problems = table, problems

    def __str__(self) -> str:
        return self.message(lambda parameter, value: f"{parameter}={value!r}")

    def message(self, spelling: Spelling) -> str:
        """Describe all problems in one sentence, with parameters written as `spelling` returns."""
        messages = [problem.message(spelling) for problem in self.problems]
        if len(messages) == 1:
            return f"{self.table}: {messages[0]}"
        numbered = " ".join(f"({i}) {one}." for i, one in enumerate(messages, 1))
        return f"{self.table} has {len(messages)} problems: {numbered}"

    def remedy(self, spelling: Spelling) -> str | None:
        """Return parameters that settle all problems, or None if one problem has no parameter."""
        found = []
        for problem in self.problems:
            known = (each for each in problem.remedies if isinstance(each, Remedy))
            spelled = (spelling(each.parameter, each.value) for each in known)
            found.append(next(filter(None, spelled), None))
        return None if None in found else " ".join(dict.fromkeys(map(str, found)))


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
    """Return the remedy that leaves a column out."""
    return Remedy("leave it out", "drop", [column])


def unknown_column(name: str, parameter: str, columns: Sequence[str]) -> Problem:
    """Return the problem of a name that no column has."""
    return Problem(
        f"there is no column {shown(name)} for {parameter}{nearest(name, columns)}; "
        f"its columns are {listed(columns, 20)}"
    )


def invalid_cell(where: str, cell: str, n: int, kind: str, *remedies: Remedy) -> Problem:
    """Return the problem of `n` cells that are not of a kind, "number" or "date", first `cell`."""
    more = f", nor are {n - 1} further cells of the column" if n > 1 else ""
    what = f"{where}: {shown(cell)} is not a {kind}{more}"
    return Problem(what, [f"write {kind}s or leave the cells empty", *remedies])
