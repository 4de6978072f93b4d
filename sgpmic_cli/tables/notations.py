"""Notations: how the texts of a column are read as numbers.

A notation is found for a whole column. It must read every text of the column.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

import numpy as np
import pandas as pd

from sgpmic_cli.tables.raw_table import MISSING, to_number

# Symbols of currencies and fractions around numbers.
SYMBOL = re.compile(r"[%‰$€£¥₹₩₽₺]|\b(?:EUR|USD|GBP|CHF)\b")
SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y"),
    *("%m/%d/%y", "%d/%m/%y", "%d-%m-%Y", "%d-%m-%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y"),
    *("%d-%b-%y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %Y", "%B %Y", "%b-%Y", "%b-%y"),
)
TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
ISO = "ISO8601"
COMPACT = "%Y%m%d"  # whole numbers such as 20240131
DATES = (
    *DAYS,
    *(" ".join(parts) for parts in product(DAYS, TIMES)),
    *TIMES,
    ISO,  # with time zones, fractions of seconds, weeks
)
PARTS = {"%Y": "year", "%y": "year", "%m": "month", "%b": "month", "%B": "month", "%d": "day"}


@dataclass(frozen=True)
class Notation:
    """How texts become numbers. Dates become days since 1970, times of day fractions of a day."""

    decimal: str = "."
    thousands: str = ""  # separator of groups of three digits
    symbol: str = ""  # that every text has before or after the number
    date: str = ""  # format of dates for `pandas.to_datetime`

    def __post_init__(self) -> None:
        if self.date not in ("", COMPACT, *DATES) or self.decimal not in (".", ","):
            raise ValueError(f"{self} is unknown")

    @property
    def is_day(self) -> bool:
        """Return whether the texts are dates, with or without a time of day."""
        return "%Y" in self.date.upper() or self.date == ISO

    def read(self, texts: np.ndarray) -> np.ndarray:
        """Return the numbers, NaN for missing values and for texts in other notations."""
        codes, distinct = pd.factorize(texts)
        if not self.date:
            found = np.array([self._number(text) for text in distinct], dtype=np.float64)
            return found[codes]
        dates = pd.to_datetime(pd.Index(distinct), format=self.date, errors="coerce", utc=True)
        first = 1970 if self.is_day else 1900
        days = (dates - pd.Timestamp(first, 1, 1, tz="UTC")) / pd.Timedelta(days=1)
        return np.asarray(days, dtype=np.float64)[codes]

    def _number(self, text: str) -> float | None:
        text = text.strip()
        if self.symbol:
            before, symbol, after = text.partition(self.symbol)
            text = before.strip() + after.strip() if symbol else "no symbol"
        if self.thousands:
            whole, mark, fraction = text.partition(self.decimal)
            groups = rf"[-+]?\d{{1,3}}({re.escape(self.thousands)}\d{{3}})+"
            if re.fullmatch(groups, whole) and not whole.startswith("0"):
                text = whole.replace(self.thousands, "") + mark + fraction
        return to_number(text, self.decimal)

    @property
    def words(self) -> str:
        """Describe the notation."""
        if self.date:
            words = re.sub("%[YymbBd]", lambda found: PARTS[found[0]], self.date)
            words = "ISO 8601" if self.date == ISO else re.sub(" ?%.*", "", words)
            return f"dates ({words}), as days" if words else "times, as fractions of a day"
        parts = [f"with {self.symbol}"] if self.symbol else []
        if self.thousands:
            parts.append(f"with {self.thousands!r} between thousands")
        if self.decimal == ",":
            parts.append("with a decimal comma")
        return f"numbers {', '.join(parts or ['with a decimal point'])}"


def find_notation(texts: Iterable[str], decimal: str = ".") -> Notation | None:
    """Return the notation that reads all texts, or None. `decimal` is that of the file.

    If the texts do not decide between thousands and decimals, as 1,200, they are thousands.
    """
    known = [text for text in texts if text.lower() not in MISSING]
    if not known or not any(map(str.isdigit, known[0])):
        return None
    symbols = {tuple(SYMBOL.findall(text)) for text in known}
    symbol = next(iter(symbols), ())
    if len(symbols) == 1 and len(symbol) <= 1:
        other = "," if decimal == "." else "."
        for point, comma in ((decimal, other), (other, decimal)):
            for thousands in ("", comma, "'", " ", *SPACES):
                notation = Notation(point, thousands, "".join(symbol))
                if notation._number(known[0]) is not None and _reads(notation, known):
                    return notation
    for date in DATES:
        if _is_date(known[0], date) and _reads(Notation(date=date), known):
            return Notation(date=date)
    return None


def _reads(notation: Notation, texts: Sequence[str]) -> bool:
    return not np.isnan(notation.read(np.array(texts, dtype=object))).any()


def _is_date(text: str, date: str) -> bool:
    try:
        datetime.fromisoformat(text) if date == ISO else datetime.strptime(text, date)
    except ValueError:
        return False
    return True
