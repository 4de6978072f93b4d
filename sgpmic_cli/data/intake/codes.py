"""Recognise whole numbers that are names: identifiers of the rows, codes and dates."""

import re

import numpy as np

from sgpmic_cli.data.intake.notations import Notation
from sgpmic_cli.data.intake.raw_table import EXACT, Cells

MIN_ID_ROWS = 10  # a shorter column of different whole numbers may be a measurement
MIN_ID_DIGITS = 9  # of numbers that are identifiers whatever the column is called
# Last words of the names of columns. Numbers of the first kind are never quantities. Numbers of the
# second kind are identifiers if no two rows share one.
CODE = re.compile(
    "id|u?uid|guid|zip|zipcode|postal|postcode|plz|codes?|sku|isbn|ean|gtin|fips|phone|telephone"
    "|mobile|fax"
)
ID = re.compile(
    "key|index|row|rowid|serial|no|nr|num|number|respondent|participant|subject|patient|customer"
    "|client|person|user|member|employee|student|case|record|sample|order|invoice|account"
)
YEAR = re.compile("year|yr|jahr|année|anno|año")


def words_of(name: str) -> list[str]:
    """Split the name of a column into words.

    Examples
    --------
    >>> words_of("customerId"), words_of("Zip code"), words_of("humid")
    (['customer', 'id'], ['zip', 'code'], ['humid'])
    """
    return re.findall(r"[^\W_]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower())


def is_year(name: str) -> bool:
    """Return whether a column is called like a year."""
    return any(map(YEAR.fullmatch, words_of(name)))


def numbering_reason(values: np.ndarray, *, dates: bool) -> str | None:
    """Return why whole numbers or dates look like a count of the rows, or None."""
    steps = np.diff(values)
    if len(values) < MIN_ID_ROWS or not (steps > 0).all():
        return None
    few_gaps = steps.sum() <= 2 * len(steps)
    counts = dates or few_gaps or (steps == steps[0]).all()
    return "it rises from row to row, as a count or the time of a log" if counts else None


def code_reason(name: str, cells: Cells) -> str | None:
    """Return why whole numbers look like codes, or None."""
    words = words_of(name)
    if "id" in words or CODE.fullmatch(" ".join(words[-1:])):
        return "it is called like a code"
    if cells.raw.dtype.kind == "O" and any(re.match(r"0\d", text) for text in set(cells.texts)):
        return "its numbers have leading zeros, as codes have"
    if np.nanmax(np.abs(cells.numbers)) >= EXACT and not any("e" in text for text in cells.texts):
        return "its numbers have more digits than measurements have"
    return None


def identifier_reason(name: str, cells: Cells) -> str | None:
    """Return why whole numbers look like identifiers of the rows, or None."""
    low, high = np.nanmin(cells.numbers), np.nanmax(cells.numbers)
    last = " ".join(words_of(name)[-1:])
    named = CODE.fullmatch(last) or ID.fullmatch(last)
    digits = len(f"{low:.0f}")
    wide = low > 0 and digits == len(f"{high:.0f}") >= MIN_ID_DIGITS
    if len(cells.raw) < MIN_ID_ROWS or not (named or wide):
        return None
    texts = set(cells.texts)
    if len(texts) < len(cells.raw) or "" in texts:
        return None
    why = "it is called like an id" if named else f"all its values have {digits} digits"
    return f"{why} and no two rows share one"


def compact_dates(cells: Cells) -> Notation | None:
    """Return the notation of dates such as 20240131, if all numbers are dates."""
    known = ~np.isnan(cells.numbers)
    if ((cells.numbers[known] < 19000101) | (cells.numbers[known] > 20991231)).any():
        return None
    notation = Notation(date="%Y%m%d")
    return None if np.isnan(notation.read(cells.texts[known])).any() else notation
