"""A table as its file has it: columns of numbers where every cell is one, of text otherwise, not yet judged.

One parser, pandas', reads files of every size. What it passes over in silence is looked at before: quotes that do not
go around whole cells, and rows of too few cells.
"""

import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.cells import MISSING, MISSING_TEXT, is_id_name, to_number
from sgpmic_cli.data.intake.columns import numbers
from sgpmic_cli.data.intake.npy import array_of
from sgpmic_cli.data.intake.options import TextFormat
from sgpmic_cli.data.intake.parquet import ParquetTable
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.data.intake.reading import NPY, PARQUET, Source, decoded, unpacked
from sgpmic_cli.errors import UsageError
from sgpmic_cli.row_blocks import row_blocks

SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that choose the separator
LONGEST_ROW = 1 << 26  # characters; a row beyond has a quote that is never closed
# Holes in the usual writings are found by pandas; in others, such as nAn, cell by cell.
_HOLES = sorted(
    {spelled for word in MISSING_TEXT for spelled in (word, word.upper(), word.title())} | {"NaN"}
)
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
    first_row: int = 0  # where its rows begin in a file that comes in blocks
    numbers: np.ndarray | None = (
        None  # (N, P) float64: all cells at once, where the file has them so
    )

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the file's order."""
        return list(self.cells)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.cells.values())))

    def place(self, row: int) -> str:
        """A row by the number that people give it, counted from 1."""
        return f"row {self.first_row + row + 1}" + (
            "" if self.lines is None else f" (line {self.lines[row]})"
        )


def read_table(
    path: str, format: TextFormat, *, known: Collection[str] = (), as_text: Collection[str] = ()
) -> RawTable:
    """Read a CSV, packed or not, a Parquet or a .npy file as a whole.

    A first line with one of the `known` names is a header, whatever else it looks like. Columns named in `as_text`
    keep their cells as they are written.
    """
    with unpacked(path) as source:
        if _is_npy(source):
            return _from_array(source.name, array_of(source))
        if source.starts_with(PARQUET):
            return _from_parquet(source)
        pieces = decoded(source.name, io.BytesIO(source.whole()), format.encoding)
        return parse_csv(source.name, "".join(pieces), format, known=known, as_text=as_text)


def read_blocks(
    path: str, format: TextFormat, *, known: Collection[str] = (), as_text: Collection[str] = ()
) -> Iterator[RawTable]:
    """Read the same files, see `read_table`, a block of rows after the other, so that their length does not matter."""
    with unpacked(path) as source:
        if _is_npy(source):
            yield from _blocks_of_array(source)
        elif source.starts_with(PARQUET):
            yield from _blocks_of_parquet(source)
        else:
            text = CsvText(source.name, format, known, as_text)
            for piece in _whole_rows(decoded(source.name, source, format.encoding)):
                if (table := text.parse(piece)) is not None:
                    yield table


def parse_csv(
    path: str,
    text: str,
    format: TextFormat,
    *,
    known: Collection[str] = (),
    as_text: Collection[str] = (),
) -> RawTable:
    """The table in the text of a CSV file, see `read_table`."""
    table = CsvText(path, format, known, as_text).parse(text)
    assert table is not None  # a text of nothing but blanks has been refused before
    return table


class CsvText:
    """The text of a CSV file, which may come in pieces of whole rows; the first settles separator and header."""

    def __init__(
        self, path: str, format: TextFormat, known: Collection[str], as_text: Collection[str]
    ):
        self.path, self.format, self.known, self.as_text = path, format, known, as_text
        self.separator = format.separator
        self.columns: list[str] = []
        self.named = False
        self.rows = self.lines = 0  # of all pieces so far

    def parse(self, text: str) -> RawTable | None:
        """The rows of the next piece; None where it has none."""
        first_line, first_row, is_first = self.lines, self.rows, not self.columns
        self.lines += text.count("\n")
        if not text.strip():
            return None
        self.separator = self.separator or _separator(text, self.format.decimal)
        _check_quotes(self.path, text, self.separator, first_line)
        lines = _lines_of_rows(self.path, text, self.separator, first_line, len(self.columns))
        if is_first:
            self._settle_columns(*_first_rows(text, self.separator))
        has_header = is_first and self.named
        kept = {
            column for column in self.columns if column in self.as_text or is_id_name(column)
        }  # leading zeros
        frame = pd.read_csv(
            io.StringIO(text),
            sep=self.separator,
            decimal=self.format.decimal,
            header=0 if has_header else None,
            names=self.columns,
            index_col=False,
            dtype=dict.fromkeys(kept, str),
            keep_default_na=False,
            # A class may be called NA. One list for all columns, where it will do, is much faster in wide tables.
            na_values=dict.fromkeys(set(self.columns) - kept, _HOLES) if kept else _HOLES,
            skipinitialspace=True,
            float_precision=None if _EXACT_BY_DEFAULT else "round_trip",
            low_memory=False,
        )
        plain = _numbers_or_text(frame, kept, self.format.decimal)
        self.rows += len(frame)
        return RawTable(
            self.path,
            plain,
            self.named,
            lines[1:] if has_header else lines,
            self.format.decimal,
            first_row,
        )

    def _settle_columns(self, first: list[str], second: list[str] | None) -> None:
        self.named = not set(self.known).isdisjoint(first) or _is_header(
            first, second, self.format.decimal
        )
        if self.named and second is None:
            raise UsageError(f"{self.path} has a header and no rows; add rows of numbers below it")
        self.columns = [
            cell if self.named and cell else f"column_{j + 1}" for j, cell in enumerate(first)
        ]
        _check_names(self.path, self.columns)


def _check_names(path: str, names: Sequence[str]) -> None:
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise UsageError(
            f"{path} has {times} columns named {shown(name)}; give every column its own name"
        )


def _whole_rows(pieces: Iterable[str]) -> Iterator[str]:
    """The same text in pieces that end where a row does, that is, at the end of a line and outside quotes."""
    held = ""
    for piece in pieces:
        held += piece
        end = held.rfind("\n") + 1
        quotes = held.count('"', 0, end)
        while end and quotes % 2:
            earlier = held.rfind("\n", 0, end - 1) + 1
            quotes -= held.count('"', earlier, end)
            end = earlier
        if len(held) > LONGEST_ROW:
            end = end or len(held)  # a quote that is never closed, which the parser will find
        if end:
            yield held[:end]
            held = held[end:]
    if held:
        yield held


def _is_npy(source: Source) -> bool:
    return source.starts_with(NPY) or source.name.lower().endswith(".npy")


def _from_array(
    path: str, array: np.ndarray, first_row: int = 0, names: Sequence[str] = ()
) -> RawTable:
    """Numbers, with names or without; those that are float64, row by row, are left where they lie."""
    just_so = array.dtype == np.float64 and array.dtype.isnative and array.flags.c_contiguous
    called = names or [f"column_{j + 1}" for j in range(array.shape[1])]
    columns = {name: np.asarray(array[:, j], dtype=np.float64) for j, name in enumerate(called)}
    return RawTable(
        path, columns, bool(names), first_row=first_row, numbers=array if just_so else None
    )


def _blocks_of_array(source: Source) -> Iterator[RawTable]:
    array = array_of(source)
    for rows in row_blocks(len(array)):
        # Mapped anew for every block: pages of a file that were read count as memory until they are unmapped.
        block = np.array(
            array_of(source)[rows] if source.path else array[rows], dtype=np.float64, order="C"
        )
        yield _from_array(source.name, block, rows.start)


def _from_parquet(source: Source) -> RawTable:
    table = ParquetTable(source)
    if table.holds_only_numbers:
        _check_names(source.name, table.columns)
        return _from_array(source.name, table.numbers(), names=table.columns)
    return _from_frame(source.name, table.frame())


def _blocks_of_parquet(source: Source) -> Iterator[RawTable]:
    first_row = 0
    for frame in ParquetTable(source).frames():
        yield _from_frame(source.name, frame, first_row)
        first_row += len(frame)


def _from_frame(path: str, frame: pd.DataFrame, first_row: int = 0) -> RawTable:
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()  # pandas writes an index of names as a column like any other
    frame.columns = [str(name) for name in frame.columns]
    _check_names(path, list(frame.columns))
    return RawTable(
        path, _numbers_or_text(frame, frame.columns, "."), named=True, first_row=first_row
    )


def _numbers_or_text(
    frame: pd.DataFrame, as_text: Collection[str], decimal: str
) -> dict[str, np.ndarray]:
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
    codes, values = pd.factorize(
        column.astype(object)
    )  # the code of a hole in a Parquet file is -1
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
        numbers = sum(
            to_number(cell if sign == "," else cell.replace(",", ".")) is not None for cell in cells
        )
        return len({len(row) for row in rows}) == 1, numbers / len(cells), len(rows[0])

    return max(found, key=merit)


_QUOTED = re.compile('"(?:[^"]|"")*+"')


def _check_quotes(path: str, text: str, separator: str, lines_before: int) -> None:
    """Refuse quotes that do not go around whole cells: pandas would read \"1\"2 as 12."""
    if '"' not in text:
        return
    s = re.escape(separator)
    cell = rf'(?:[ ]*"(?:[^"]|"")*+"[ ]*|(?![ ]*")[^{s}\n]*+)'
    whole = re.compile(rf"(?:{cell}(?:{s}|\n|\Z))*+")
    found = whole.match(text)
    end = 0 if found is None else found.end()
    if end < len(text):
        line = lines_before + text.count("\n", 0, end) + 1
        raise UsageError(
            f"{path}, line {line}: a quote is not closed or has something beside it; check the quotes around its cells"
        )


def _lines_of_rows(
    path: str, text: str, separator: str, lines_before: int, expected: int
) -> np.ndarray:
    """The line in which each row that is not blank begins; rows of other than `expected` cells are refused.

    Where nothing is expected yet, the first row says how many cells a row has.
    """
    if '"' in text:
        hidden = str.maketrans({"\n": "\v", separator: "q"})
        start = re.compile(rf'(?<![^{re.escape(separator)}\n])[ ]*"(?:[^"]|"")*+"')
        text = start.sub(lambda cell: cell.group().translate(hidden), text)
    blank = " " if separator == "\t" else " \t"
    rows: list[int] = []
    hidden_lines = lines_before
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
        (
            Remedy("name the separator", "separator", "|"),
            Remedy("separate the cells by comma, semicolon or tab"),
        ),
    )


def _first_rows(text: str, separator: str) -> tuple[list[str], list[str] | None]:
    rows = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        header=None,
        nrows=2,
        dtype=object,
        na_filter=False,
        skipinitialspace=True,
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
