"""Options for reading a table, and sentences about problems of a table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import as_option_value, nearest

MAX_SHOWN = 40  # characters of a cell or a name that a message shows


@dataclass(frozen=True)
class TextFormat:
    """Format of a text file. What is None is detected."""

    separator: str | None = None  # one character, or "tab"
    decimal: str | None = None  # "." or ","
    encoding: str | None = None  # such as "latin-1"

    def __post_init__(self) -> None:
        if self.separator is not None:
            separator = "\t" if self.separator in ("tab", "\\t") else self.separator
            object.__setattr__(self, "separator", separator)
            if len(separator) != 1 or separator in '"\r\n.+-' or separator.isalnum():
                raise UsageError(
                    f"--separator {self.separator!r}: give one character such as ';', or tab"
                )


@dataclass(frozen=True)
class TableOptions:
    """Meaning of the columns of a table."""

    label: str | None = None  # holds the classes, which are not clustered, for the scores
    columns: Sequence[str] = ()  # to use; empty for all that can be used
    drop: Sequence[str] = ()  # to leave out
    log: Sequence[str] = ()  # whose logarithms the model sees
    numbers_only: bool = False  # whether categories are left out
    format: TextFormat = TextFormat()
    all_classes: bool = True  # whether every row must have a class

    def __post_init__(self) -> None:
        for parameter in ("columns", "drop", "log"):
            given = getattr(self, parameter)
            names = [given] if isinstance(given, str) else () if given is None else given
            object.__setattr__(self, parameter, tuple(map(str, names)))  # as columns are named


def table_error(table: str, problems: Sequence[str]) -> UsageError:
    """Return the error of a table that cannot be used, with all its problems in one sentence."""
    if len(problems) == 1:
        return UsageError(f"{table}: {problems[0]}")
    numbered = " ".join(f"({i}) {problem}." for i, problem in enumerate(problems, 1))
    return UsageError(f"{table} has {len(problems)} problems: {numbered}")


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


def leave_out(column: str) -> str:
    """Return the hint to leave a column out."""
    return f"leave it out (--drop {as_option_value([column])})"


def unknown_column(name: str, parameter: str, columns: Sequence[str]) -> str:
    """Return the problem of a name that no column has."""
    return (
        f"there is no column {shown(name)} for {parameter}{nearest(name, columns)}; "
        f"its columns are {listed(columns, 20)}"
    )


def invalid_cell(where: str, cell: str, n: int, kind: str) -> str:
    """Return the problem of `n` cells that are not of a kind, such as "date", first `cell`."""
    more = f", nor are {n - 1} further cells of the column" if n > 1 else ""
    hint = "correct such cells or leave them empty"
    if kind == "number" and re.fullmatch(r"[-+]?\d*[.,]\d+", cell):
        hint = "its decimal separator is not that of the table or of the model; replace it"
    return f"{where}: {shown(cell)} is not a {kind}{more}; {hint}"
