"""Options for reading a table, and problems of a table with the options that solve them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest


@dataclass(frozen=True)
class TextFormat:
    """Format of a text file.

    Parameters
    ----------
    separator : str or None, default=None
        Separator of the cells: one character, or "tab". None detects comma, semicolon, tab or
        vertical bar.
    decimal : str or None, default=None
        Decimal separator, "." or ",". None detects it.
    encoding : str or None, default=None
        Name of the encoding, such as "latin-1". None detects UTF-8, cp1252, and UTF-16 with a
        byte order mark.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None:
            separator = "\t" if self.separator in ("tab", "\\t") else self.separator
            object.__setattr__(self, "separator", separator)
            if len(separator) != 1 or separator in '"\r\n.+-' or separator.isalnum():
                raise UsageError(
                    f"--separator {self.separator!r}: give one character such as ';', or tab"
                )
        if self.decimal not in (None, ".", ","):
            raise UsageError(f"--decimal {self.decimal!r}: give '.' or ','")


@dataclass(frozen=True)
class TableOptions:
    """Meaning of the columns of a table.

    Parameters
    ----------
    label : str or None
        Column that holds the classes. It is not clustered; scores are computed with it.
    id : str or None
        Column that names the rows. It is not clustered and appears in all output tables. None
        selects the first column that looks like an identifier, if there is one.
    columns : tuple of str
        Columns to use; empty for all that can be used.
    drop : tuple of str
        Columns to leave out.
    format : TextFormat
        Format of the file.
    all_classes : bool
        Whether every row must have a class, and the column more than one.
    """

    label: str | None = None
    id: str | None = None
    columns: Sequence[str] = ()
    drop: Sequence[str] = ()
    format: TextFormat = field(default_factory=TextFormat)
    all_classes: bool = True

    def __post_init__(self) -> None:
        for parameter in ("columns", "drop"):
            given = getattr(self, parameter)
            names = [given] if isinstance(given, str) else () if given is None else given
            object.__setattr__(self, parameter, tuple(map(str, names)))  # as columns are named


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
    """Return the problem of `n` cells that are not of a kind, such as "date", first `cell`."""
    more = f", nor are {n - 1} further cells of the column" if n > 1 else ""
    what = f"{where}: {shown(cell)} is not a {kind}{more}"
    return Problem(what, ["correct such cells or leave them empty", *remedies])
