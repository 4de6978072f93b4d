"""Compare the labels of GroupMap with those of other clusterers.

    python -m benchmarks.study [FOLDER]

FOLDER holds labelled tables NAME.csv or NAME.csv.gz whose last column is the class, or sets in the
layout of Gagolewski's suite: BATTERY/NAME.data.gz has the rows of a set, NAME.labels0.gz,
NAME.labels1.gz, ... its labelings; label 0 is noise and is not scored. Without FOLDER, the study
runs on bundled tables and on generated clouds that break assumptions.

GroupMap gets the tables as they are. For all other methods text becomes indicator columns, missing
values become medians, and the columns are standardised. The number of clusters of a labeling is
given. The score of a set is the largest adjusted Rand index over its labelings.

Writes scores.csv, with the SHA-256 of each set, and findings.md into OUT. A second call computes
only what is missing. Genie and Lumbermark have an environment of their own (`make study`).
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from benchmarks.shared import (
    BUNDLED,
    mixture,
    number_table,
    parse,
    progress,
    sha256,
    standard_error,
    tables_in,
)
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.data.loading import load
from sgpmic_cli.scaling import offset_and_scale
from sgpmic_cli.tables.encoder import TableEncoder

DEFAULT, OPEN = "GroupMap", "GroupMap, number open"


def _genie(k: int, _: int) -> Any:
    from genieclust import Genie

    return Genie(k)


def _lumbermark(k: int, _: int) -> Any:
    from lumbermark import Lumbermark

    return Lumbermark(k)


# Clusterers of rows into k clusters with a seed. The map of GroupMap changes no label.
METHODS: dict[str, Callable[[int, int], Any]] = {
    DEFAULT: lambda k, seed: GroupMap(k, max_iter=1, random_state=seed),
    "k-means": lambda k, seed: KMeans(k, n_init=10, random_state=seed),
    "Gaussian mixture": mixture,
    "spectral": lambda k, seed: SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=12, random_state=seed
    ),
    "Ward": lambda k, _: AgglomerativeClustering(k),
    "Genie": _genie,
    "Lumbermark": _lumbermark,
    OPEN: lambda *_: GroupMap(max_iter=1),
}
# Their labels do not depend on random numbers.
SEEDLESS = {DEFAULT, OPEN, "Ward", "Genie", "Lumbermark"}
COLUMNS = ["set", "sha256", "method", "seed", "ari"]

FIRST_SEED = 950_000  # of the clouds, which were used for no choice
CLOUDS = ("heavy-tails", "skewed", "discrete-columns", "unequal-sizes", "outliers")
DRAWS = 20  # of each kind of cloud
OUTLIERS = 0.05  # fraction of rows


class LabelledSet(NamedTuple):
    """The rows of a set, as they are (`table`) and as numbers, and labelings from 1; 0 is noise."""

    name: str
    sha256: str
    table: pd.DataFrame | Array
    rows: Array
    labelings: list[Indices]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the study and write its files."""
    options = {"seeds": 3, "n_jobs": -1}
    asked = parse(arguments, __doc__, "folder", out=Path("results/study"), **options)
    sets = [*suite(asked.folder), *tables(asked.folder)] if asked.folder else [*generated()]
    if not sets:
        raise SystemExit(f"{asked.folder} has no tables NAME.csv and no sets BATTERY/NAME.data.gz")
    scores = score_all(sets, asked.out / "scores.csv", asked.seeds, asked.n_jobs)
    text = findings(scores)
    (asked.out / "findings.md").write_text(text, encoding="utf-8")
    print(text)


def suite(folder: Path) -> Iterator[LabelledSet]:
    """Yield the sets of a folder in the layout of Gagolewski's suite."""
    for file in sorted(folder.glob("*/*.data.gz")):
        name, rows = file.name.removesuffix(".data.gz"), np.loadtxt(file, ndmin=2)
        labelings = [
            np.loadtxt(path, dtype=int) for path in sorted(file.parent.glob(f"{name}.labels*.gz"))
        ]
        yield LabelledSet(f"{file.parent.name}/{name}", sha256(file), rows, rows, labelings)


def tables(folder: Path) -> Iterator[LabelledSet]:
    """Yield the labelled tables of a folder."""
    for name, file in tables_in(folder):
        table = pd.read_csv(file)
        frame, labels = table.iloc[:, :-1], pd.factorize(table.iloc[:, -1])[0] + 1
        filled = frame.fillna(frame.median(numeric_only=True)).fillna(frame.mode().iloc[0])
        rows = TableEncoder().fit_transform(filled)
        rows = np.where(np.isnan(rows), np.nanmedian(rows, axis=0), rows)
        yield LabelledSet(f"{folder.name}/{name}", sha256(file), frame, rows, [labels])


def generated() -> Iterator[LabelledSet]:
    """Yield the bundled tables, scikit-learn's digits, and the clouds."""
    found = {
        f"tables/{name}": (load(name).Y, np.asarray(load(name).labels) + 1) for name in BUNDLED
    }
    digits, labels = load_digits(return_X_y=True)
    found["tables/digits"] = digits, labels + 1
    for kind in CLOUDS:
        for seed in range(FIRST_SEED, FIRST_SEED + DRAWS):
            found[f"{kind}/{seed}"] = cloud(kind, seed)
    for name, (rows, labels) in found.items():
        digest = hashlib.sha256(rows.tobytes()).hexdigest()
        yield LabelledSet(name, digest, rows, rows, [labels])


def cloud(kind: str, seed: int) -> tuple[Array, Indices]:
    """Return rows and labels of clouds that break an assumption of the test."""
    random = np.random.default_rng(seed)
    k, p = (int(number) for number in random.integers(2, 7, 2))
    centres = random.normal(size=(k, p))
    centres *= random.uniform(3.0, 7.0) / pdist(centres).min()
    sizes = random.integers(50, 150, k)
    if kind == "unequal-sizes":
        sizes[0] *= 10
    labels = np.repeat(np.arange(1, k + 1), sizes)
    draw: dict[str, Callable[..., Any]] = {
        "heavy-tails": lambda size: random.standard_t(3, size) / np.sqrt(3.0),
        "skewed": lambda size: random.gamma(1.0, size=size) - 1.0,
    }
    rows = centres[labels - 1] + draw.get(kind, random.standard_normal)((len(labels), p))
    if kind == "discrete-columns":  # beside twice as many others
        rows = np.c_[rows, random.poisson(1.0, (len(rows), max(1, p // 2)))]
    if kind == "outliers":
        n, low, high = int(OUTLIERS * len(rows)), rows.min(axis=0), rows.max(axis=0)
        margin = 0.1 * (high - low)
        rows = np.vstack([rows, random.uniform(low - margin, high + margin, (n, p))])
        labels = np.r_[labels, np.zeros(n, dtype=int)]
    return rows, labels


def score_all(sets: Sequence[LabelledSet], file: Path, seeds: int, n_jobs: int) -> pd.DataFrame:
    """Return the scores of all methods on all sets, and store them in a file."""
    waiting = {
        (each.name, each.sha256, method, seed): each
        for each in sets
        for method in METHODS
        for seed in range(1 if method in SEEDLESS else seeds)
    }
    stored = pd.read_csv(file)[COLUMNS] if file.exists() else pd.DataFrame(columns=COLUMNS)
    rows = [row for row in stored.itertuples(index=False, name=None) if row[:-1] in waiting]
    for row in rows:
        del waiting[row[:-1]]
    found = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(score)(case, each) for case, each in waiting.items()
    )
    for row in found:
        rows.append(row)
        pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
        progress(f"{row[0]} {row[2]} {row[-1]:.3f}")
    return pd.DataFrame(rows, columns=COLUMNS)


def score(
    case: tuple[str, str, str, int], labelled: LabelledSet
) -> tuple[str, str, str, int, float]:
    """Return the row of scores.csv for one method on one set."""
    *_, method, seed = case
    offset, scale = offset_and_scale(labelled.rows, "standard")
    X = labelled.table if method in (DEFAULT, OPEN) else (labelled.rows - offset) / scale
    numbers = {int(labels.max()) for labels in labelled.labelings} - {1}
    return *case, best(labelled, {k: METHODS[method](k, seed).fit_predict(X) for k in numbers})


def best(labelled: LabelledSet, found: dict[int, Any]) -> float:
    """Return the largest score over the labelings; `found` has labels by number of clusters."""
    return max(
        adjusted_rand_score(labels[labels > 0], np.asarray(found[labels.max()])[labels > 0])
        for labels in labelled.labelings
        if labels.max() > 1
    )


def findings(scores: pd.DataFrame) -> str:
    """Return means over the sets with standard errors, and the scores of each set, as tables."""
    by_set = scores.groupby(["set", "method"])["ari"].mean().unstack()
    lead = by_set.rsub(by_set[DEFAULT], axis=0)
    means = pd.DataFrame(
        {
            "mean ARI": by_set.mean(),
            "standard error": standard_error(by_set),
            "ours less theirs": lead.mean(),
            "its standard error": standard_error(lead),
        }
    ).sort_values("mean ARI", ascending=False)
    return f"""# Findings

{len(by_set)} sets, {scores["seed"].nunique()} seed(s). Standard errors are over sets.
Every method but "{OPEN}" gets the number of clusters. Methods without random starts run once.

{number_table("method", means, "{:.3f}")}
Adjusted Rand indices:

{number_table("set", by_set[means.index], "{:.3f}")}"""


if __name__ == "__main__":
    main()
