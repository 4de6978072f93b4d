"""The cells of a raw table as texts, numbers and dates, before any decision about its columns."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.options import Problem, TextFormat, leave_out, shown

MISSING = frozenset(
    # Those of pandas, dashes, "..", as the World Bank writes it, and error values of spreadsheets.
    {"", "?", "-", "--", "–", "—", ".", "..", "na", "n/a", "n.a.", "<na>"}
    | {"nan", "-nan", "nat", "null", "none"}
    | {"#na", "#n/a", "#n/a n/a", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
    | {"#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!"}
)
EXACT = 2**53  # whole numbers up to here are exact as floats
# Texts that are not taken as they are written. A category may be called none.
SPELLINGS = {**dict.fromkeys(MISSING - {"none"}, ""), "true": "True", "false": "False"}
# Symbols of currencies and fractions around numbers.
SYMBOL = re.compile(r"[%‰$€£¥₹₩₽₺]|(?<![A-Za-z])(?:EUR|USD|GBP|CHF)(?![A-Za-z])")
SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
ISO_DAY = "%Y-%m-%d"
DAYS = (
    *(ISO_DAY, "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y"),
    *("%m/%d/%y", "%d/%m/%y", "%d-%m-%Y", "%d-%m-%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y"),
    *("%d-%b-%y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %Y", "%B %Y", "%b-%Y", "%b-%y"),
    *("%Y-%m", "%m/%Y"),
)
TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
ISO = "ISO8601"  # with time zones and fractions of seconds; pandas reads no weeks
COMPACT = "%Y%m%d"  # whole numbers such as 20240131
DATES = (*DAYS, *(" ".join(parts) for parts in product(DAYS, TIMES)), *TIMES, ISO)
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
    def kind(self) -> str:
        """What a text in this notation is, for messages."""
        return "date" if self.date else f"number with {self.symbol}" if self.symbol else "number"

    @property
    def is_day(self) -> bool:
        """Whether the texts are dates, with or without a time of day."""
        return _has_day(self.date)

    def read(self, texts: np.ndarray) -> np.ndarray:
        """Return the numbers, NaN for missing values and for texts that are not such numbers.

        A date that is not in the format of the notation may have any other format.
        """
        codes, distinct = pd.factorize(texts)
        if not self.date:
            return np.array([self._number(text) for text in distinct], dtype=np.float64)[codes]
        days = _read_dates(distinct, self.date)
        present = np.array([text.lower() not in MISSING for text in distinct], dtype=bool)
        for other in DATES if present.any() else ():
            unread = present & np.isnan(days)
            if not unread.any():
                break
            if _has_day(other) == self.is_day:
                days[unread] = _read_dates(distinct[unread], other)
        return days[codes]

    def reads_all(self, texts: Sequence[str]) -> bool:
        """Return whether all texts have exactly this notation."""
        if self.date:
            found = _read_dates(np.array(texts, dtype=object), self.date)
            return not np.isnan(found).any()
        return all(self._number(text) is not None for text in texts)

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
                if notation.reads_all(known):
                    return notation
    for date in DATES:
        # pandas reads more slowly than the standard library decides about one text.
        if _is_date(known[0], date) and Notation(date=date).reads_all(known):
            return Notation(date=date)
    return None


def _has_day(date: str) -> bool:
    return "%Y" in date.upper() or date == ISO


def _read_dates(texts: Any, date: str) -> np.ndarray:
    """Return days since 1970, or fractions of a day, and NaN for texts in other formats."""
    dates = pd.to_datetime(pd.Index(texts), format=date, errors="coerce", utc=True)
    return _days_since(dates, 1970 if _has_day(date) else 1900)


def _days_since(dates: pd.DatetimeIndex, year: int) -> np.ndarray:
    days = (dates - pd.Timestamp(year, 1, 1, tz="UTC")) / pd.Timedelta(days=1)
    return np.array(days, dtype=np.float64)


def _is_date(text: str, date: str) -> bool:
    try:
        datetime.fromisoformat(text) if date == ISO else datetime.strptime(text, date)
    except ValueError:
        return False
    return True


class Cells(NamedTuple):
    """The cells of a column (N,), as they were read and as numbers."""

    raw: np.ndarray  # floats, integers, texts or datetime64
    numbers: np.ndarray  # floats, NaN for missing values and for texts that are not numbers
    invalid: np.ndarray  # whether a cell is neither a number nor missing

    @classmethod
    def of(cls, raw: np.ndarray, decimal: str = ".") -> "Cells":
        """Convert cells to numbers; texts have the given decimal separator."""
        valid = np.broadcast_to(np.False_, len(raw))  # an array without memory
        if raw.dtype.kind != "O":
            return cls(raw, raw.astype(np.float64, copy=False), valid)
        if decimal == "." and "_" not in "".join(raw):  # most columns have numbers and empty cells
            with suppress(ValueError):
                return cls(raw, np.where(raw == "", "nan", raw).astype(np.float64), valid)
        codes, distinct = pd.factorize(raw)
        parsed = [
            np.nan if text.strip().lower() in MISSING else to_number(text, decimal)
            for text in distinct
        ]
        invalid = np.array([number is None for number in parsed], dtype=bool)
        return cls(raw, np.array(parsed, dtype=np.float64)[codes], invalid[codes])

    @classmethod
    def of_series(cls, column: pd.Series) -> "Cells":
        """Convert a column of pandas: dates and durations to days, objects to texts."""
        kind = column.dtype.kind
        if kind == "f":
            return cls.of(column.to_numpy(dtype=np.float64, na_value=np.nan))
        if kind in "iu" and not column.hasnans:
            return cls.of(column.to_numpy(dtype=f"{kind}8"))
        objects = np.asarray(column) if kind in "mM" else np.asarray(column, dtype=object)
        what = pd.api.types.infer_dtype(objects, skipna=True)
        if what in ("timedelta", "timedelta64"):
            return cls.of(np.array(pd.to_timedelta(objects) / pd.Timedelta(days=1), np.float64))
        if what in ("date", "datetime", "datetime64", "period"):
            found = pd.PeriodIndex(objects).to_timestamp() if what == "period" else objects
            dates = pd.to_datetime(found, utc=True)
            days = _days_since(dates, 1970)
            return cls(np.asarray(dates.tz_localize(None)), days, np.zeros(len(days), dtype=bool))
        try:
            codes, distinct = pd.factorize(objects)  # -1 for a missing value
        except TypeError:  # lists and records
            codes, distinct = pd.factorize(np.array([*map(str, objects)], dtype=object))
        return cls.of(np.array([*map(as_text, distinct), ""], dtype=object)[codes])

    @property
    def are_dates(self) -> bool:
        """Whether the cells were read as dates and not as texts."""
        return self.raw.dtype.kind == "M"

    @property
    def texts(self) -> np.ndarray:
        """The cells as texts without surrounding spaces, "" for NaN; integers are exact."""
        if self.raw.dtype.kind == "f":
            texts = ["" if np.isnan(cell) else f"{cell:.17g}" for cell in self.raw]
        elif self.are_dates:
            stamps = [str(stamp).removesuffix(" 00:00:00") for stamp in pd.DatetimeIndex(self.raw)]
            texts = ["" if stamp == "NaT" else stamp for stamp in stamps]
        else:
            texts = [str(cell).strip() for cell in self.raw]
        return np.array(texts, dtype=object)

    @property
    def categories(self) -> np.ndarray:
        """The cells as texts, "" for missing ones, with truth values in one spelling.

        Letters with accents have one spelling as well (NFC).
        """
        codes, distinct = pd.factorize(self.texts)
        known = [unicodedata.normalize("NFC", text) for text in distinct]
        return np.array([SPELLINGS.get(text.lower(), text) for text in known], dtype=object)[codes]


@dataclass(frozen=True, eq=False)
class RawTable:
    """The cells of a table, by column, and their origin."""

    path: str
    cells: dict[str, Cells]
    named: bool  # whether the file has column names
    lines: np.ndarray | None = None  # (N,) line of each row in a text file
    first_row: int = 0  # number of rows in earlier blocks of the file
    numbers: np.ndarray | None = None  # (N, P) all cells, if they are one float64 array in C order
    format: TextFormat = field(default_factory=TextFormat)  # of a text file, as detected

    @classmethod
    def from_array(cls, path: str, array: np.ndarray, first_row: int = 0) -> "RawTable":
        """Create a table of numbers. A float64 array in C order is not copied."""
        direct = array.dtype == np.float64 and array.dtype.isnative and array.flags.c_contiguous
        columns = zip(default_names(array.shape[1]), array.T, strict=True)
        cells = {name: Cells.of(np.asarray(column, np.float64)) for name, column in columns}
        return cls(path, cells, False, first_row=first_row, numbers=array if direct else None)

    @classmethod
    def from_frame(cls, path: str, frame: pd.DataFrame, first_row: int = 0) -> "RawTable":
        """Create a table from a DataFrame. Names of rows become a column, unless one has theirs."""
        if not isinstance(frame.index, pd.RangeIndex):
            frame = frame.reset_index(drop=not {*frame.index.names}.isdisjoint(frame.columns))
        names = check_names(path, [as_text(name) for name in frame.columns])
        cells = {name: Cells.of_series(frame.iloc[:, j]) for j, name in enumerate(names)}
        return cls(path, cells, named=True, first_row=first_row)

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order of the file."""
        return list(self.cells)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.cells.values())).raw)

    def place(self, row: int, column: str | None = None) -> str:
        """Describe the position of a row, or of a cell in it, for messages."""
        line = "" if self.lines is None else f" (line {self.lines[row]})"
        cell = "" if column is None else f", column {shown(column)}"
        return f"row {self.first_row + row + 1}{line}{cell}"

    def too_large(self, column: str, values: np.ndarray, limit: float) -> Problem | None:
        """Report the first value of a column (N,) whose magnitude reaches the limit."""
        rows = np.flatnonzero(np.abs(values) >= limit)
        if not len(rows):
            return None
        where, value = self.place(rows[0], column), values[rows[0]]
        if np.isinf(value):
            remedy = "put a number there or leave the cell empty"
            return Problem(f"{where}: the value is not finite", [remedy])
        what = f"{where}: {value:g} is too large to be squared"
        return Problem(what, ["divide the column by a constant", leave_out(column)])


def as_text(value: object) -> str:
    """Return a value as text. Lone surrogates become escape codes, because pandas has none."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def to_number(cell: str, decimal: str = ".") -> float | None:
    """Parse a number. Return None if the cell is not one."""
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        # Python accepts 1_000, other programs do not. Typeset tables have minus signs, not hyphens.
        return None if "_" in cell else float(cell.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None


def default_names(n: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"column_{j + 1}" for j in range(n)]


def check_names(path: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names. Raise UsageError if two columns have the same one."""
    name, times = max(Counter(names).items(), key=lambda found: found[1], default=("", 0))
    if times > 1:
        raise UsageError(
            f"{path} has {times} columns named {shown(name)}; give every column its own name"
        )
    return names
