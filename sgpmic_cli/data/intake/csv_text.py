"""Parse the text of CSV files into raw tables, whose cells stay texts."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from sgpmic_cli.data.intake.columns import MISSING, to_number
from sgpmic_cli.data.intake.options import TextFormat
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.data.intake.raw_table import RawTable, check_names, text_cells
from sgpmic_cli.errors import UsageError

SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that determine the separator
BLOCK = 1 << 16  # cells of a table; small tables are parsed faster
MIN_ROWS = 100  # of a table with many columns
csv.field_size_limit(1 << 26)  # characters; a longer cell has a quote that is never closed


def parse_csv(
    path: str, pieces: Iterable[str], format: TextFormat, known: Collection[str] = ()
) -> Iterator[RawTable]:
    """Parse a text that arrives in pieces. Yield tables of about `BLOCK` cells.

    The first lines determine the separator and the header. A first line with one of the `known`
    names is a header.
    """
    lines = _lines(pieces)
    start: list[str] = []
    while sum(map(bool, map(str.strip, start))) < SAMPLE and (line := next(lines, "")):
        start.append(line)
    separator = format.separator or _find_separator(start, format.decimal)
    rows = _rows(path, chain(start, lines), separator)
    first_rows = list(islice(rows, 2))
    first_cells = [[cell.strip() for cell in cells] for _, cells in first_rows]
    named = _is_header(first_cells, format.decimal, known)
    columns = [
        cell if named and cell else f"column_{j + 1}" for j, cell in enumerate(first_cells[0])
    ]
    check_names(path, columns)
    rows = chain(first_rows[named:], rows)
    n_rows = 0
    while block := list(islice(rows, max(MIN_ROWS, BLOCK // len(columns)))):
        numbers, cells = zip(*block, strict=True)
        texts = map(text_cells, zip(*cells, strict=True))
        found = dict(zip(columns, texts, strict=True))
        yield RawTable(path, found, named, np.array(numbers), format.decimal, n_rows)
        n_rows += len(block)
    if not n_rows:
        raise UsageError(f"{path} has a header and no rows; add rows of numbers below it")


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        yield from (line + "\n" for line in lines)
    if rest:
        yield rest


def _rows(path: str, lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line where each row begins, and its cells.

    Raise UsageError for misplaced quotes and for rows that differ in their number of cells.
    """
    if separator != " ":
        # The csv module does not allow spaces between a closing quote and the separator.
        after_quote = re.compile(rf'" +(?=[{re.escape(separator)}\n]|\Z)')
        lines = (after_quote.sub('"', line) if '" ' in line else line for line in lines)
    reader = _reader(lines, separator, strict=True)
    n_columns, next_line = 0, 1
    try:
        for row in reader:
            line, next_line = next_line, reader.line_num + 1
            if len(row) <= 1 and not "".join(row).strip():
                continue  # a blank line
            n_columns = n_columns or len(row)
            if n_columns == 1:
                raise TableError(path, [_one_column(separator)])
            if len(row) != n_columns:
                raise UsageError(
                    f"{path}, line {line}: {len(row)} cells where the first line has "
                    f"{n_columns}; give every row the same number of cells"
                )
            yield line, row
    except csv.Error:
        raise UsageError(
            f"{path}, line {next_line}: a quote is not closed or has something beside "
            "it; check the quotes around its cells"
        ) from None


def _one_column(separator: str) -> Problem:
    return Problem(
        f"there is one column only when cells are separated by {shown(separator)}, and at least "
        "two are needed",
        [
            Remedy("name the separator", "separator", "|"),
            "separate the cells by comma, semicolon or tab",
        ],
    )


def _reader(lines: Iterable[str], separator: str, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ", strict=strict)


def _find_separator(start: Iterable[str], decimal: str) -> str:
    """Return the candidate that splits the first lines into equal rows with the most numbers.

    1,5;2,5 has commas and semicolons. Only a split at the semicolon leaves numbers alone.
    """
    lines = [line for line in start if line.strip()]
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

    return max(found, key=merit, default="," if decimal == "." else ";")


def _is_header(rows: list[list[str]], decimal: str, known: Collection[str]) -> bool:
    """Return whether the first row has words where the second has numbers, or only words."""
    if not set(known).isdisjoint(rows[0]):
        return True
    numeric = [[_is_number(cell, decimal) for cell in row] for row in rows]
    if False not in numeric[0]:
        return False
    if len(rows) == 1 or not any(numeric[0]):
        return True
    pairs = zip(*numeric, strict=True)
    return any(one != other for one, other in pairs if one is not None and other is not None)


def _is_number(cell: str, decimal: str) -> bool | None:
    """Return None for a missing value, which both kinds of columns may have."""
    return None if cell.lower() in MISSING else to_number(cell, decimal) is not None
