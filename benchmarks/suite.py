"""Score the default model and common clusterers on sets in the layout of Gagolewski's suite.

FOLDER/BATTERY/NAME.data.gz holds the rows of a set, NAME.labels0.gz, NAME.labels1.gz, ... its
labelings; label 0 is noise and is not scored. The number of clusters of a labeling is given, and
the columns are standardised. The score of a set is the largest adjusted Rand index over its
labelings. `--published` reads label vectors of other methods (METHOD/BATTERY/NAME.resultK.gz with a
column for each variant; the first one is used). `rivals.py` writes such vectors. If there is a
NAME.table.csv, the default model gets this table instead of the rows.
"""

import argparse
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from benchmarks.shared import progress
from sgpmic_cli.benchmark.peers import PeerGaussianMixture, PeerKMeans, PeerSpectral, PeerWard
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.figure_style import PAGE, canvas, look

DEFAULT = "GroupMap"
METHODS: dict[str, Any] = {
    DEFAULT: partial(GroupMap, max_iter=1),  # the map changes no label
    "k-means": PeerKMeans,
    "Gaussian mixture": PeerGaussianMixture,
    "spectral": PeerSpectral,
    "Ward": PeerWard,
}
OPEN = f"{DEFAULT}, number open"
SEEDLESS = {DEFAULT, OPEN, "Ward"}  # labels do not depend on random numbers
COLUMNS = ["set", "method", "seed", "ari", "noise_clusters"]


def score_parser(description: str | None, *, out: str, seeds: int) -> argparse.ArgumentParser:
    """Return a parser with the options of `score_all`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path(out))
    parser.add_argument("--published", type=Path, help="folder of label vectors of other methods")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--n-jobs", type=int, default=-1)
    return parser


def score_all(
    sets: Sequence[Path],
    methods: Mapping[str, Any],
    asked: argparse.Namespace,
    seedless: Collection[str] = SEEDLESS,
) -> pd.DataFrame:
    """Return the scores of all methods on all sets, and store them in scores.csv."""
    asked.out.mkdir(parents=True, exist_ok=True)
    file, names = asked.out / "scores.csv", {name_of(path) for path in sets}
    known = pd.read_csv(file) if file.exists() else pd.DataFrame(columns=COLUMNS)
    known = known[known["method"].isin(list(methods))].reset_index(drop=True)
    done = set(zip(known["set"], known["method"], known["seed"], strict=True))
    waiting = [
        (path, name, methods[name], seed)
        for path in sets
        for name in methods
        for seed in range(1 if name in seedless else asked.seeds)
        if (name_of(path), name, seed) not in done
    ]
    found = Parallel(n_jobs=asked.n_jobs, return_as="generator_unordered")(
        delayed(score)(*case) for case in waiting
    )
    for number, row in enumerate(found, 1):
        known.loc[len(known)] = row
        known.to_csv(file, index=False)
        progress(f"{number} of {len(waiting)}: {row[0]} {row[1]} {row[3]:.3f}")
    if asked.published:
        rows = [row for path in sets for row in published_scores(path, asked.published)]
        known = pd.concat([known, pd.DataFrame(rows, columns=COLUMNS)])
        known.to_csv(file, index=False)
    return known[known["set"].isin(names)]


def name_of(path: Path) -> str:
    """Return BATTERY/NAME of a file of rows."""
    return f"{path.parent.name}/{path.name.removesuffix('.data.gz')}"


def labelings(path: Path) -> list[np.ndarray]:
    """Return the labelings of a set that have at least two clusters; 0 is noise."""
    files = sorted(path.parent.glob(path.name.replace(".data.gz", ".labels*.gz")))
    found = [np.loadtxt(file, dtype=int) for file in files]
    return [labels for labels in found if labels.max() > 1]


def score(path: Path, name: str, method: Any, seed: int) -> list[object]:
    """Return the row of scores.csv for one method, a class of estimators, on one set."""
    table, fitted = path.with_name(path.name.replace(".data.gz", ".table.csv")), {}
    own = name in (DEFAULT, OPEN) and table.exists()
    X = pd.read_csv(table) if own else np.loadtxt(path, ndmin=2)
    for k in {labels.max() for labels in labelings(path)}:
        given = {"n_clusters": int(k), "random_state": seed}
        accepted = method().get_params()
        model = method(**{key: given[key] for key in given if key in accepted})
        fitted[k] = model.fit(X).labels_
    return [name_of(path), name, seed, *_best(path, fitted)]


def published_scores(path: Path, folder: Path) -> list[list[object]]:
    """Return the rows of scores.csv for the label vectors that others published."""
    rows: list[list[object]] = []
    battery, name = name_of(path).split("/")
    for method in sorted(each for each in folder.iterdir() if each.is_dir()):
        fitted = {}
        for k in {labels.max() for labels in labelings(path)}:
            file = method / battery / f"{name}.result{k}.gz"
            if file.exists():
                fitted[k] = pd.read_csv(file).iloc[:, 0].to_numpy()
        if fitted:
            rows.append([name_of(path), method.name, 0, *_best(path, fitted)])
    return rows


def _best(path: Path, fitted: Mapping[int, np.ndarray]) -> tuple[float, int]:
    """Return the largest score over the labelings, and the clusters that are mostly noise there.

    An entry of `fitted` has a row for each of several clusterings if their mean score counts.
    """
    return max(
        _mean_score(labels, np.atleast_2d(fitted[labels.max()]))
        for labels in labelings(path)
        if labels.max() in fitted
    )


def _mean_score(labels: np.ndarray, clusterings: np.ndarray) -> tuple[float, int]:
    inside = labels > 0
    scores = [adjusted_rand_score(labels[inside], found[inside]) for found in clusterings]
    noisy = [np.mean(labels[found == m] == 0) > 0.5 for found in clusterings for m in set(found)]
    return float(np.mean(scores)), int(sum(noisy))


def mean_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the mean score of every method (rows) on every battery (columns) and on all sets."""
    by_set = scores.groupby(["set", "method"])["ari"].mean().unstack()
    batteries = by_set.groupby(by_set.index.str.split("/").str[0]).mean().T
    batteries.insert(0, "all sets", by_set.mean())
    return batteries.sort_values("all sets", ascending=False)


def draw(stem: Path, means: pd.DataFrame) -> None:
    """Draw the mean score of every method on every battery."""
    with canvas(stem, width=PAGE, height=0.3 * len(means) + 1.2) as figure:
        axes = figure.subplots()
        for index, battery in enumerate(means.columns[:0:-1]):
            colour, marker = look(index)
            place: Any = {"linestyle": "none", "markersize": 4.5, "label": battery}
            axes.plot(means[battery], range(len(means)), color=colour, marker=marker, **place)
        axes.plot(means["all sets"], range(len(means)), "k|", markersize=14, label="all sets")
        axes.set_yticks(range(len(means)), list(means.index))
        axes.invert_yaxis()
        axes.set_xlabel("mean adjusted Rand index")
        figure.legend(loc="outside upper center", ncols=min(len(means.columns), 6))
