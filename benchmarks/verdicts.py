"""Measure how often clusters and islands are called groups: false alarms and power.

False alarms are counted per table: a cloud without groups is cut into clusters by k-means and by
`GroupMap`, and any cluster with the verdict "group" is a false alarm, as is any surviving group.
Power is measured on two Gaussians, and on islands beside a large cloud. Tables go through
`GroupMap.fit` as a user's would. Sixty draws of a cloud have each number of rows with each number
of columns and of clusters once. Writes verdicts.csv into OUT.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.cluster import KMeans

from benchmarks.shared import parse
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.clusters.valleys import (
    P_VALUES,
    STATISTICS,
    deepest_valley,
    folds,
    projections,
)
from sgpmic_cli.clustering.clusters.verdicts import continuous_columns, verdicts_of

Random = np.random.RandomState
Table = tuple[str, Array, int, int]
ROWS, COLUMNS, CLUSTERS = (300, 500, 1500), (2, 5, 10, 20, 50), (2, 3, 4, 6)
# Rows, columns, standard deviations between two Gaussians, fraction of the first.
SEPARATED = (
    (500, 2, 3.0, 0.5),
    (500, 5, 3.0, 0.5),
    (500, 2, 4.0, 0.5),
    (500, 10, 4.0, 0.5),
    (2000, 2, 3.0, 0.5),
    (2000, 5, 3.0, 0.5),
    (2000, 5, 7.0, 0.03),
)


def _arc(n: int, p: int, angle: float, random: Random) -> Array:
    place = angle * random.random_sample(n)
    rows = 0.1 * random.standard_normal((n, p))
    rows[:, 0] += np.cos(place)
    rows[:, 1] += np.sin(place)
    return np.asarray(rows)


def _ball(n: int, p: int, random: Random) -> Array:
    rows = random.standard_normal((n, p))
    radius = random.random_sample((n, 1)) ** (1.0 / p)
    return np.asarray(radius * rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _discrete(n: int, p: int, random: Random) -> Array:
    """Return independent columns of two to eight values with random frequencies."""
    columns = []
    for _ in range(p):
        k = random.randint(2, 9)
        columns.append(random.choice(k, n, p=random.dirichlet(np.full(k, 2.0))))
    return np.column_stack(columns).astype(float)


CLOUDS: dict[str, Callable[[int, int, Random], Array]] = {
    "Gaussian": lambda n, p, random: random.standard_normal((n, p)),
    "uniform": lambda n, p, random: random.random_sample((n, p)),
    "exponential": lambda n, p, random: random.exponential(size=(n, p)),
    "t, 3 degrees": lambda n, p, random: (
        random.standard_normal((n, p)) / np.sqrt(random.chisquare(3, (n, 1)) / 3)
    ),
    "t columns": lambda n, p, random: random.standard_t(3, (n, p)),
    "correlated": lambda n, p, random: (
        random.standard_normal((n, p)) @ (random.standard_normal((p, p)) * 0.7 ** np.arange(p)).T
    ),
    "ball": _ball,
    "arc": lambda n, p, random: _arc(n, p, np.pi, random),
    "ring": lambda n, p, random: _arc(n, p, 2.0 * np.pi, random),
    "whole numbers": lambda n, p, random: np.round(3.0 * random.standard_normal((n, p))),
    "discrete": _discrete,
    "discrete and Gaussian": lambda n, p, random: np.column_stack(
        [_discrete(n, p, random), random.standard_normal((n, p))]
    ),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the tables."""
    asked = parse(arguments, __doc__, out=Path("results"), draws=60, n_jobs=-1, reference=False)
    if asked.reference:  # the table of valleys.py
        print(pd.DataFrame(reference(asked.draws), columns=P_VALUES[1:]).round(2).to_string())
        return
    tables = chain(false_alarms(asked.draws), detections(asked.draws))
    table = summary(Parallel(asked.n_jobs)(delayed(called_groups)(*each) for each in tables))
    table.to_csv(asked.out / "verdicts.csv", index=False)
    print(table.to_string(index=False))


def summary(rows: Iterable[dict[str, str | bool]]) -> pd.DataFrame:
    """Return the number of tables with a group, its fraction and standard error."""
    called = pd.DataFrame(rows).melt("table", var_name="judged", value_name="group")
    table = called.groupby(["table", "judged"], sort=False)["group"].agg(["size", "sum", "mean"])
    table.columns = pd.Index(["tables", "with a group", "fraction"])
    variance = table["fraction"] * (1.0 - table["fraction"])
    table["standard error"] = np.sqrt(variance / table["tables"])
    return table.round(3).reset_index()


def reference(draws: int) -> Iterator[Array]:
    """Yield quantiles of the statistic of uniform clouds that k-means cuts in two."""
    for columns in range(1, len(STATISTICS) + 1):
        statistics = []
        for draw in range(draws):
            rows = Random(draw).random_sample((500, columns))
            rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
            labels = KMeans(2, n_init=3, random_state=draw).fit_predict(rows)
            [t] = projections(rows, labels, folds(labels, draw)).values()
            statistics.append(deepest_valley(t)[0])
        yield np.quantile(statistics, 1.0 - P_VALUES[1:])


def false_alarms(draws: int) -> Iterator[Table]:
    """Yield tables without groups: name, rows, number of clusters and seed."""
    for kind, cloud in CLOUDS.items():
        for draw in range(draws):
            n, p, k = (each[draw % len(each)] for each in (ROWS, COLUMNS, CLUSTERS))
            rows = cloud(n, p, Random(draw))
            yield kind, rows, min(k, len(np.unique(rows, axis=0))), draw


def detections(draws: int) -> Iterator[Table]:
    """Yield tables with two groups."""
    for n, p, distance, fraction in SEPARATED:
        for draw in range(draws):
            rows = Random(draw).standard_normal((n, p))
            rows[: round(fraction * n), 0] += distance
            name = f"{n} rows, {p} columns, {distance:g} deviations, {100 * fraction:g} %"
            yield name, rows, 2, draw


def called_groups(table: str, rows: Array, k: int, seed: int) -> dict[str, str | bool]:
    """Return whether some cluster of k-means, of a fit, or some island is called a group."""
    warnings.simplefilter("ignore")
    model = GroupMap(k, random_state=seed, max_iter=1).fit(pd.DataFrame(rows).add_prefix("x"))
    scaled = (rows - rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-12)
    labels = KMeans(k, n_init=3, random_state=seed).fit_predict(scaled)
    verdicts = verdicts_of(continuous_columns(scaled, seed), labels, k, seed)
    return {
        "table": table,
        "k-means": any(each.verdict == "group" for each in verdicts),
        "clusters": any(each["verdict"] == "group" for each in model.verdicts_),
        "islands": bool(model.groups_.max() >= 0),
    }


if __name__ == "__main__":
    main()
