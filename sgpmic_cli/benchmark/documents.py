"""Write and read the JSON document of a benchmark: the rows of a comparison."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.compare import comparison
from sgpmic_cli.benchmark.methods import Methods, error_text
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.errors import SgpmicError


def document(study: Study, table: pd.DataFrame) -> dict[str, Any]:
    """Return the JSON document of a benchmark."""
    head = {name: getattr(study, name) for name in ("protocol", "repeats", "seed")}
    return {**head, "numbers": plain_rows(table)}


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame with the values of JSON: None for a missing number."""
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def read_document(
    path: Path, methods: Methods, printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Read the `benchmark.json` of a benchmark as a comparison; see `compare`."""
    with reading(path) as content:
        return comparison(pd.DataFrame(content["numbers"]), methods, printed)


@contextmanager
def reading(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a JSON object that a benchmark wrote. Turn every fault in it into one sentence."""
    try:
        yield dict(json.loads(path.read_bytes()))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({error_text(error)}): run the "
            "benchmark again."
        ) from None
