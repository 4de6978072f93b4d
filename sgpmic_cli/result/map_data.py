"""What the script of the map draws: rows, columns, texts to search and the process.

Numbers are sent as 16-bit integers in base64, so that a page of 54,000 rows stays below 8 MB.

The process is evaluated on a grid. With the kernel k of `shared_process` and the weights W (K, P)
of the inducing inputs Z, the mean of the columns at a place x, its gradient and the variance, which
all columns share, are

    f(x) = k(x, Z) W        df/dx_q = sum_k (-g_q (x_q - z_kq) r_k + l z_kq) W_k
    var(x) = k(x, x) - k(x, Z) (K_uu^-1 - A^-1) k(Z, x)

where r_k is the RBF part of k(x, z_k).
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.clustering.map.features import Features
from sgpmic_cli.clustering.map.training import FittedMap
from sgpmic_cli.figure_style import COLOURS, look
from sgpmic_cli.result import interpretation
from sgpmic_cli.result.fitting import Fitted
from sgpmic_cli.result.plots import projection
from sgpmic_cli.text import for_html, shortened

MOST_MAP_ROWS = 60_000  # a longer table is shown by an evenly spaced subset
MOST_VALUES = 1_500_000  # cells of columns by which the map can be coloured
MOST_MAP_COLUMNS = 40
MOST_CHARACTERS = 1_500_000  # of the texts that can be searched
LONGEST_TEXT = 60
MISSING_CODE = 65535
GRID_MARGIN = 0.1  # of the grid around the rows, in widths of the map
GRID = 32  # places along each side at which the process is evaluated
UNKNOWN = 255  # no arrow
STRONG = 0.5  # a column is named if it changes at least this fraction of the one that changes most
MOST_ARROWS = 3
ENOUGH_ROWS = 2_000  # of which a fraction of variance is known to about 0.03


def map_data(fitted: Fitted, texts: Mapping[str, Sequence[str]] = {}) -> dict[str, object]:
    """Return the content of the map for JSON.

    `texts` has columns of the table as texts (N,), in which the search looks.
    """
    data, prediction, labels = fitted.data, fitted.prediction, fitted.prediction.labels
    rows = np.unique(np.linspace(0, len(data.Y) - 1, min(len(data.Y), MOST_MAP_ROWS)).astype(int))
    middle, directions, _ = projection(prediction.embedding)
    points = (prediction.embedding - middle) @ directions.T
    low, span = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    steps = np.round((points[rows] - low) / span * (MISSING_CODE - 1))
    return {
        "table": data.name,
        "total": len(data.Y),
        "clusters": [
            {"name": for_html(name), "look": look(m), "rows": int((labels == m).sum())}
            for m, name in enumerate(fitted.cluster_names)
        ],
        "looks": [look(k) for k in range(len(COLOURS))],
        "names": [for_html(interpretation.row_name(data, row)) for row in rows.tolist()],
        "cluster": _packed(labels[rows]),
        "probability": _packed((MISSING_CODE - 1) * prediction.probabilities[rows].max(axis=1)),
        "unusual": np.flatnonzero(fitted.prediction.unusual[rows]).tolist(),
        "low": low.tolist(),
        "step": span / (MISSING_CODE - 1),
        "x": _packed(steps[:, 0]),
        "y": _packed(steps[:, 1]),
        "columns": [*_columns(fitted, rows)],
        "texts": [*_texts(texts, rows)],
        "field": _field(fitted, low - GRID_MARGIN * span, (1.0 + 2.0 * GRID_MARGIN) * span),
    }


def _packed(values: Array, kind: str = "<u2") -> str:
    return base64.b64encode(np.asarray(values).round().astype(kind).tobytes()).decode("ascii")


def _columns(fitted: Fitted, rows: Array) -> Iterator[dict[str, Any]]:
    """Yield the groups, the classes, and the columns that differ most between clusters."""
    data, profile = fitted.data, fitted.profile
    if fitted.groups is not None and fitted.group_names:
        names = [*map(for_html, fitted.group_names), "no group"]
        codes = np.where(fitted.groups[rows] < 0, len(names) - 1, fitted.groups[rows])
        yield {"name": "group", "categories": names, "values": _packed(codes)}
    if data.labels is not None:
        classes = [for_html(name) for name in data.class_names]
        yield {"name": "class", "categories": classes, "values": _packed(data.labels[rows])}
    places: dict[str, list[int]] = {}
    for j in profile.by_difference:
        places.setdefault(profile.columns[j], []).append(j)
    for name in [*places][: min(MOST_MAP_COLUMNS, MOST_VALUES // len(rows))]:
        features = sorted(places[name])
        values, column = data.Y[rows][:, features], {"name": for_html(name)}
        if profile.is_category[features[0]]:
            codes = np.where(
                np.isnan(values[:, 0]), MISSING_CODE, np.nan_to_num(values).argmax(axis=1)
            )
            texts = [for_html(profile.features[j].removeprefix(f"{name}=")) for j in features]
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
            "feature": j,
            "date": name in profile.dates,
            "low": float(low),
            "step": step,
            "values": _packed(codes),
            # The ends of the colours: extreme values would leave one colour for all others.
            "ends": np.quantile(known, [0.01, 0.99]).tolist() if len(known) else [0.0, 1.0],
            "means": [None if np.isnan(mean) else float(mean) for mean in profile.means[:, j]],
            "spread": float(profile.spread[j]),
        }


def _texts(texts: Mapping[str, Sequence[str]], rows: Array) -> Iterator[dict[str, object]]:
    """Yield columns as distinct texts and their numbers, up to a total length."""
    characters = MOST_CHARACTERS
    for name, cells in texts.items():
        codes, distinct = pd.factorize(np.asarray(cells, dtype=object)[rows])
        words = [for_html(shortened(str(word), LONGEST_TEXT)) for word in distinct]
        cost = sum(map(len, words)) + 3 * len(rows)
        if 1 < len(words) < MISSING_CODE and cost <= characters:
            characters -= cost
            yield {"name": for_html(name), "words": words, "codes": _packed(codes)}


def _field(fitted: Fitted, low: Array, span: float) -> dict[str, object] | None:
    """Return the process on a grid over a map in the plane; None for the paper's model."""
    model, profile = fitted.model, fitted.profile
    if not isinstance(model, GroupMap) or model.embedding_.shape[1] != 2:
        return None
    if len(model.scale_) != len(profile.features):  # a pipeline has made other columns
        return None
    along = (np.arange(GRID) + 0.5) / GRID * span
    X = np.stack(np.meshgrid(low[0] + along, low[1] + along), axis=-1).reshape(-1, 2)
    found, mean = field_at(model._fitted.map, X), model.inverse_transform(X)
    gradient = np.zeros((len(X), 2, len(profile.features)))
    gradient[:, :, model.scale_ > 0] = found.gradient
    _, columns = np.unique(profile.columns, return_inverse=True)
    gradient *= arrow_weights(fitted, columns) * model.scale_ / _or_one(profile.spread)
    named = strongest(gradient, columns)
    arrows = np.take_along_axis(gradient, np.maximum(named, 0)[:, None], axis=2)  # (n, 2, 3)
    shown = sorted(set(named[named >= 0].tolist()))[:UNKNOWN]
    position = np.full(len(profile.features) + 1, UNKNOWN)
    position[shown] = np.arange(len(shown))
    deviation = np.sqrt(found.variance)
    lowest, step = mean.min(axis=0), _or_one(np.ptp(mean, axis=0)) / (MISSING_CODE - 1)
    numbers = [j for j in profile.by_difference if not profile.is_category[j]][:MOST_MAP_COLUMNS]
    return {
        "size": GRID,
        "low": low.tolist(),
        "span": span,
        "unknown": _packed(UNKNOWN * found.unknown, "u1"),
        "deviation": _packed(UNKNOWN * deviation / deviation.max(), "u1"),
        "columns": {
            j: {
                "low": lowest[j],
                "step": step[j],
                "values": _packed((mean[:, j] - lowest[j]) / step[j]),
                "deviation": deviation.max() * model.scale_[j] / UNKNOWN,
            }
            for j in numbers
        },
        "features": [for_html(profile.features[j]) for j in shown],
        "arrows": _packed(position[named], "u1"),
        "ends": _packed(127.0 * np.moveaxis(arrows, 1, 2) / _or_one(np.abs(arrows).max()), "i1"),
    }


def _or_one(values: Array) -> Array:
    """Return the values with 1 in place of 0, to divide by them."""
    return np.where(values > 0, values, 1.0)


def arrow_weights(fitted: Fitted, columns: Indices) -> Array:
    """Return the square of the fraction of each feature (F,) that other columns predict.

    The fraction itself is not small enough for a column of noise that is steep in a tight cluster.
    """
    return predicted_fraction(fitted, columns) ** 2


def predicted_fraction(fitted: Fitted, columns: Indices) -> Array:
    """Return the fraction of the variance of each feature (F,) that other columns predict.

    The map follows a column of noise if it has a dimension to spare, above all inside a tight
    cluster. Such a column changes along the map, but it drives nothing: the others do not predict
    it. Let r be the residuals of a row, J (Q, F) the gradient at its place and C the covariance of
    its cluster on the map. Without the features c of a column, the linearised map moves the row by

        d = -(sum_{other f} J_f J_f' + noise C^-1)^-1 J_c r_c

    to the residuals r_c - J_c' d. They are divided by 1 - K / N, because the process was fitted to
    the same N rows with K inducing inputs (generalised cross-validation; Craven and Wahba 1979).

    Parameters
    ----------
    fitted : Fitted
        A default model of two latent dimensions.
    columns : ndarray of shape (F,)
        Column of each feature.
    """
    Y, model = fitted.data.Y, fitted.model
    assert isinstance(model, GroupMap)
    rows = np.linspace(0, len(Y) - 1, min(len(Y), ENOUGH_ROWS)).astype(int)
    process, scaled = model._fitted.map, model._scaled(Y[rows])
    found, known = field_at(process, fitted.prediction.embedding[rows]), np.isfinite(scaled)
    J, residuals = found.gradient * known[:, None], np.where(known, scaled - found.mean, 0.0)
    prior = np.exp(process.parameters.log_noise) * np.linalg.inv(model.covariances_)
    precision = J @ J.transpose(0, 2, 1) + prior[fitted.prediction.labels[rows]]
    used = model.scale_ > 0
    for column in np.unique(columns[used]):
        own = columns[used] == column
        J_c, r_c = J[:, :, own], residuals[:, own, None]
        others = precision - J_c @ J_c.transpose(0, 2, 1)
        r_c = r_c + J_c.transpose(0, 2, 1) @ np.linalg.solve(others, J_c @ r_c)
        residuals[:, own] = r_c[:, :, 0]
    residuals /= 1.0 - len(process.parameters.Z) / len(process.parameters.mu)
    fraction = np.zeros(len(used))
    fraction[used] = 1.0 - (residuals**2).sum(axis=0) / _or_one(np.nansum(scaled**2, axis=0))
    return np.maximum(fraction, 0.0)


class Field(NamedTuple):
    """Mean (n, P), gradient (n, Q, P), variance (n,), and its fraction of the RBF part's (n,).

    Far from all rows that fraction is 1.
    """

    mean: Array
    gradient: Array
    variance: Array
    unknown: Array


def field_at(fitted: FittedMap, X: Array) -> Field:
    """Return the process of the scaled columns at places X (n, Q) of the map."""
    p, process = fitted.parameters, fitted.process
    linear, widths = np.exp(p.log_l), np.exp(p.log_g)
    K = Features(p).kernel(X.T).T
    R = K - linear * X @ p.Z.T
    slopes = -widths * (X[:, None] - p.Z) * R[:, :, None] + linear * p.Z  # (n, K, Q)
    gradient = np.einsum("nkq,kp->nqp", slopes, process.W)
    prior = np.exp(p.log_v) + linear * (X**2).sum(axis=1)
    explained = np.einsum("nk,kl,nl->n", K, process.Kuu_inv - process.A_inv, K)
    variance = np.clip(prior - explained, 0.0, prior)
    unknown = np.minimum(variance / np.exp(p.log_v), 1.0)
    return Field(K @ process.W, gradient, variance, unknown)


def strongest(gradient: Array, columns: Indices) -> Indices:
    """Return the features (n, 3) with the largest gradient (n, Q, F) at each place; -1 for none.

    `columns` (F,) is the column of each feature. A column is named once.
    """
    size = np.linalg.norm(gradient, axis=1)
    found = np.full((len(size), MOST_ARROWS), -1)
    least = STRONG * size.max(axis=1)
    for place in range(MOST_ARROWS):
        best = size.argmax(axis=1)
        enough = size.max(axis=1) >= np.maximum(least, np.finfo(float).tiny)
        found[enough, place] = best[enough]
        size = np.where(columns == columns[best][:, None], 0.0, size)
    return found
