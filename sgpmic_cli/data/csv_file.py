"""Anybody's CSV as a data set, with a sentence for everything that can be wrong with one."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import nearest
from sgpmic_cli.errors import UsageError

_SEPARATORS = (",", ";", "\t")
_MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
_NO_CLASS = frozenset({"", "?"})  # a class may well be called none
_LARGEST = 1e100  # squares of larger numbers, summed, leave the floating-point range
_CLASS_NAMES = frozenset({"label", "labels", "class", "target"})
_QUOTED = re.compile('"[^"]*"')
# Below this many bytes the standard library is done before pandas is imported.
_FAST_PATH_BYTES = 1_000_000


@dataclass(frozen=True)
class _Layout:
    """What the first lines tell: the separator, the columns, where the classes are."""

    path: Path
    separator: str
    columns: tuple[str, ...]
    has_header: bool
    label: int | None

    @property
    def features(self) -> list[int]:
        return [j for j in range(len(self.columns)) if j != self.label]


def read_csv(path: Path, *, name: str, label: str | None = None, to_cluster: bool = True) -> Dataset:
    """Read a CSV with comma, semicolon or tab; the column `label` holds the classes, all others are numbers.

    Rows that are only to be placed under a fitted model (`to_cluster=False`) may be a single one, or all of one class.
    """
    text = _read_text(path)
    layout = _layout(path, text, label)
    fast = _parse_fast(text, layout) if len(text) > _FAST_PATH_BYTES else None
    Y, classes = fast or _parse(text, layout)
    classes = None if classes is None else _same_numbers(classes)
    if to_cluster and len(Y) < 2:
        raise UsageError(f"{path} has one row of data only; clustering needs two or more")
    if to_cluster and classes is not None and len(set(classes)) < 2:
        raise UsageError(
            f"column {label!r} of {path} holds one class only ({classes[0]!r}); "
            "name a column with two or more classes, or none"
        )
    if to_cluster:
        _check_spread(path, Y, [layout.columns[j] for j in layout.features])
    names = [layout.columns[j] for j in layout.features]
    return Dataset.from_classes(name, Y, classes, names, names_made_up=not layout.has_header)


def _check_spread(path: Path, Y: np.ndarray, columns: list[str]) -> None:
    """Numbers that no method could work with."""
    if np.abs(Y).max() > _LARGEST:
        row, j = np.unravel_index(np.abs(Y).argmax(), Y.shape)
        raise UsageError(
            f"{path}, row {row + 1}, column {columns[j]!r}: {Y[row, j]:g} is too large to be squared; "
            "divide the column by a constant"
        )
    if (Y[0] == Y).all():
        raise UsageError(f"all rows of {path} are equal, so there is nothing to cluster; check the file")


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; give the path of a CSV file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; give the path of a CSV file in it") from None
    except PermissionError:
        raise UsageError(f"you have no permission to read {path}; change its mode or copy it") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error}); give the path of a CSV file") from None
    if b"\0" in raw:
        raise UsageError(f"{path} is not a text file in UTF-8 (it has zero bytes); save it as CSV in UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path} is not in UTF-8 (byte 0x{raw[error.start]:02x} in line {line}); save it as CSV in UTF-8"
        ) from None
    if not text.strip():
        raise UsageError(f"{path} is empty; it needs a header line and rows of numbers")
    return text


def _layout(path: Path, text: str, label: str | None) -> _Layout:
    first_line = next(line for line in io.StringIO(text, newline="") if line.strip())
    separator = max(_SEPARATORS, key=_QUOTED.sub("", first_line).count)
    rows = _rows(path, io.StringIO(text, newline=""), separator)
    _, first = next(rows)
    _, second = next(rows, (0, None))
    if len(first) - (label is not None) < 2:
        raise UsageError(
            f"{path} has {'no' if label is not None and len(first) == 1 else 'one'} feature column"
            f"{' beside the label' if label is not None else ''}; "
            "at least two are needed, separated by comma, semicolon or tab"
        )
    header = label in first or _is_header(first, second)
    if header and second is None:
        raise UsageError(f"{path} has a header and no rows; add rows of numbers below it")
    columns = tuple(cell if header and cell else f"column_{j + 1}" for j, cell in enumerate(first))
    name, times = Counter(columns).most_common(1)[0]
    if times > 1:
        raise UsageError(f"{path} has {times} columns named {name!r}; give every column its own name")
    if label is None and columns[-1].lower() in _CLASS_NAMES:
        # As a feature it would give the answer away; as classes it would be a guess.
        raise UsageError(
            f"the last column of {path} is named {columns[-1]!r}: say label={columns[-1]} if it holds the classes, "
            "or rename it if it is a feature"
        )
    if label is not None and label not in columns:
        raise UsageError(
            f"{path} has no column {label!r}{nearest(label, columns)}; its columns are {_shortened(columns)}"
        )
    return _Layout(path, separator, columns, header, None if label is None else columns.index(label))


def _is_header(first: list[str], second: list[str] | None) -> bool:
    """Words make a header, unless the next row has its numbers and words in the same places."""
    numeric = [_to_number(cell) is not None for cell in first]
    if all(numeric):
        return False
    return not any(numeric) or second is None or numeric != [_to_number(cell) is not None for cell in second]


def _rows(path: Path, buffer: io.StringIO, separator: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, stripped cells) of every row that is not blank; the buffer is read no further than asked."""
    reader = csv.reader(buffer, delimiter=separator, strict=True)
    try:
        for cells in reader:
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise UsageError(f"{path}, line {reader.line_num}: {error}; check the quotes around its cells") from None


def _parse_fast(text: str, layout: _Layout) -> tuple[np.ndarray, list[str] | None] | None:
    """The whole file at once; None when anything is odd, and the careful reader then says what."""
    import pandas as pd

    # Before 3.1 the default converter can miss the last bit; since then all are exact and the option is deprecated.
    exact_by_default = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    buffer = io.StringIO(text, newline="")
    if layout.has_header:
        next(_rows(layout.path, buffer, layout.separator))
    try:
        # Without names pandas takes the width from the first row: longer rows are errors, shorter ones end in "".
        frame = pd.read_csv(
            buffer,
            sep=layout.separator,
            header=None,
            dtype={} if layout.label is None else {layout.label: str},
            na_filter=False,
            float_precision=None if exact_by_default else "round_trip",
            low_memory=False,
        )
    except ValueError:
        return None
    if frame.shape[1] != len(layout.columns):
        return None
    numbers = frame[layout.features]
    if any(kind.kind not in "iuf" for kind in numbers.dtypes):  # a column of words or truth values
        return None
    Y = numbers.to_numpy(dtype=np.float64)
    if not np.isfinite(Y).all():
        return None
    if layout.label is None:
        return Y, None
    classes = frame[layout.label].str.strip()
    return None if classes.isin(_NO_CLASS).any() else (Y, classes.tolist())


def _parse(text: str, layout: _Layout) -> tuple[np.ndarray, list[str] | None]:
    """Row by row, so that a fault has a place."""
    rows = _rows(layout.path, io.StringIO(text, newline=""), layout.separator)
    if layout.has_header:
        next(rows)
    values: list[list[float]] = []
    classes: list[str] = []
    for row, (line, cells) in enumerate(rows, start=1):
        if len(cells) != len(layout.columns):
            raise UsageError(
                f"{layout.path}, line {line}: {len(cells)} cells where the first line has {len(layout.columns)}; "
                "give every row the same number of cells"
            )
        numbers = [_to_number(cell) for cell in cells]
        for j, cell in enumerate(cells):
            number = numbers[j]
            missing = cell in _NO_CLASS if j == layout.label else cell.lower() in _MISSING
            if missing or (j != layout.label and (number is None or not math.isfinite(number))):
                raise _fault(layout, f"row {row} (line {line}), column {layout.columns[j]!r}", j, cell, number)
        values.append([number for j in layout.features if (number := numbers[j]) is not None])
        if layout.label is not None:
            classes.append(cells[layout.label])
    return np.array(values, dtype=np.float64), classes if layout.label is not None else None


def _same_numbers(classes: list[str]) -> list[str]:
    """Classes as they are written, but 1 and 1.0 as the same one where all of them are numbers."""
    numbers = [_to_number(name) for name in classes]
    if any(number is None or math.isnan(number) for number in numbers):
        return classes
    written: dict[float | None, str] = {}
    return [written.setdefault(number, name) for number, name in zip(numbers, classes, strict=True)]


def _fault(layout: _Layout, place: str, j: int, cell: str, number: float | None) -> UsageError:
    where = f"{layout.path}, {place}"
    if cell.lower() in _MISSING:
        shown = f" ({cell!r})" if cell else ""
        return UsageError(f"{where}: the value is missing{shown}; fill it in or remove the row")
    if number is not None:
        return UsageError(f"{where}: {cell!r} is not finite; put a number there or remove the row")
    advice = "put a number there or remove the column"
    if layout.label is None:
        advice = f"if this column holds the classes, say label={layout.columns[j]}; otherwise " + advice
    comma = " (a decimal comma, perhaps: write a point)" if _to_number(cell.replace(",", ".")) is not None else ""
    return UsageError(f"{where}: {cell!r} is not a number{comma}; {advice}")


def _to_number(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)  # Python alone reads 1_000 as a number
    except ValueError:
        return None


def _shortened(columns: tuple[str, ...], most: int = 20) -> str:
    return ", ".join(columns[:most]) + (f" and {len(columns) - most} more" if len(columns) > most else "")
