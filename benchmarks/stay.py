"""Measure how far rows move on the map when a table grows by a tenth, and how sure places are.

Rows are added by `GroupMap.update`. Beside it: refits of GroupMap, UMAP and PaCMAP. The move of a
row is a fraction of the width of the map; refits are aligned by a Procrustes transformation
first. The ellipses of 90 % are those of the latent distributions. Their coverage is that of the
places of the same rows in a fit to another half of the table that shares these rows. Writes
stay.csv into OUT.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import orthogonal_procrustes
from scipy.stats import chi2
from sklearn.manifold import trustworthiness
from sklearn.preprocessing import StandardScaler

from benchmarks.shared import progress
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array
from sgpmic_cli.data import load

NAMES = ("iris", "wine", "wdbc", "segment", "australian", "cmc")
MOST_ROWS = 1200  # of larger tables, a random subsample is used
ADDED = 0.1  # of the rows
LEVEL = 0.9  # of an ellipse
ELLIPSES = f"ellipses of {LEVEL:.0%}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the measurements of each map and table, and print their means over the seeds."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--tables", type=Path, help="folder of CSV files, in place of our tables")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    asked = parser.parse_args(arguments)
    found: list[dict[str, object]] = []
    for name, rows in tables(asked.tables):
        for seed in asked.seeds:
            progress(f"{name}, seed {seed}")
            Y = rows[np.random.RandomState(seed).permutation(len(rows))[:MOST_ROWS]]
            found += [{"table": name, "seed": seed, **row} for row in growth(Y, seed)]
            found.append(
                {"table": name, "seed": seed, "map": ELLIPSES, "coverage": coverage(Y, seed)}
            )
    table = pd.DataFrame(found)
    table.to_csv(asked.out / "stay.csv", index=False, float_format="%.4f")
    means = table.drop(columns="seed").groupby(["table", "map"], sort=False).mean()
    print(means.round(4).to_string(na_rep=""))


def tables(folder: Path | None) -> Iterator[tuple[str, Array]]:
    """Yield the names of tables and their rows, without missing values."""
    if folder is None:
        yield from ((name, load(name).Y) for name in NAMES)
        return
    for path in sorted(folder.glob("*.csv*")):
        yield path.name, pd.read_csv(path).select_dtypes("number").dropna().to_numpy(np.float64)


def growth(Y: Array, seed: int) -> Iterator[dict[str, object]]:
    """Yield the measurements of each map when the last tenth of the rows is added."""
    n = len(Y) - int(ADDED * len(Y))
    scaled = StandardScaler().fit_transform(Y)
    model = fitted(Y[:n], seed)
    before, labels = model.embedding_, model.labels_
    grown = fitted(Y[:n], seed).update(Y[n:])
    yield {
        "map": "GroupMap.update",
        **measured(before, grown.embedding_, scaled),
        "changed_clusters": np.mean(grown.labels_[:n] != labels),
        "unlike": len(grown.update_.unlike),
        "new_clusters": len(grown.update_.new_clusters),
    }
    for name, embed in {
        "GroupMap refit": lambda X: fitted(X, seed).embedding_,
        **rivals(seed),
    }.items():
        first, second = (embed(X) for X in (scaled[:n], scaled))
        yield {"map": name, **measured(first, aligned(second, first), scaled)}


def fitted(Y: Array, seed: int) -> GroupMap:
    """Return the fitted default model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GroupMap(random_state=seed).fit(Y)


def rivals(seed: int) -> dict[str, Callable[[Array], Array]]:
    """Return the other maps, of the extra 'study'."""
    from pacmap import PaCMAP
    from umap import UMAP

    return {
        "UMAP refit": lambda X: UMAP(random_state=seed).fit_transform(X),
        "PaCMAP refit": lambda X: PaCMAP(random_state=seed).fit_transform(X),
    }


def aligned(points: Array, target: Array) -> Array:
    """Return points (N, Q) moved, rotated, mirrored and scaled to the first rows of a target."""
    n = len(target)
    centre = points[:n].mean(axis=0)
    rotation, size = orthogonal_procrustes(points[:n] - centre, target - target.mean(axis=0))
    scale = size / np.sum((points[:n] - centre) ** 2)
    return scale * (points - centre) @ rotation + target.mean(axis=0)


def measured(before: Array, after: Array, scaled: Array) -> dict[str, float]:
    """Return the median move of the old rows and the trustworthiness of the grown map."""
    moves = np.linalg.norm(after[: len(before)] - before, axis=1)
    width = np.ptp(before, axis=0).max()
    return {
        "median_move": np.median(moves) / width,
        "trustworthiness": trustworthiness(scaled, after, n_neighbors=10),
    }


def coverage(Y: Array, seed: int) -> float:
    """Return how often ellipses hold the places of rows in a fit to other rows.

    A third of the rows is in both fits, and each fit has another third of its own.
    """
    shared, one, other = np.array_split(np.arange(len(Y)), 3)
    first, second = (fitted(Y[np.r_[shared, own]], seed) for own in (one, other))
    n = len(shared)
    target = first.embedding_[:n]
    places = aligned(second.embedding_, target)[:n]
    distances = np.sum((places - target) ** 2 / first.embedding_variances_[:n], axis=1)
    return float(np.mean(distances <= chi2.ppf(LEVEL, target.shape[1])))


if __name__ == "__main__":
    main()
