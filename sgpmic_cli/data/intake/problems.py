"""What is wrong with a table, everything at once, and which parameter puts each thing right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sgpmic_cli.errors import UsageError

LONGEST = 40  # characters of a cell or a name that a sentence shows

Spelling = Callable[[str, Any], str | None]


@dataclass(frozen=True)
class Remedy:
    """One way out: in words, with the parameter that takes it, or by a change of the file (no parameter)."""

    words: str
    parameter: str | None = None
    value: Any = None  # a list for parameters that take several


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and the ways out."""

    what: str
    remedies: tuple[Remedy, ...] = ()

    def said(self, spelling: Spelling) -> str:
        """The problem in words; a way out whose parameter has no spelling is not mentioned."""
        ways = []
        for remedy in self.remedies:
            spelled = None if remedy.parameter is None else spelling(remedy.parameter, remedy.value)
            if remedy.parameter is None:
                ways.append(remedy.words)
            elif spelled is not None:
                ways.append(f"{remedy.words} ({spelled})")
        return f"{self.what}; {', or '.join(ways)}" if ways else self.what


class TableError(UsageError):
    """A table that cannot be used as it is, with all that must change."""

    def __init__(self, table: str, problems: Sequence[Problem]):
        self.table = table
        self.problems = tuple(problems)
        super().__init__(self.said(as_argument))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.table, self.problems)

    def said(self, spelling: Spelling) -> str:
        """All problems in one sentence, with parameters spelled as `spelling` does."""
        told = [problem.said(spelling) for problem in self.problems]
        if len(told) == 1:
            return f"{self.table}: {told[0]}"
        return f"{self.table} has {len(told)} problems: " + " ".join(
            f"({i}) {one}." for i, one in enumerate(told, 1)
        )


def as_argument(parameter: str, value: Any) -> str:
    """A parameter as Python spells it."""
    return f"{parameter}={value!r}"


def shown(text: str) -> str:
    """A cell or a name in quotes, control characters escaped, long ones shortened."""
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in quotes; of many, the first."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more


def leave_out(*columns: str) -> Remedy:
    """The way out that every column has."""
    return Remedy("leave it out" if len(columns) == 1 else "leave them out", "drop", list(columns))
