"""Measure how much clusters change when a table is changed in ways that mean nothing.

    python -m benchmarks.invariance FOLDER

FOLDER holds labelled tables NAME.csv or NAME.csv.gz whose last column is the class, which gives the
number of clusters. Each change is made to every table, and the clusters of the old rows are
compared by the adjusted Rand index. Writes invariance.csv into OUT, with the SHA-256 of each
table.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from pandas.api.types import is_numeric_dtype
from sklearn.metrics import adjusted_rand_score

from benchmarks.shared import number_table, parse, sha256, tables_in, write_csv
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Indices

DRAWS = 2  # of each random change
JITTER = 1e-9  # in standard deviations
LEAST = 0.98  # adjusted Rand index that a change should keep
LEAST_OF = {"rows twice": 0.9, "another seed": 0.9}  # of changes that may move single rows
Changed = tuple[str, pd.DataFrame, Indices]  # name, table, and its rows that are the old ones


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    asked = parse(arguments, __doc__, "folder", out=Path("results"), n_jobs=-1)
    parts = Parallel(asked.n_jobs)(delayed(compared)(*each) for each in tables_in(asked.folder))
    scores = pd.DataFrame(chain(*parts))
    write_csv(scores, asked.out / "invariance.csv")
    print(number_table("change", summary(scores), "{:g}"))


def compared(table_name: str, file: Path) -> list[dict[str, Any]]:
    """Return the agreement of the clusters of a table with those of each changed table."""
    warnings.simplefilter("ignore")
    table = pd.read_csv(file)
    frame, n_clusters = table.iloc[:, :-1], table.iloc[:, -1].nunique()
    labels, found = clusters(frame, n_clusters), []
    for name, changed, rows in changes(frame):
        again = clusters(changed, n_clusters, int(name == "another seed"))[rows]
        score = adjusted_rand_score(labels, again)
        place = {"table": table_name, "sha256": sha256(file)}
        found.append({**place, "change": name, "ari": score})
    return found


def clusters(frame: pd.DataFrame, n_clusters: int, seed: int = 0) -> Indices:
    """Return the clusters of the rows. The map changes no cluster, so it is hardly fitted."""
    model = GroupMap(n_clusters, max_iter=1, n_resamples=0, random_state=seed)
    return model.fit(frame).labels_


def changes(frame: pd.DataFrame) -> Iterator[Changed]:
    """Yield changed tables. A change that does not apply to a table is left out."""
    n, rows = len(frame), np.arange(len(frame))
    numbers = [str(name) for name in frame if is_numeric_dtype(frame[name])]
    flags = [name for name in numbers if set(frame[name].dropna()) == {0, 1}]
    texts = [str(name) for name in frame if name not in numbers]
    if flags:
        words = {name: frame[name].map({0: "no", 1: "yes"}.get) for name in flags}
        yield "0/1 as yes/no", frame.assign(**words), rows
    if texts:
        renamed = {name: _renamed(frame[name]) for name in texts}
        yield "categories renamed", frame.assign(**renamed), rows
    yield "another seed", frame, rows
    yield "rows twice", pd.concat([frame, frame], ignore_index=True), rows
    for draw in range(DRAWS):
        random = np.random.RandomState(draw)
        yield "columns permuted", frame[random.permutation(frame.columns)], rows
        order = random.permutation(n)
        yield "rows permuted", frame.iloc[order].reset_index(drop=True), np.argsort(order)
        yield "independent flag", frame.assign(another=random.randint(0, 2, n)), rows
        letters = np.array(list("abcd"), dtype=object)[random.randint(0, 4, n)]
        yield "independent category", frame.assign(another=letters), rows
        yield "column doubled", frame.assign(another=frame[random.choice(frame.columns)]), rows
        if numbers:
            moves = JITTER * frame[numbers].std().to_numpy() * random.randn(n, len(numbers))
            yield "jitter", frame.assign(**(frame[numbers] + moves)), rows


def _renamed(column: pd.Series) -> pd.Series:
    """Return other names for the categories, in another order of the alphabet."""
    names = sorted(column.dropna().unique(), key=str)
    return column.map({name: f"name {len(names) - place}" for place, name in enumerate(names)})


def summary(scores: pd.DataFrame) -> pd.DataFrame:
    """Return for each change the number of comparisons, and the fraction that is equal enough."""
    asked = scores["change"].map(LEAST_OF).fillna(LEAST)
    scores = scores.assign(asked=asked, reached=scores["ari"] >= asked)
    groups = scores.groupby("change", sort=False)
    found = {
        "comparisons": groups.size(),
        "asked": groups["asked"].first(),
        "reached": groups["reached"].mean(),
        "mean": groups["ari"].mean(),
        "lowest": groups["ari"].min(),
    }
    return pd.DataFrame(found).round(3)


if __name__ == "__main__":
    main()
