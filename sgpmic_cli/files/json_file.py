"""Read JSON files strictly."""

import json
from pathlib import Path
from typing import Any

from sgpmic_cli.files.atomic import read_whole


def read_json(path: Path) -> Any:
    """Read a JSON file. Raise OSError if it cannot be read, ValueError if it is not valid JSON."""
    return strict_json(read_whole(path))


def strict_json(text: str | bytes) -> Any:
    """Parse JSON. Raise ValueError for NaN, Infinity and nesting beyond the recursion limit."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not valid JSON")
