"""JSON files that were written by this program and may have come to harm since: read strictly or not at all."""

import json
from pathlib import Path
from typing import Any

from sgpmic_cli.files.atomic import read_whole


def read_json(path: Path) -> Any:
    """The content of a JSON file: OSError where it cannot be read, ValueError where it is not JSON to the letter."""
    return strict_json(read_whole(path))


def strict_json(text: str | bytes) -> Any:
    """JSON without NaN and Infinity, and nested no deeper than people nest."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")
