"""Parse the text of CSV files. All cells stay as they are written."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.notations import find_notation
from sgpmic_cli.tables.options import TextFormat
from sgpmic_cli.tables.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.tables.raw_table import MISSING, Cells, RawTable, check_names, to_number

Names = Collection[str | None]  # None stands for an option that was not given
Row = tuple[int, list[str]]  # the line where it begins, and its cells
SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that determine the separator
csv.field_size_limit(1 << 26)  # characters; a longer cell has a quote that is never closed


class CsvText:
    """Parser of a CSV file.

    The first lines determine the separator and the header, the first block the decimal separator. A
    first line with one of the `known` names is a header.
    """

    def __init__(self, path: str, format: TextFormat, known: Names = ()):
        self.path, self.format, self.known = path, format, known
        self.separator, self.decimal = format.separator or "", format.decimal or ""
        self.columns: list[str] = []
        self.named = False

    def tables(self, lines: Iterator[str], n_cells: int | None = None) -> Iterator[RawTable]:
        """Parse the lines of the file. Yield one table, or tables of about `n_cells` cells."""
        sample = list(islice(lines, SAMPLE))
        # Excel names the separator in a line before the header.
        if found := re.fullmatch(r'(?i)"?sep=([^\w"\n])"?\s*', "".join(sample[:1])):
            self.separator = self.separator or found[1]
            del sample[0]
        self.separator = self.separator or _find_separator(sample, self.decimal)
        rows = self._rows(chain(sample, lines), sample, 1 if found else 0)
        first = list(islice(rows, 2))
        if not first:
            raise UsageError(f"{self.path} is empty; it needs a header line and rows of numbers")
        start = [[cell.strip() for cell in cells] for _, cells in first]
        self.named = not set(start[0]).isdisjoint(self.known) or _is_header(start, self.decimal)
        self.columns = [
            cell if self.named and cell else f"column_{j + 1}" for j, cell in enumerate(start[0])
        ]
        check_names(self.path, self.columns)
        rows = chain(first[self.named :], rows)
        # A block has at least SAMPLE rows. Otherwise the sample would consume lines of the next
        # block, which `table_copy` must keep apart.
        size = None if n_cells is None else max(SAMPLE, n_cells // len(self.columns))
        n_rows = 0
        while block := list(islice(rows, size)):
            yield self._table(block, n_rows)
            n_rows += len(block)
        if not n_rows:
            raise no_rows(self.path)

    def _rows(self, lines: Iterable[str], sample: list[str], n_skipped: int) -> Iterator[Row]:
        """Yield the rows that are not blank. `sample` has the first lines after skipped ones.

        Raise UsageError for misplaced quotes and for rows that differ in their number of cells.
        """
        if self.separator != " ":  # the csv module allows no spaces after a closing quote
            after_quote = re.compile(rf'" +(?=[{re.escape(self.separator)}\n]|\Z)')
            lines = (after_quote.sub('"', line) if '" ' in line else line for line in lines)
        reader = _reader(lines, self.separator, strict=True)
        n_columns, line = 0, n_skipped + 1
        try:
            for cells in reader:
                if len(cells) > 1 or "".join(cells).strip():
                    if not n_columns and len(cells) == 1:
                        self._check_single_column(sample)
                    n_columns = n_columns or len(cells)
                    if len(cells) != n_columns:
                        raise UsageError(
                            f"{self.path}, line {line}: {len(cells)} cells where the first line "
                            f"has {n_columns}; give every row the same number of cells"
                        )
                    yield line, cells
                line = n_skipped + reader.line_num + 1
        except csv.Error:
            raise UsageError(
                f"{self.path}, line {line}: a quote is not closed, or text follows a "
                "closing quote; check the quotes around its cells"
            ) from None

    def _check_single_column(self, sample: list[str]) -> None:
        """Raise TableError if another character occurs equally often in each of the first lines."""
        lines = list(filter(str.strip, sample))
        for character in re.findall(r"[^\w\s.,+'\"-]| ", lines[0].strip()):
            if len({line.strip().count(character) for line in lines}) == 1:
                remedy = Remedy("name the separator", "separator", character)
                what = f"splitting at {shown(self.separator)} gives a single column"
                words = "separate the cells by comma, semicolon or tab"
                raise TableError(self.path, [Problem(what, [remedy, words])])

    def _table(self, block: list[Row], first_row: int) -> RawTable:
        lines, rows = zip(*block, strict=True)
        texts = [np.array(column, dtype=object) for column in zip(*rows, strict=True)]
        if not self.decimal:
            self.decimal = "," if any(map(_has_decimal_comma, texts)) else "."
        cells = {
            name: Cells.of(column, self.decimal)
            for name, column in zip(self.columns, texts, strict=True)
        }
        format = replace(self.format, decimal=self.decimal)
        return RawTable(self.path, cells, self.named, np.array(lines), first_row, format=format)


def no_rows(path: str) -> UsageError:
    """Return the error of a table without rows."""
    return UsageError(f"{path} has a header and no rows; add rows of numbers below it")


def _reader(lines: Iterable[str], separator: str, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ", strict=strict)


def _find_separator(taken: Iterable[str], decimal: str) -> str:
    """Return the candidate that splits the first lines into equal rows with the most numbers.

    1,5;2,5 has commas and semicolons. Only a split at the semicolon gives cells that are all
    numbers. The decimal separator separates only cells in quotes, as in "1,5","2,5".
    """
    lines = list(filter(str.strip, taken))
    quoted = '"' in "".join(lines)
    used = [one for one in SEPARATORS if one in "".join(lines[:1]) and (one != decimal or quoted)]
    rows = {separator: list(_reader(lines, separator)) for separator in used}
    found = [separator for separator in used if len(rows[separator][0]) > 1]

    def merit(separator: str) -> tuple[bool, float, int]:
        cells = [cell.strip() for row in rows[separator] for cell in row]
        if separator != ",":
            cells = [cell.replace(",", ".") for cell in cells]
        n_numbers = sum(to_number(cell) is not None for cell in cells)
        equal = len({len(row) for row in rows[separator]}) == 1
        return equal, n_numbers / len(cells), len(rows[separator][0])

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
    if cell.lower() in MISSING:
        return None
    return any(to_number(cell, separator) is not None for separator in decimal or ".,")


def _has_decimal_comma(column: np.ndarray) -> bool:
    """Return whether the texts of a column are numbers only with a decimal comma."""
    if "," not in "".join(column):
        return False
    found = find_notation({text.strip() for text in column})
    return found is not None and found.decimal == ","
