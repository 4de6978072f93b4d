"""What one cell says: a number, nothing, a date, a number in another country's writing, or a word."""

import re

MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"})
MISSING_TEXT = MISSING - {"none"}  # a category may well be called none
MISSING_CLASS = frozenset({"", "?"})  # and a class anything

_ID = re.compile(
    r"(?i:(.*[_. -])?(id|uid|uuid|guid|key|index|row|rowid|row[_ ]?(number|no|nr)|serial))|.*[a-z]I[Dd]"  # customerId
)

_DATE = re.compile(
    r"""(?xi)
    \d{4}[-/.]\d{1,2}[-/.]\d{1,2} ([T\ ]\d{1,2}:\d{2}.*)?    # 2024-01-31, 2024-01-31T12:00
    | \d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}) (\ \d{1,2}:\d{2}.*)?    # 31.01.2024, 1/31/24
    | \d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?(\ ?[ap]m)?    # 12:30
    | (\d{1,2}\.?[-\ ])?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[-\ ](\d{1,2},?[-\ ])?(\d{4}|\d{2})
    """
)
# Digits with grouping signs, a percent or a currency sign: a number to people, a word to a program.
_DRESSED = re.compile(r"[-+(]?[$€£¥]?\s?[-+]?\d[\d.,'\s]*\)?\s?[%$€£¥]?")


def to_number(cell: str, decimal: str = ".") -> float | None:
    """The number that a cell is written as, or None."""
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        return None if "_" in cell else float(cell)  # Python alone reads 1_000 as a number
    except ValueError:
        return None


def is_date(cell: str) -> bool:
    """Whether a cell is a date or a time of day."""
    return _DATE.fullmatch(cell) is not None


def is_dressed_number(cell: str) -> bool:
    """Whether a cell is a number with thousands separators, a percent sign or a currency around it."""
    return _DRESSED.fullmatch(cell) is not None


def is_id_name(column: str) -> bool:
    """Whether a column is called as columns are that name the rows."""
    return _ID.fullmatch(column) is not None
