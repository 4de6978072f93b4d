"""Options whose value is a number, a range of numbers, or auto."""

import re
from typing import Literal

from sgpmic_cli.errors import UsageError

_RANGE = re.compile(r"(\d+)\s*(?:-|\.\.|:)\s*(\d+)")


def clusters(given: str | None) -> int | tuple[int, int] | Literal["auto"] | None:
    """A number, a range, auto, or nothing said.

    Examples
    --------
    >>> clusters("3"), clusters("2-8"), clusters("auto"), clusters(None)
    (3, (2, 8), 'auto', None)
    """
    if given is not None and (found := _RANGE.fullmatch(given.strip())):
        low, high = map(int, found.groups())
        return low, high
    return _number(
        given, f"clusters={given}: give a number such as 3, a range such as 2-8, or auto."
    )


def dimensions(given: str | None) -> int | Literal["auto"] | None:
    """A number, auto, or nothing said."""
    return _number(given, f"dims={given}: give a number such as 2, or auto.")


def _number(given: str | None, refusal: str) -> int | Literal["auto"] | None:
    if given is None:
        return None
    if given.strip().lower() == "auto":
        return "auto"
    try:
        return int(given)
    except ValueError:
        raise UsageError(refusal) from None
