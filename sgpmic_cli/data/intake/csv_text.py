"""Parse the text of CSV files.

pandas parses the cells of files of every size. The csv module checks the rows before, because
pandas silently accepts rows that are too short and quotes that do not enclose a whole cell.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.columns import MISSING, MISSING_TEXT, is_id_name, to_number
from sgpmic_cli.data.intake.options import TextFormat
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.data.intake.raw_table import RawTable, check_names, frame_cells
from sgpmic_cli.errors import UsageError

SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that determine the separator
MAX_ROW = 1 << 26  # characters; a longer row has a quote that is never closed
csv.field_size_limit(MAX_ROW)
# pandas recognises missing values in these spellings; `columns.numbers` recognises all others.
_MISSING = sorted(
    {spelled for word in MISSING_TEXT for spelled in (word, word.upper(), word.title())} | {"NaN"}
)
# Before pandas 3.1 the default converter can miss the last bit; later the option is deprecated.
_EXACT_BY_DEFAULT = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)


class CsvText:
    """Parser of a CSV file that may arrive in pieces of whole rows.

    The first piece determines the separator and the header. A first line with one of the `known`
    names is a header. Columns named in `as_text` keep their cells as they are written.
    """

    def __init__(
        self,
        path: str,
        format: TextFormat,
        known: Collection[str] = (),
        as_text: Collection[str] = (),
    ):
        self.path, self.format, self.known, self.as_text = path, format, known, as_text
        self.separator = format.separator or ""  # the first piece determines it
        self.columns: list[str] = []
        self.named = False
        self.n_rows = self.n_lines = 0  # of all pieces so far

    def parse(self, text: str) -> RawTable | None:
        """Parse the next piece. Return None if it has no rows."""
        first_line, first_row, is_first = self.n_lines, self.n_rows, not self.columns
        self.n_lines += text.count("\n")
        if not text.strip():
            return None
        self.separator = self.separator or _find_separator(text, self.format.decimal)
        lines, first_rows = self._check_rows(text, first_line)
        if is_first:
            self._set_columns(first_rows)
        has_header = is_first and self.named
        # Identifiers keep their leading zeros.
        kept = {name for name in self.columns if name in self.as_text or is_id_name(name)}
        frame = pd.read_csv(
            io.StringIO(text),
            sep=self.separator,
            decimal=self.format.decimal,
            header=0 if has_header else None,
            names=self.columns,
            index_col=False,
            dtype=dict.fromkeys(kept, str),
            keep_default_na=False,
            # A class may be called NA. One list for all columns is much faster in wide tables.
            na_values=dict.fromkeys(set(self.columns) - kept, _MISSING) if kept else _MISSING,
            skipinitialspace=self.separator != " ",
            float_precision=None if _EXACT_BY_DEFAULT else "round_trip",
            low_memory=False,
        )
        self.n_rows += len(frame)
        return RawTable(
            self.path,
            frame_cells(frame),
            self.named,
            lines[1:] if has_header else lines,
            self.format.decimal,
            first_row,
        )

    def _check_rows(self, text: str, lines_before: int) -> tuple[np.ndarray, list[list[str]]]:
        """Return the line where each row begins, and the first two rows.

        Raise UsageError for misplaced quotes and for rows that differ in their number of cells.
        """
        if self.separator != " ":
            # The csv module does not allow spaces between a closing quote and the separator.
            text = re.sub(rf'" +(?=[{re.escape(self.separator)}\n]|\Z)', '"', text)
        reader = _rows(io.StringIO(text), self.separator, strict=True)
        n_columns, next_line = len(self.columns), lines_before + 1
        lines: list[int] = []
        first_rows: list[list[str]] = []
        try:
            for row in reader:
                line, next_line = next_line, lines_before + reader.line_num + 1
                if len(row) <= 1 and not "".join(row).strip():
                    continue  # a blank line
                n_columns = n_columns or len(row)
                if len(row) != n_columns:
                    raise UsageError(
                        f"{self.path}, line {line}: {len(row)} cells where the first line has "
                        f"{n_columns}; give every row the same number of cells"
                    )
                lines.append(line)
                if len(first_rows) < 2:
                    first_rows.append([cell.strip() for cell in row])
        except csv.Error:
            raise UsageError(
                f"{self.path}, line {next_line}: a quote is not closed or has something beside "
                "it; check the quotes around its cells"
            ) from None
        if n_columns == 1:
            raise TableError(self.path, [_one_column(self.separator)])
        return np.array(lines), first_rows

    def _set_columns(self, rows: list[list[str]]) -> None:
        first = rows[0]
        self.named = not set(self.known).isdisjoint(first) or _is_header(rows, self.format.decimal)
        if self.named and len(rows) == 1:
            raise UsageError(f"{self.path} has a header and no rows; add rows of numbers below it")
        self.columns = [
            cell if self.named and cell else f"column_{j + 1}" for j, cell in enumerate(first)
        ]
        check_names(self.path, self.columns)


def whole_rows(pieces: Iterable[str]) -> Iterator[str]:
    """Cut a text into pieces that end at the end of a row: after a line break outside quotes."""
    rest = ""
    for piece in pieces:
        rest += piece
        end = rest.rfind("\n") + 1
        quotes = rest.count('"', 0, end)
        while end and quotes % 2:
            earlier = rest.rfind("\n", 0, end - 1) + 1
            quotes -= rest.count('"', earlier, end)
            end = earlier
        if len(rest) > MAX_ROW:
            end = end or len(rest)  # the parser reports the quote that is never closed
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _rows(lines: Iterable[str], separator: str, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ", strict=strict)


def _find_separator(text: str, decimal: str) -> str:
    """Return the candidate that splits the first lines into equal rows with the most numbers.

    1,5;2,5 has commas and semicolons. Only a split at the semicolon leaves numbers alone.
    """
    lines = list(islice((line for line in io.StringIO(text) if line.strip()), SAMPLE))
    signs = [sign for sign in SEPARATORS if sign != decimal and sign in lines[0]]
    rows = {sign: list(_rows(lines, sign)) for sign in signs}
    found = [sign for sign in signs if len(rows[sign][0]) > 1]

    def merit(sign: str) -> tuple[bool, float, int]:
        cells = [cell.strip() for row in rows[sign] for cell in row]
        if sign != ",":
            cells = [cell.replace(",", ".") for cell in cells]
        n_numbers = sum(to_number(cell) is not None for cell in cells)
        equal = len({len(row) for row in rows[sign]}) == 1
        return equal, n_numbers / len(cells), len(rows[sign][0])

    return max(found, key=merit, default="," if decimal == "." else ";")


def _one_column(separator: str) -> Problem:
    return Problem(
        f"there is one column only when cells are separated by {shown(separator)}, and at least "
        "two are needed",
        [
            Remedy("name the separator", "separator", "|"),
            "separate the cells by comma, semicolon or tab",
        ],
    )


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
    return None if cell.lower() in MISSING else to_number(cell, decimal) is not None
