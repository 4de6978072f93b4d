"""What the script of the map draws: rows, columns and texts to search.

Numbers are sent as 16-bit integers in base64, so that a page of 54,000 rows stays below 8 MB.
"""

import base64
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sgpmic_cli._typing import Array
from sgpmic_cli.result.notable_rows import row_name
from sgpmic_cli.result.plots import projection
from sgpmic_cli.result.result import Result
from sgpmic_cli.result.tables import row_numbers
from sgpmic_cli.style import COLOURS, look
from sgpmic_cli.tables.notation import texts_of
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import for_html, shortened

MOST_MAP_ROWS = 60_000  # a longer table is shown by an evenly spaced subset
MOST_VALUES = 1_500_000  # cells of columns by which the map can be coloured
MOST_MAP_COLUMNS = 40
MOST_CHARACTERS = 1_500_000  # of the texts that can be searched
LONGEST_TEXT = 60
MISSING_CODE = 65535


def map_data(result: Result) -> dict[str, object]:
    """Return the content of the map for JSON. The search looks in ids and texts."""
    data, found, labels = result.rows, result.results, result.results.labels
    rows = np.unique(np.linspace(0, len(data.Y) - 1, min(len(data.Y), MOST_MAP_ROWS)).astype(int))
    middle, directions, _ = projection(found.points)
    points = (found.points - middle) @ directions.T
    low, span = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    steps = np.round((points[rows] - low) / span * (MISSING_CODE - 1))
    return {
        "table": data.name,
        "total": len(data.Y),
        "clusters": [
            {"name": for_html(name), "look": look(m), "rows": int((labels == m).sum())}
            for m, name in enumerate(result.cluster_names)
        ],
        "looks": [look(k) for k in range(len(COLOURS))],
        "names": [for_html(row_name(data, row)) for row in rows.tolist()],
        "cluster": _packed(labels[rows]),
        "probability": _packed((MISSING_CODE - 1) * found.probabilities[rows].max(axis=1)),
        "unusual": np.flatnonzero(found.unusual[rows]).tolist(),
        "low": low.tolist(),
        "step": span / (MISSING_CODE - 1),
        "x": _packed(steps[:, 0]),
        "y": _packed(steps[:, 1]),
        "columns": [*_columns(result, rows)],
        "texts": [*_texts(data, rows)],
    }


def _packed(values: ArrayLike) -> str:
    return base64.b64encode(np.asarray(values).round().astype("<u2").tobytes()).decode("ascii")


def _columns(result: Result, rows: Array) -> Iterator[dict[str, Any]]:
    """Yield the classes, and the columns that differ most between clusters."""
    data, profile = result.rows, result.profile
    if data.labels is not None:
        classes = [for_html(name) for name in data.class_names]
        yield {"name": "class", "categories": classes, "values": _packed(data.labels[rows])}
    most = min(MOST_MAP_COLUMNS, MOST_VALUES // len(rows))
    for name, features in islice(profile.features_of.items(), most):
        values, column = data.Y[rows][:, features], {"name": for_html(name)}
        if profile.is_category[features[0]]:
            codes = np.nan_to_num(values).argmax(axis=1)
            codes[np.isnan(values[:, 0])] = MISSING_CODE
            texts = [for_html(profile.category(j)) for j in features]
            fractions = np.nan_to_num(profile.means[:, features]).round(3).tolist()
            yield {**column, "categories": texts, "values": _packed(codes), "means": fractions}
            continue
        known, j = values[np.isfinite(values)], features[0]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        whole = bool((known == known.round()).all()) and high - low < MISSING_CODE
        step = 1.0 if whole else float(high - low) / (MISSING_CODE - 1) or 1.0
        codes = np.where(np.isfinite(values[:, 0]), (values[:, 0] - low) / step, MISSING_CODE)
        yield {
            **column,
            "date": bool(profile.is_date[j]),
            "low": float(low),
            "step": step,
            "values": _packed(codes),
            # The ends of the colours: extreme values would leave one colour for all others.
            "ends": np.quantile(known, [0.01, 0.99]).tolist() if len(known) else [0.0, 1.0],
            "means": [None if np.isnan(mean) else float(mean) for mean in profile.means[:, j]],
            "spread": float(profile.spread[j]),
        }


def _texts(data: Rows, rows: Array) -> Iterator[dict[str, object]]:
    """Yield the columns that the model does not use as distinct texts and their numbers.

    They are ids, classes and columns that were left out, up to a total length.
    """
    if data.recipe is None or data.frame is None:
        return
    characters, used = MOST_CHARACTERS, {each.name for each in data.recipe.columns}
    frame = data.frame.iloc[row_numbers(data)[rows] - 1]
    for name in (str(name) for name in frame if name not in used):
        codes, distinct = pd.factorize(np.asarray(texts_of(frame[name]), dtype=object))
        words = [for_html(shortened(str(word), LONGEST_TEXT)) for word in distinct]
        cost = sum(map(len, words)) + 3 * len(rows)
        if 1 < len(words) < MISSING_CODE and cost <= characters:
            characters -= cost
            yield {"name": for_html(name), "words": words, "codes": _packed(codes)}
