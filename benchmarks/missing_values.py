"""Measure the cost of missing values: hide 30 % of the entries of each bundled data set.

The default model clusters the full rows ("full"), the rows with missing values ("model"), and rows
completed with medians or with scikit-learn's IterativeImputer. The number of clusters is given. The
hidden entries and the seed are the same for all ways. Writes missing.csv into OUT, with the ACC of
each fit.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # required by scikit-learn
from sklearn.impute import IterativeImputer, SimpleImputer

from benchmarks.shared import BUNDLED, number_table, parse, write_csv
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array
from sgpmic_cli.data import load
from sgpmic_cli.scores import purity

WAYS = ("full", "model", "median", "iterative")
HIDDEN = 0.3  # fraction of the entries


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    asked = parse(arguments, __doc__, out=Path("results/study/missing"), patterns=8)
    cases = list(product(BUNDLED, WAYS, range(asked.patterns)))
    acc = Parallel(n_jobs=-1)(delayed(accuracy)(*case) for case in cases)
    rows = pd.DataFrame(cases, columns=["dataset", "way", "pattern"]).assign(acc=acc)
    write_csv(rows, asked.out / "missing.csv")
    means = mean_acc(rows)
    print(number_table("ACC", pd.concat([means, means.mean().to_frame("mean").T]), "{:.1f}"))


def accuracy(name: str, way: str, pattern: int) -> float:
    """Return the ACC of a fit to a data set with hidden entries, completed in one of the WAYS."""
    data = load(name)
    Y = data.Y if way == "full" else hide(data.Y, pattern)
    if way == "median":
        Y = SimpleImputer(strategy="median").fit_transform(Y)
    elif way == "iterative":
        Y = IterativeImputer(random_state=pattern).fit_transform(Y)
    model = GroupMap(data.n_classes, max_iter=1, random_state=pattern)  # the map changes no label
    return purity(np.asarray(data.labels), model.fit(Y).labels_)


def hide(Y: Array, pattern: int, fraction: float = HIDDEN) -> Array:
    """Replace a random fraction of the entries by NaN. Keep at least one entry of each row."""
    rng = np.random.RandomState(pattern)
    hidden = rng.random_sample(Y.shape) < fraction
    kept = rng.randint(Y.shape[1], size=len(Y))
    empty = hidden.all(axis=1)
    hidden[empty, kept[empty]] = False
    return np.where(hidden, np.nan, Y)


def mean_acc(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean ACC by data set and way."""
    return rows.pivot_table(index="dataset", columns="way", values="acc", sort=False)


if __name__ == "__main__":
    main()
