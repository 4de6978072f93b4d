"""Parse the text of CSV files.

pandas parses the cells. The rows are checked before, because pandas accepts rows that are too short
and quotes that do not enclose a whole cell.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import count, islice
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.notations import find_notation
from sgpmic_cli.data.intake.options import TextFormat
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.data.intake.raw_table import EXACT, MISSING, Cells, RawTable, check_names, to_number
from sgpmic_cli.errors import UsageError

Names = Collection[str | None]  # None stands for a column that was not named
SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that determine the separator
csv.field_size_limit(1 << 26)  # characters; a longer cell has a quote that is never closed
# pandas recognises missing values in these spellings, and `Cells` all others.
PLAIN_MISSING = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"]
# Before pandas 3.1 the default converter can miss the last bit; later the option is deprecated.
EXACT_BY_DEFAULT = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)


class CsvText:
    """Parser of a CSV file.

    The first lines determine the separator and the header, the first block the decimal sign. A
    first line with one of the `known` names is a header. The columns `as_text` keep their cells as
    they are written.
    """

    def __init__(self, path: str, format: TextFormat, known: Names = (), as_text: Names = ()):
        self.path, self.format, self.known, self.as_text = path, format, known, as_text
        self.separator, self.decimal = format.separator or "", format.decimal or ""
        self.columns: list[str] = []
        self.named = False

    def tables(self, lines: Iterator[str], size: float = np.inf) -> Iterator[RawTable]:
        """Parse the lines of the file. Yield tables of about `size` characters."""
        n_rows = n_lines = 0
        while block := _take(lines, size):
            is_first = not self.columns
            starts = self._check_rows(block, lines, n_lines)
            header = 0 if is_first and self.named else None
            n_lines += len(block)
            text = "".join(block)
            block.clear()  # frees memory for the parser
            if starts := starts[header == 0 :]:
                frame = self._parse(text, header)
                cells = {name: Cells.of_series(frame[name], self.decimal) for name in self.columns}
                format = replace(self.format, decimal=self.decimal)
                yield RawTable(
                    self.path, cells, self.named, np.array(starts), n_rows, format=format
                )
                n_rows += len(starts)
        if not n_rows:
            raise UsageError(f"{self.path} has a header and no rows; add rows of numbers below it")

    def _check_rows(self, block: list[str], lines: Iterator[str], n_lines: int) -> list[int]:
        """Return the line where each row begins. Append to the block the rest of its last row.

        Raise UsageError for misplaced quotes and for rows that differ in their number of cells.
        """
        self.separator = self.separator or _find_separator(block, self.decimal)
        starts, n_columns = [], len(self.columns)
        line = n_lines + 1
        try:
            for end, length in _row_lengths(block, lines, self.separator):
                n_columns = n_columns or length
                if length == 1 == n_columns:
                    raise TableError(self.path, [_one_column(block, self.separator)])
                if length and length != n_columns:
                    raise UsageError(
                        f"{self.path}, line {line}: {length} cells where the first line has "
                        f"{n_columns}; give every row the same number of cells"
                    )
                if length:
                    starts.append(line)
                else:
                    block[line - n_lines - 1] = "\n"  # pandas knows fewer kinds of spaces
                line = n_lines + end + 1
        except csv.Error:
            raise UsageError(
                f"{self.path}, line {line}: a quote is not closed or has something beside it; "
                "check the quotes around its cells"
            ) from None
        if not self.columns:
            self._set_columns(block)
        return starts

    def _set_columns(self, block: list[str]) -> None:
        rows = (row for row in _reader(block, self.separator) if len(row) > 1)
        first = [[cell.strip() for cell in row] for row in islice(rows, 2)]
        self.named = not set(first[0]).isdisjoint(self.known) or _is_header(first, self.decimal)
        self.columns = [
            cell if self.named and cell else f"column_{j + 1}" for j, cell in enumerate(first[0])
        ]
        check_names(self.path, self.columns)

    def _parse(self, text: str, header: int | None) -> pd.DataFrame:
        kept = set(self.columns).intersection(self.as_text)
        frame = self._read(text, header, kept)
        if not self.decimal:
            self.decimal = (
                "," if any(_has_decimal_comma(frame[name]) for name in self.columns) else "."
            )
            if self.decimal == ",":
                frame = self._read(text, header, kept)
        zeros = rf'(?:^|[{re.escape(self.separator)}"]) *0\d'
        has_zeros = re.search(zeros, text, re.MULTILINE) is not None
        names = [name for name in self.columns if _loses_text(frame[name], has_zeros)]
        return self._read(text, header, kept.union(names)) if names else frame

    def _read(self, text: str, header: int | None, kept: Collection[str]) -> pd.DataFrame:
        # A class may be called NA. One list for all columns is much faster in wide tables.
        others = dict.fromkeys(set(self.columns).difference(kept), PLAIN_MISSING)
        return pd.read_csv(
            io.StringIO(text),
            sep=self.separator,
            decimal=self.decimal or ".",
            header=header,
            names=self.columns,
            index_col=False,
            dtype=dict.fromkeys(kept, str),
            keep_default_na=False,
            na_values=others if kept else PLAIN_MISSING,
            skipinitialspace=self.separator != " ",
            float_precision=None if EXACT_BY_DEFAULT else "round_trip",
            low_memory=False,
        )


def _take(lines: Iterator[str], size: float) -> list[str]:
    """Return the next lines with about `size` characters, blank lines not counted."""
    taken = []
    while size > 0 and (line := next(lines, "")):
        taken.append(line)
        size -= len(line.strip())
    return taken


def _row_lengths(
    block: list[str], lines: Iterator[str], separator: str
) -> Iterator[tuple[int, int]]:
    """Yield the number of lines up to the end of each row, and its cells, 0 for a blank line."""
    if not any('"' in line for line in block):  # counting is much faster than the csv module
        for number, line in enumerate(block, 1):
            n = line.count(separator)
            yield number, n + 1 if n or line.strip() else 0
        return
    # The csv module does not allow spaces between a closing quote and the separator.
    after_quote = re.compile(rf'" +(?=[{re.escape(separator)}\n]|\Z)')

    def all_lines() -> Iterator[str]:
        for number in count():
            if number == len(block):
                block.extend(islice(lines, 1))
            if number == len(block):
                return
            line = block[number]
            yield after_quote.sub('"', line) if '" ' in line and separator != " " else line

    n_lines = len(block)
    reader = _reader(all_lines(), separator, strict=True)
    while reader.line_num < n_lines:
        row = next(reader)
        yield reader.line_num, len(row) if len(row) > 1 or "".join(row).strip() else 0


def _one_column(block: Iterable[str], separator: str) -> Problem:
    """Report a file of one column. Suggest a sign that the first lines have equally often."""
    lines = list(islice(filter(str.strip, block), SAMPLE))
    signs = re.findall(r"[^\w\s.,+'\"-]| ", lines[0].strip())
    named = [
        Remedy("name the separator", "separator", sign)
        for sign in dict.fromkeys(signs)
        if len({line.strip().count(sign) for line in lines}) == 1
    ]
    return Problem(
        f"there is one column only when cells are separated by {shown(separator)}, and at least "
        "two are needed",
        [*named[:1], "separate the cells by comma, semicolon or tab"],
    )


def _reader(lines: Iterable[str], separator: str, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ", strict=strict)


def _find_separator(taken: Iterable[str], decimal: str) -> str:
    """Return the candidate that splits the first lines into equal rows with the most numbers.

    1,5;2,5 has commas and semicolons. Only a split at the semicolon leaves numbers alone.
    """
    lines = list(islice(filter(str.strip, taken), SAMPLE))
    signs = [sign for sign in SEPARATORS if sign != decimal and sign in lines[0]]
    rows = {sign: list(_reader(lines, sign)) for sign in signs}
    found = [sign for sign in signs if len(rows[sign][0]) > 1]

    def merit(sign: str) -> tuple[bool, float, int]:
        cells = [cell.strip() for row in rows[sign] for cell in row]
        if sign != ",":
            cells = [cell.replace(",", ".") for cell in cells]
        n_numbers = sum(to_number(cell) is not None for cell in cells)
        equal = len({len(row) for row in rows[sign]}) == 1
        return equal, n_numbers / len(cells), len(rows[sign][0])

    return max(found, key=merit, default=";" if decimal == "," else ",")


def _is_header(rows: list[list[str]], decimal: str) -> bool:
    """Return whether the first row has words where the second has numbers, or only words."""
    numeric = [[_is_number(cell, decimal) for cell in row] for row in rows]
    if False not in numeric[0]:
        return False
    if len(rows) == 1 or not any(numeric[0]):
        return True
    pairs = zip(*numeric, strict=True)
    return any(one != other for one, other in pairs if one is not None and other is not None)


def _is_number(cell: str, decimal: str) -> bool | None:
    """Return None for a missing value, which both kinds of columns may have."""
    signs = decimal or ".,"
    return (
        None if cell.lower() in MISSING else any(to_number(cell, one) is not None for one in signs)
    )


def _has_decimal_comma(column: "pd.Series") -> bool:
    """Return whether the texts of a column are numbers only with a decimal comma."""
    if column.dtype.kind != "O":
        return False
    texts = [text for text in map(str.strip, map(str, column.dropna().unique())) if text]
    found = find_notation(texts) if "," in "".join(texts) else None
    return found is not None and found.decimal == ","


def _loses_text(column: "pd.Series", has_zeros: bool) -> bool:
    """Return whether numbers that pandas made of whole numbers do not give back their text."""
    kind = column.dtype.kind
    if kind in "iu":
        return has_zeros
    if kind != "f":
        return False
    known = column.dropna().to_numpy()
    if not len(known) or (known != np.round(known)).any():
        return False
    return has_zeros or len(known) == len(column) or np.abs(known).max() >= EXACT
