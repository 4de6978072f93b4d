"""Measure how often clusters are called groups: false alarms and power.

A false alarm is a cloud without groups in which some cluster has the verdict "group". Power is
measured on two Gaussians, one of which may be a small group beside a large cloud. Every table is
fitted with an open number of clusters and with a given one. Fifteen draws of a cloud have each
number of rows with each number of columns once. Writes verdicts.csv into OUT, the fraction of
tables with a group, and verdicts-bundled.csv, the verdicts on bundled tables with an open number.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from benchmarks.shared import BUNDLED, parse, tables_in
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array
from sgpmic_cli.data.registry import bundled_folder

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
    """Measure and write the table."""
    asked = parse(arguments, __doc__, out=Path("results"), draws=15, n_jobs=-1)
    tables = chain(false_alarms(asked.draws), detections(asked.draws))
    called = Parallel(asked.n_jobs)(delayed(called_groups)(*each) for each in tables)
    fractions = pd.DataFrame(called).groupby("table", sort=False).mean().round(3)
    fractions.to_csv(asked.out / "verdicts.csv")
    print(fractions)
    files = [each for each in tables_in(bundled_folder()) if each[0] in BUNDLED]
    counted = pd.DataFrame(Parallel(asked.n_jobs)(delayed(count_verdicts)(*each) for each in files))
    counted.to_csv(asked.out / "verdicts-bundled.csv", index=False)
    print(counted)


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


def verdicts_of(frame: pd.DataFrame, n_clusters: Any, seed: int = 0) -> list[str]:
    """Return the verdicts on the clusters of a table. Map and refits do not change them."""
    warnings.simplefilter("ignore")
    model = GroupMap(n_clusters, max_iter=1, n_resamples=0, random_state=seed).fit(frame)
    return [each["verdict"] for each in model.verdicts_]


def called_groups(table: str, rows: Array, k: int, seed: int) -> dict[str, str | bool]:
    """Return whether some cluster is called a group, with an open and with a given number."""
    frame = pd.DataFrame(rows).add_prefix("x")
    numbers = {"number open": "auto", "number given": k}
    found = {name: "group" in verdicts_of(frame, each, seed) for name, each in numbers.items()}
    return {"table": table, **found}


def count_verdicts(name: str, file: Path) -> dict[str, str | int]:
    """Return the numbers of groups, slices and other clusters of a labelled table."""
    found = verdicts_of(pd.read_csv(file).iloc[:, :-1], "auto")
    groups, slices = found.count("group"), found.count("slice")
    few = len(found) - groups - slices
    return {"table": name, "groups": groups, "slices": slices, "too few": few}


if __name__ == "__main__":
    main()
