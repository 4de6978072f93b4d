"""Decode text files and split them into rows of cells, which stay as they are written.

The rows are split by the csv module in strict mode. The parser of pandas fills short rows with
empty cells, joins text after a closing quote to the cell, and does not know the line of a row. It
takes as long for cells that stay texts.
"""

import codecs
import csv
import io
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.cells import MISSING, to_number
from sgpmic_cli.tables.options import Problem, Remedy, TableError, TextFormat, plural, shown

Row = tuple[int, Sequence[Any]]  # the line where it begins, and its cells
MAX_BYTES = 2 * 1024**3  # of a table that is loaded into memory
MAX_LINE = 1 << 26  # characters; a longer line is not one of a table
SEPARATORS = ("\t", ";", "|", ",")
SAMPLE = 10  # lines that determine the separator and the header
WINDOWS = "cp1252"  # of Western Europe
UTF_16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
JSON = re.compile(rb'\s*(\[\s*[\[{]|\{\s*["}])')
csv.field_size_limit(MAX_LINE)  # a longer cell has a quote that is never closed


class Source(NamedTuple):
    """A buffered stream of decompressed bytes; `path` is None unless a file holds the same."""

    stream: Any
    name: str
    path: str | None = None

    def start(self, n: int = 64) -> bytes:
        """Return the first bytes, at least `n` of them, without consuming them."""
        return bytes(self.stream.peek(n))

    def read_all(self) -> bytes:
        """Read all bytes of a file that fits into memory."""
        content = bytearray()
        while piece := self.stream.read(1 << 22):
            content += piece
            self.check_size(len(content))
        return bytes(content)

    def check_size(self, size: int) -> None:
        """Raise UsageError if a table of this size cannot be loaded into memory."""
        if size > MAX_BYTES:
            raise UsageError(
                f"{self.name} is larger than {MAX_BYTES / 1024**3:g} GiB decompressed; take a "
                "sample of its rows"
            )


def csv_rows(source: Source, format: TextFormat, whole: bool) -> tuple[TextFormat, Generator[Row]]:
    """Return the format of a text file, completed with encoding and separator, and its rows.

    A text that is read as a `whole` has a limited size.
    """
    start = source.start(io.DEFAULT_BUFFER_SIZE)
    if format.encoding is None:
        format = replace(format, encoding=_find_encoding(start))
    if JSON.match(start) or (b"\0" in start and not format.encoding):
        raise UsageError(
            f"{source.name} is no text file in UTF-8 with cells and lines; open it with its "
            "program, or with pandas, and save it as CSV"
        )
    lines = _lines(source, format.encoding, whole)
    sample = list(islice(lines, SAMPLE))
    separator, n_skipped = format.separator, 0
    # Excel names the separator in a line before the header.
    if found := re.fullmatch(r'(?i)"?sep=([^\w"\n])"?\s*', "".join(sample[:1])):
        separator, n_skipped = separator or found[1], 1
        del sample[0]
    separator = separator or _find_separator(sample, format.decimal or "")
    rows = _split(source.name, chain(sample, lines), separator, sample, n_skipped)
    return replace(format, separator=separator), rows


def is_header(rows: Sequence[Sequence[str]], decimal: str) -> bool:
    """Return whether the first row holds the names of the columns.

    It does if it has words only, if it has a word above numbers or a number above words, or if it
    has words beside numbers that are years or count in equal steps, and those below do not.
    """
    first, *others = ([_is_number(cell, decimal) for cell in row] for row in rows)
    if not others or True not in first:
        return False in first
    for kind, column in zip(first, zip(*others, strict=True), strict=True):
        if kind is not None and set(column) - {None} == {not kind}:
            return True
    numeric = [j for j, kind in enumerate(first) if kind]
    names, *later = ([row[j] for j in numeric] for row in rows)
    found = any(rule(names) and not any(map(rule, later)) for rule in (_are_years, _are_steps))
    return found and False in first


def _are_years(cells: Sequence[str]) -> bool:
    years = {cell for cell in cells if re.fullmatch("(18|19|20)[0-9]{2}", cell)}
    return len(years) == len(cells)


def _are_steps(cells: Sequence[str]) -> bool:
    """Return whether three or more whole numbers rise in equal steps."""
    if len(cells) < 3 or not all(map(str.isdecimal, cells)):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(cells)}
    return len(steps) == 1 and steps.pop() > 0


def _is_number(cell: str, decimal: str) -> bool | None:
    """Return None for a missing value, which both kinds of columns may have."""
    if cell.lower() in MISSING:
        return None
    return any(to_number(cell, separator) is not None for separator in decimal or ".,")


def _find_encoding(start: bytes) -> str | None:
    """Return None for UTF-8. A text whose beginning is not UTF-8 is in the encoding of Windows."""
    if start.startswith(UTF_16_MARKS):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return None if b"\0" in start else WINDOWS
    return None


def _lines(source: Source, encoding: str | None, whole: bool) -> Iterator[str]:
    """Yield the lines of a text file with their line ends."""
    path, chosen = source.name, encoding or "utf-8-sig"
    try:
        text = io.TextIOWrapper(source.stream, chosen, newline="")
    except (LookupError, ValueError):  # a name with a zero byte
        raise UsageError(
            f"--encoding {encoding} is unknown; give a name such as 'utf-8', 'latin-1' or 'cp1252'"
        ) from None
    n_lines, size = 0, 0
    try:
        while line := text.readline(MAX_LINE):
            n_lines += 1
            size += len(line)
            source.check_size(size if whole else 0)
            if "\0" in line:
                raise UsageError(f"{path}, line {n_lines}: there is a zero byte; remove it")
            yield line.lstrip("\ufeff") if n_lines == 1 else line  # some programs write two marks
    except UnicodeDecodeError as error:
        bad_line = n_lines + error.object.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{error.object[error.start]:02x} in line {bad_line}"
        what = f"is not in {chosen.removesuffix('-sig').upper()} ({byte})"
        other = WINDOWS if chosen != WINDOWS else "latin-1"
        remedy = Remedy("name its encoding", "encoding", other)
        raise TableError(path, [Problem(what, [remedy, "save it in UTF-8"])]) from None
    except UnicodeError as error:
        reason = f"cannot be read as {chosen} ({error})"
        raise UsageError(f"{path} {reason}; name another encoding") from None
    finally:
        with suppress(ValueError):  # its owner, who closes it, has done so
            text.detach()


def _split(
    path: str, lines: Iterable[str], separator: str, sample: list[str], n_skipped: int
) -> Generator[Row]:
    """Yield the rows that are not blank. `sample` has the first lines after skipped ones.

    Raise UsageError for misplaced quotes and for rows that differ in their number of cells.
    """
    if separator != " ":  # the csv module allows no spaces after a closing quote
        mark = re.escape(separator)
        # A closing quote makes the number of quotes odd, or even right after the opening one.
        closing = re.compile(rf'((?:(?<!")|(?:^|{mark}) *")"(?:"")*) +(?={mark}|[\r\n]|\Z)')
        lines = (closing.sub(r"\1", line) if '" ' in line else line for line in lines)
    reader = _reader(lines, separator, strict=True)
    n_columns, line = 0, n_skipped + 1
    try:
        for cells in reader:
            if len(cells) > 1 or "".join(cells).strip():
                if not n_columns and len(cells) == 1:
                    _check_single_column(path, separator, sample)
                n_columns = n_columns or len(cells)
                if len(cells) != n_columns:
                    raise UsageError(
                        f"{path}, line {line}: {plural(len(cells), 'cell')} where the first line "
                        f"has {n_columns}; delete lines above the header, and give every row as "
                        "many cells"
                    )
                yield line, cells
            line = n_skipped + reader.line_num + 1
    except csv.Error:
        raise UsageError(
            f"{path}, line {line}: a quote is not closed, or text follows a "
            "closing quote; check the quotes around its cells"
        ) from None


def _check_single_column(path: str, separator: str, sample: list[str]) -> None:
    """Raise TableError if another character occurs equally often in each of the first lines."""
    lines = list(filter(str.strip, sample))
    for character in re.findall(r"[^\w\s.,+'\"-]| ", lines[0].strip()):
        if len({line.strip().count(character) for line in lines}) == 1:
            remedy = Remedy("name the separator", "separator", character)
            what = f"splitting at {shown(separator)} gives a single column"
            words = "separate the cells by comma, semicolon or tab"
            raise TableError(path, [Problem(what, [remedy, words])])


def _reader(lines: Iterable[str], separator: str, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ", strict=strict)


def _find_separator(sample: Iterable[str], decimal: str) -> str:
    """Return the candidate that splits the first lines into equal rows with the most numbers.

    1,5;2,5 has commas and semicolons. Only a split at the semicolon gives cells that are all
    numbers. The decimal separator separates only cells in quotes, as in "1,5","2,5".
    """
    lines = list(filter(str.strip, sample))
    quoted = '"' in "".join(lines)
    used = [one for one in SEPARATORS if one in "".join(lines[:1]) and (one != decimal or quoted)]
    rows = {separator: list(_reader(lines, separator)) for separator in used}
    candidates = [separator for separator in used if len(rows[separator][0]) > 1]

    def merit(separator: str) -> tuple[bool, float, int]:
        cells = [cell.strip() for row in rows[separator] for cell in row]
        if separator != ",":
            cells = [cell.replace(",", ".") for cell in cells]
        n_numbers = sum(to_number(cell) is not None for cell in cells)
        equal = len({len(row) for row in rows[separator]}) == 1
        return equal, n_numbers / len(cells), len(rows[separator][0])

    return max(candidates, key=merit, default=";" if decimal == "," else ",")
