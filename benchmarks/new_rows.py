"""Measure the probabilities that the paper's model gives to new rows, beside five neighbours.

Each registered data set that needs no download is divided into halves, twice, or three times if it
has at most 250 rows. A fit to one half assigns the rows of the other half. A row is right if it
gets the cluster that a fit to all rows gives it, after clusters are matched one to one on the
fitted half. The calibration error is that of being right, in ten bins. `class` is the fraction of
rows in the cluster of their class. Writes new-rows.csv into OUT.
"""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.map_study import calibration_error, reliability
from benchmarks.shared import number_table, parse, progress, write_csv
from sgpmic_cli import SGPMIC
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.data import load
from sgpmic_cli.data.registry import entry, names

ITERATIONS = (1, 20)
SMALL = 250  # rows of a data set that is divided three times
ACCEPTED = 0.1  # calibration error


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    asked = parse(arguments, __doc__, out=Path("results"))
    warnings.simplefilter("ignore")
    found = []
    for name in names():
        if entry(name).kind != "download":
            progress(name)
            found += [row for count in ITERATIONS for row in measured(name, count)]
    rows = pd.DataFrame(found)
    write_csv(rows, asked.out / "new-rows.csv")
    print(number_table("new rows", summary(rows), "{:g}"))


def measured(name: str, iterations: int) -> Iterator[dict[str, Any]]:
    """Yield the measures of the model and of five neighbours for each division of a data set."""
    data = load(name)
    labels = np.asarray(data.labels)

    def fit(Y: Array) -> SGPMIC:
        return SGPMIC(data.n_classes, max_iter=iterations, random_state=0).fit(Y)

    whole = fit(data.Y).labels_
    for division in range(3 if len(labels) <= SMALL else 2):
        order = np.random.RandomState(division).permutation(len(labels))
        old, new = order[: len(order) // 2], order[len(order) // 2 :]
        model = fit(data.Y[old])
        scaled = (data.Y - model.offset_) / model.scale_
        five = KNeighborsClassifier(5).fit(scaled[old], model.labels_).predict(scaled[new])
        ways = {"ten nearest responsibilities": model.predict_proba(data.Y[new])}
        ways |= {"five nearest labels": np.eye(data.n_classes)[five]}
        for way, probabilities in ways.items():
            found, best = probabilities.argmax(axis=1), probabilities.max(axis=1)
            right = matched(model.labels_, whole[old])[found] == whole[new]
            of_class = matched(model.labels_, labels[old])[found] == labels[new]
            yield {
                "dataset": name,
                "division": division,
                "method": f"{way}, {iterations} iteration{'s' * (iterations > 1)}",
                "right": right.mean(),
                "class": of_class.mean(),
                "probability": best.mean(),
                "error": calibration_error(reliability(right, best)),
            }


def matched(labels: Indices, others: Indices) -> Indices:
    """Return the number among the others of each cluster, one to one."""
    m = max(labels.max(), others.max()) + 1
    counts = np.zeros((m, m))
    np.add.at(counts, (labels, others), 1)
    return np.asarray(linear_sum_assignment(-counts)[1])


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the means over the divisions, and the number of large calibration errors."""
    methods = rows.groupby("method", sort=False)
    means = methods[["right", "class", "probability", "error"]].mean().round(3)
    above = methods["error"].apply(lambda errors: int((errors > ACCEPTED).sum()))
    return means.assign(**{f"above {ACCEPTED:g}": above.astype(object)})


if __name__ == "__main__":
    main()
