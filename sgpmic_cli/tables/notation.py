"""How texts are numbers: missing values, decimal commas, thousands, currencies, dates."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from sgpmic_cli._typing import BoolArray

MISSING = frozenset(
    # Those of pandas, dashes, "..", as the World Bank writes it, and error values of spreadsheets.
    {"", "?", "-", "--", "–", "—", ".", "..", "na", "n/a", "n.a.", "<na>"}
    | {"nan", "-nan", "nat", "null", "none"}
    | {"#na", "#n/a", "#n/a n/a", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
    | {"#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!"}
)
# Texts that are not taken as they are written. A category may be called none.
SPELLINGS = {**dict.fromkeys(MISSING - {"none"}, ""), "true": "True", "false": "False"}
# Symbols of currencies and fractions around numbers.
SYMBOL = re.compile(r"[%‰$€£¥₹₩₽₺]|(?<![A-Za-z])(?:EUR|USD|GBP|CHF)(?![A-Za-z])")
SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
# Typeset tables have minus signs and apostrophes of their own.
TYPEWRITTEN = str.maketrans("\N{MINUS SIGN}\N{RIGHT SINGLE QUOTATION MARK}" + SPACES, "-'   ")
ISO = "ISO8601"  # year-month-day, with or without a time; pandas reads no weeks
COMPACT = "%Y%m%d"  # whole numbers such as 20240131
DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y"),
    *("%d/%m/%y", "%d-%m-%Y", "%d-%m-%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y"),
    *("%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %Y", "%B %Y", "%b-%Y", "%b-%y", "%m/%Y"),
)
TRUTH = {"True": "False", "yes": "no", "Yes": "No", "YES": "NO", "y": "n", "Y": "N", "T": "F"}
FLAGS = {"1": 1, "1.0": 1, "0": 0, "0.0": 0}  # beside truth values
TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?(\.\d+)?( [AaPp][Mm])?$")
PARTS = {"%Y": "year", "%y": "year", "%m": "month", "%b": "month", "%B": "month", "%d": "day"}


@dataclass(frozen=True)
class Notation:
    """How texts become numbers. Dates become days since 1970, times of day fractions of a day."""

    decimal: str = "."
    thousands: str = ""  # separator of groups of three digits
    symbol: str = ""  # that every text has before or after the number
    date: str = ""  # format of dates for `pandas.to_datetime`

    @property
    def kind(self) -> str:
        """What a text in this notation is, for messages."""
        if self.date:
            return self.words.rpartition(", as")[0].replace("s", "", 1)
        return f"number with {self.symbol}" if self.symbol else "number"

    @property
    def is_day(self) -> bool:
        """Whether the texts are dates, with or without a time of day."""
        return "%Y" in self.date.upper() or self.date == ISO

    def read(self, texts: np.ndarray) -> np.ndarray:
        """Return the numbers, NaN for missing values and for texts that are not such numbers."""
        codes, distinct = pd.factorize(texts)
        if self.date:
            index = pd.Index(distinct, dtype=object)  # pandas' own texts have no surrogates
            dates = pd.to_datetime(index, format=self.date, errors="coerce", utc=True)
            return days_since(dates, 1970 if self.is_day else 1900)[codes]
        return np.array([self._number(text) for text in distinct], dtype=np.float64)[codes]

    def _number(self, text: str) -> float | None:
        """Parse a number with the symbol and with separators of thousands."""
        text = text.translate(TYPEWRITTEN)
        if self.symbol:
            before, symbol, after = text.partition(self.symbol)
            text = before.rstrip() + after.lstrip() if symbol else "no symbol"
        if self.thousands:
            mark, point = re.escape(self.thousands), re.escape(self.decimal)
            if re.fullmatch(rf"[-+]?[1-9]\d{{0,2}}({mark}\d{{3}})+({point}.*)?", text):
                text = text.replace(self.thousands, "")
        return to_number(text, self.decimal)

    @property
    def words(self) -> str:
        """Describe the notation."""
        if self.date:
            words = re.sub("%[YymbBd]", lambda found: PARTS[found[0]], self.date)
            words = "year-month-day" if self.date == ISO else re.sub(" ?%.*", "", words)
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
    known = np.array([text for text in texts if text.lower() not in MISSING], dtype=object)
    if not len(known) or not any(map(str.isdigit, known[0])):
        return None
    for notation in _candidates(known, decimal):
        # Most candidates do not read the first text.
        if not any(np.isnan(notation.read(some)).any() for some in (known[:1], known)):
            return notation
    return None


def nearly_dates(texts: Iterable[str]) -> Notation | None:
    """Return the notation of dates that reads most texts, if there is one."""
    known = np.array([text for text in texts if text.lower() not in MISSING], dtype=object)
    some = known[[any(map(str.isdigit, text)) for text in known]][:3]
    for notation in chain(*(_candidates(some[i : i + 1]) for i in range(len(some)))):
        # Most candidates do not read the first texts.
        is_read = notation.is_day and not np.isnan(notation.read(some)).all()
        if is_read and 2 * np.count_nonzero(~np.isnan(notation.read(known))) > len(known):
            return notation
    return None


def _candidates(texts: np.ndarray, decimal: str = ".") -> Iterator[Notation]:
    symbols = {tuple(SYMBOL.findall(text)) for text in texts}
    symbol = next(iter(symbols))
    if len(symbols) == 1 and len(symbol) <= 1:
        other = "," if decimal == "." else "."
        for point, comma in ((decimal, other), (other, decimal)):
            for thousands in ("", comma, "'", " "):
                yield Notation(point, thousands, "".join(symbol))
    yield Notation(date=ISO)
    time, days = "", [*DAYS]
    if found := TIME.search(texts[0]):
        seconds, fraction, half = found.groups(default="")
        time = f"{'%I' if half else '%H'}:%M{seconds and ':%S'}{fraction and '.%f'}{half and ' %p'}"
        days = days if found.start() else [""]
    for day in days:
        yield Notation(date=f"{day} {time}".strip())


def days_since(dates: pd.DatetimeIndex, year: int = 1970) -> np.ndarray:
    """Return the days (N,) from the beginning of a year, NaN for missing dates."""
    days = (dates - pd.Timestamp(year, 1, 1, tz="UTC")) / pd.Timedelta(days=1)
    return np.array(days, dtype=np.float64)


def to_number(cell: str, decimal: str = ".") -> float | None:
    """Parse a number. Return None if the cell is not one.

    Python rounds correctly, which pandas does not.
    """
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        # Python accepts 1_000, other programs do not.
        return None if "_" in cell else float(cell.translate(TYPEWRITTEN))
    except ValueError:
        return None


def numbers_of(column: pd.Series, notation: Notation) -> tuple[np.ndarray, BoolArray]:
    """Return a column as numbers (N,), NaN if missing, and which cells are others (N,)."""
    raw, valid = column.to_numpy(), np.zeros(len(column), dtype=bool)
    if raw.dtype.kind == "M":
        return days_since(pd.DatetimeIndex(raw).tz_localize("UTC")), valid
    if raw.dtype.kind != "O" and not notation.date:
        return raw.astype(np.float64, copy=False), valid
    if notation == Notation() and "_" not in "".join(raw):  # most cells are numbers or empty
        with suppress(ValueError):
            return np.where(raw == "", "nan", raw).astype(np.float64), valid
    texts = texts_of(column)
    numbers = notation.read(texts)
    missing = pd.Series(texts, dtype=object).str.lower().isin(MISSING).to_numpy()
    return numbers, np.isnan(numbers) & ~missing


def texts_of(column: pd.Series) -> np.ndarray:
    """Return a column of a table as texts (N,), "" for missing values."""
    raw = column.to_numpy()
    if raw.dtype.kind == "O":
        return raw
    if raw.dtype.kind == "f":
        texts = ["" if np.isnan(cell) else f"{cell:.17g}" for cell in raw]
    else:
        stamps = [str(cell).removesuffix(" 00:00:00") for cell in column]
        texts = ["" if stamp == "NaT" else stamp for stamp in stamps]
    return np.array(texts, dtype=object)


def categories_of(column: pd.Series, expected: Collection[str] = ()) -> np.ndarray:
    """Return a column as texts (N,), "" for missing values, with truth values in one spelling.

    1 and 0 are truth values beside others, or if they are `expected`. Letters with accents have one
    spelling as well (NFC).
    """
    codes, distinct = pd.factorize(texts_of(column))
    known = [unicodedata.normalize("NFC", text) for text in distinct]
    known = [SPELLINGS.get(text.lower(), text) for text in known]
    words = {*known, *expected} - {""}
    for yes, no in TRUTH.items():
        if not words.isdisjoint({yes, no}) and words <= {yes, no, *FLAGS}:
            known = [(no, yes)[FLAGS[text]] if text in FLAGS else text for text in known]
    return np.array(known, dtype=object)[codes]
