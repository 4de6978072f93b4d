"""Escape text of users for terminals, HTML, Markdown and shells."""

import csv
import difflib
import io
import shlex
import unicodedata
from collections.abc import Iterable, Sequence

LONGEST = 300  # characters of a name or a cell in a message
# Of CSV files: a carriage return in a cell is quoted only if the line end has one.
LINE_END = "\r\n"


def printable(text: str, keep: str = "") -> str:
    """Write control characters as escape codes, except for those in `keep`."""
    return "".join(each if each in keep or _is_printable(each) else _escape(each) for each in text)


def for_html(text: str) -> str:
    """Write control characters as escape codes, except for line breaks and tabs."""
    return printable(text, keep="\n\t")


def for_terminal(text: str) -> str:
    """Return printable text, shortened if it is very long."""
    return shortened(printable(text), 20 * LONGEST)


def shortened(text: str, most: int = LONGEST) -> str:
    """Keep the beginning and the end of a text that is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def as_option_value(names: Sequence[str]) -> str:
    """Return a comma-separated list that a shell passes to an option as one word.

    Examples
    --------
    >>> as_option_value(["home town", "age"])
    "'home town,age'"
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return shlex.quote(line.getvalue())


def nearest(word: str, candidates: Iterable[str]) -> str:
    """Return ' (did you mean X?)' for the closest candidate, or an empty string."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[close[0]]!r}?)" if close else ""


def _is_printable(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
