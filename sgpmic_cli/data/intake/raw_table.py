"""A table as its file has it: columns of numbers where every cell is one, of text otherwise, not yet judged.

One parser, pandas', reads files of every size. What it passes over in silence is looked at before: quotes that do not
go around whole cells, and rows of too few cells.
"""

import io
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.cells import MISSING, MISSING_TEXT, is_id_name, to_number
from sgpmic_cli.data.intake.columns import numbers
from sgpmic_cli.data.intake.options import TextFormat
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.data.intake.reading import PARQUET, called, decode, read_bytes
from sgpmic_cli.errors import UsageError

SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that choose the separator
# Holes in the usual writings are found by pandas; in others, such as nAn, cell by cell.
_HOLES = sorted({spelled for word in MISSING_TEXT for spelled in (word, word.upper(), word.title())} | {"NaN"})
TRUTH = frozenset({"true", "false"})
# Before 3.1 pandas' default converter can miss the last bit; since then all are exact and the option is deprecated.
_EXACT_BY_DEFAULT = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)


@dataclass(frozen=True, eq=False)
class RawTable:
    """The cells of a table and where they come from."""

    path: str
    cells: dict[str, np.ndarray]  # by column (N,): float64, or texts without spaces around them
    named: bool  # whether the names of the columns are those of the file
    lines: np.ndarray | None = None  # (N,) line of each row in a text file
    decimal: str = "."  # sign before the decimals of numbers in columns of text

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the file's order."""
        return list(self.cells)

    def place(self, row: int) -> str:
        """A row by the number that people give it, counted from 1."""
        return f"row {row + 1}" + ("" if self.lines is None else f" (line {self.lines[row]})")


def read_table(
    path: str, format: TextFormat, *, known: Collection[str] = (), as_text: Collection[str] = ()
) -> RawTable:
    """Read a CSV, packed or not, or a Parquet file.

    A first line with one of the `known` names is a header, whatever else it looks like. Columns named in `as_text`
    keep their cells as they are written.
    """
    raw = read_bytes(path)
    path = called(path)
    if raw.startswith(PARQUET):
        return _from_parquet(path, raw)
    return parse_csv(path, decode(path, raw, format.encoding), format, known=known, as_text=as_text)


def parse_csv(
    path: str, text: str, format: TextFormat, *, known: Collection[str] = (), as_text: Collection[str] = ()
) -> RawTable:
    """The table in the text of a CSV file, see `read_table`."""
    separator = format.separator or _separator(text, format.decimal)
    _check_quotes(path, text, separator)
    lines = _lines_of_rows(path, text, separator)
    first, second = _first_rows(text, separator)
    named = not set(known).isdisjoint(first) or _is_header(first, second, format.decimal)
    if named and second is None:
        raise UsageError(f"{path} has a header and no rows; add rows of numbers below it")
    columns = [cell if named and cell else f"column_{j + 1}" for j, cell in enumerate(first)]
    name, times = Counter(columns).most_common(1)[0]
    if times > 1:
        raise UsageError(f"{path} has {times} columns named {shown(name)}; give every column its own name")
    kept = {column for column in columns if column in as_text or is_id_name(column)}  # ids keep their leading zeros
    frame = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        decimal=format.decimal,
        header=0 if named else None,
        names=columns,
        index_col=False,
        dtype=dict.fromkeys(kept, str),
        keep_default_na=False,
        # A class may be called NA. One list for all columns, where it will do, is much faster in wide tables.
        na_values=dict.fromkeys(set(columns) - kept, _HOLES) if kept else _HOLES,
        skipinitialspace=True,
        float_precision=None if _EXACT_BY_DEFAULT else "round_trip",
        low_memory=False,
    )
    plain = _numbers_or_text(frame, kept, format.decimal)
    return RawTable(path, plain, named, lines[1:] if named else lines, format.decimal)


def _from_parquet(path: str, raw: bytes) -> RawTable:
    try:
        frame = pd.read_parquet(io.BytesIO(raw))
    except ImportError:
        raise UsageError(f"{path} is a Parquet file: install sgpmic[parquet] to read it, or save it as CSV") from None
    except Exception as fault:  # whatever the reader says of a damaged file
        raise UsageError(f"{path} is not a readable Parquet file ({' '.join(str(fault).split())[:200]})") from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()  # pandas writes an index of names as a column like any other
    frame.columns = [str(name) for name in frame.columns]
    if not frame.columns.is_unique:
        raise UsageError(f"{path} has several columns of the same name; give every column its own name")
    if not len(frame):
        raise UsageError(f"{path} has a header and no rows; add rows of numbers below it")
    return RawTable(path, _numbers_or_text(frame, frame.columns, "."), named=True)


def _numbers_or_text(frame: pd.DataFrame, as_text: Collection[str], decimal: str) -> dict[str, np.ndarray]:
    """The same table in two kinds of columns; text that is numbers and holes becomes numbers, if not `as_text`."""
    plain: dict[str, np.ndarray] = {}
    for name, column in frame.items():
        cells = _number_or_text(column)
        if cells.dtype == object and name not in as_text:
            values, wrong = numbers(cells, decimal)
            cells = cells if wrong.any() else values
        plain[str(name)] = cells
    return plain


def _number_or_text(column: "pd.Series") -> np.ndarray:
    kind = column.dtype.kind
    if kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, values = pd.factorize(column.astype(object))  # the code of a hole in a Parquet file is -1
    texts = [str(value).strip() for value in values]
    if {text.lower() for text in texts} - MISSING <= TRUTH and kind != "M":
        texts = [text.capitalize() if text.lower() in TRUTH else text for text in texts]
    return np.array([*texts, ""], dtype=object)[codes]


def _separator(text: str, decimal: str) -> str:
    """The sign between cells: of those in the first line, the one that cuts the first lines into equal rows of numbers.

    1,5;2,5 has both a comma and a semicolon; only cut at the semicolon all its cells are numbers.
    """
    lines = []
    for line in io.StringIO(text):
        if line.strip():
            lines.append(_QUOTED.sub("q", line.rstrip("\n")))
        if len(lines) == SAMPLE:
            break
    found = [sign for sign in SEPARATORS if sign in lines[0] and sign != decimal]
    if len(found) < 2:
        return found[0] if found else ("," if decimal == "." else ";")

    def merit(sign: str) -> tuple[bool, float, int]:
        rows = [line.split(sign) for line in lines]
        cells = [cell.strip() for row in rows for cell in row]
        numbers = sum(to_number(cell if sign == "," else cell.replace(",", ".")) is not None for cell in cells)
        return len({len(row) for row in rows}) == 1, numbers / len(cells), len(rows[0])

    return max(found, key=merit)


_QUOTED = re.compile('"(?:[^"]|"")*+"')


def _check_quotes(path: str, text: str, separator: str) -> None:
    """Refuse quotes that do not go around whole cells: pandas would read \"1\"2 as 12."""
    if '"' not in text:
        return
    s = re.escape(separator)
    cell = rf'(?:[ ]*"(?:[^"]|"")*+"[ ]*|(?![ ]*")[^{s}\n]*+)'
    whole = re.compile(rf"(?:{cell}(?:{s}|\n|\Z))*+")
    found = whole.match(text)
    end = 0 if found is None else found.end()
    if end < len(text):
        line = text.count("\n", 0, end) + 1
        raise UsageError(
            f"{path}, line {line}: a quote is not closed or has something beside it; check the quotes around its cells"
        )


def _lines_of_rows(path: str, text: str, separator: str) -> np.ndarray:
    """The line in which each row that is not blank begins; rows of unequal length are refused."""
    if '"' in text:
        hidden = str.maketrans({"\n": "\v", separator: "q"})
        start = re.compile(rf'(?<![^{re.escape(separator)}\n])[ ]*"(?:[^"]|"")*+"')
        text = start.sub(lambda cell: cell.group().translate(hidden), text)
    blank = " " if separator == "\t" else " \t"
    rows: list[int] = []
    expected = 0
    hidden_lines = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip(blank):
            cells = line.count(separator) + 1
            expected = expected or cells
            rows.append(number + hidden_lines)
            if cells != expected:
                raise UsageError(
                    f"{path}, line {rows[-1]}: {cells} cells where the first line has {expected}; "
                    "give every row the same number of cells"
                )
            hidden_lines += line.count("\v")
    if expected == 1:
        raise TableError(path, [_one_column(separator)])
    return np.array(rows)


def _one_column(separator: str) -> Problem:
    return Problem(
        f"there is one column only when cells are separated by {shown(separator)}, and at least two are needed",
        (Remedy("name the separator", "separator", "|"), Remedy("separate the cells by comma, semicolon or tab")),
    )


def _first_rows(text: str, separator: str) -> tuple[list[str], list[str] | None]:
    rows = pd.read_csv(
        io.StringIO(text), sep=separator, header=None, nrows=2, dtype=str, na_filter=False, skipinitialspace=True
    )
    cells = [[cell.strip() for cell in row] for row in rows.to_numpy().tolist()]
    return cells[0], cells[1] if len(cells) > 1 else None


def _is_header(first: list[str], second: list[str] | None, decimal: str) -> bool:
    """Words make a header, unless the next row has its numbers and words in the same places."""
    numeric = [_is_number(cell, decimal) for cell in first]
    if not any(cell is False for cell in numeric):
        return False
    if second is None or not any(numeric):
        return True
    pairs = zip(numeric, (_is_number(cell, decimal) for cell in second), strict=True)
    return any(one != other for one, other in pairs if one is not None and other is not None)


def _is_number(cell: str, decimal: str) -> bool | None:
    """None for a hole, which may stand in a column of either kind."""
    return None if cell.lower() in MISSING else to_number(cell, decimal) is not None
