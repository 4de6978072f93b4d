"""Which column of a file holds the classes where nobody says: the last one."""

import csv
import io
from pathlib import Path

_SEPARATORS = ",;\t"


def last_column(path: str) -> str | None:
    """Name of the last column of a CSV file, `column_5` for the fifth of one without a header.

    None for what is no file: whoever loads it says so.
    """
    try:
        with Path(path).expanduser().open(encoding="utf-8-sig", errors="replace") as lines:
            first = next((line for line in lines if line.strip()), "")
    except (OSError, ValueError):
        return None
    separator = max(_SEPARATORS, key=first.count)
    cells = [
        cell.strip() for cell in next(csv.reader(io.StringIO(first), delimiter=separator), [""])
    ]
    return f"column_{len(cells)}" if any(map(_is_number, cells)) or not cells[-1] else cells[-1]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
