"""Read printed numbers: a CSV file with a line for each number that a publication prints."""

import io
from pathlib import Path

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.plan.datasets import USUAL_PERCENTAGE
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.atomic import read_regular
from sgpmic_cli.scores import SCORES

# The scores of a table; `nmi` holds the definition of the protocol.
SHOWN = tuple(name for name in SCORES if name not in ("nmi_clusters", "nmi_stated"))
KEY = ["metric", "dataset", "explained_variance", "method"]
NUMBERS = ["mean", "std", "repeats"]


def read_printed(path: Path) -> pd.DataFrame:
    """Read printed numbers from a CSV file; see `parse_printed`."""
    try:
        return parse_printed(read_regular(path))
    except (OSError, KeyError, ValueError) as error:
        problem = f"column {error} is missing" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{str(path)!r} is not a CSV file of printed numbers: {problem}."
        ) from None


def parse_printed(content: bytes) -> pd.DataFrame:
    """Parse and check printed numbers.

    Parameters
    ----------
    content : bytes
        CSV with the columns method, dataset, metric, mean, std and repeats. A column `variance` has
        the percentage of each row, which is otherwise 95. Lines without a mean and other columns
        are ignored.

    Returns
    -------
    printed : DataFrame
        The columns KEY, NUMBERS and `data_differ` (False).
    """
    text = io.BytesIO(content)
    try:
        table = pd.read_csv(text, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except pd.errors.EmptyDataError:
        table = pd.DataFrame(columns=["mean"])
    table.index += 2  # the lines of the file
    table = table[table["mean"].fillna("") != ""]
    if table.empty:
        raise ValueError("there is no number in it")
    variance = table["variance"] if "variance" in table else pd.Series("", table.index)
    variance = variance.fillna("").replace("", str(USUAL_PERCENTAGE))
    names = {name: table[name] for name in ("dataset", "method")}
    numbers = {name: _numbers(table[name]) for name in NUMBERS}
    printed = pd.DataFrame(
        {
            "metric": table["metric"].str.lower(),
            **names,
            "explained_variance": _numbers(variance).astype(int),
            **numbers,
            "data_differ": False,
        }
    )
    for line, metric in printed["metric"].items():
        if metric not in SHOWN:
            raise ValueError(f"metric {metric!r} in line {line} is none of {', '.join(SHOWN)}")
    finite = np.isfinite(printed[NUMBERS].to_numpy(float)).all(axis=1)
    for line in printed.index[~finite | (printed["std"] < 0.0) | (printed["repeats"] <= 0)]:
        raise ValueError(f"a number in line {line} is negative or infinite")
    for line in printed.index[printed.duplicated(KEY)]:
        raise ValueError(f"line {line} repeats an earlier cell")
    return printed[[*KEY, *NUMBERS, "data_differ"]].reset_index(drop=True)


def _numbers(texts: pd.Series) -> pd.Series:
    for line, text in texts.items():
        try:
            float(text)
        except (TypeError, ValueError):
            raise ValueError(f"a number in line {line} is missing or wrong") from None
    return texts.astype(float)
