"""Compare the labels of GroupMap with those of other clusterers.

    python -m benchmarks.study [FOLDER]

FOLDER holds labelled tables NAME.csv or NAME.csv.gz whose last column is the class, or sets in the
layout of Gagolewski's suite: BATTERY/NAME.data.gz has the rows of a set, NAME.labels0.gz,
NAME.labels1.gz, ... its labelings; label 0 is noise and is not scored. Without FOLDER, the study
runs on bundled tables, digits and generated clouds that break assumptions.

Methods of OPEN choose the number of clusters, methods of GIVEN are told that of a labeling.
GroupMap gets tables as they are. The other methods get numbers in each of two encodings, without
missing values. The score of a set is the largest adjusted Rand index over its labelings. Methods
whose package is not installed are left out.

Writes scores.csv into OUT, with the SHA-256 of each set. A second call computes what is missing.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from pandas.api.types import is_numeric_dtype
from scipy.spatial.distance import pdist
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.shared import (
    BUNDLED,
    mixture,
    number_table,
    parse,
    progress,
    sha256,
    tables_in,
    write_csv,
)
from sgpmic_cli import GroupMap, TableEncoder
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.data.registry import bundled_folder
from sgpmic_cli.scaling import offset_and_scale

MOST_CLUSTERS = 30  # that a method tries if the number is open
FIRST_SEED = 950_000  # of the clouds, which were used for no choice
CLOUDS = ("heavy-tails", "skewed", "discrete-columns", "unequal-sizes", "outliers")
DRAWS = 20  # of each kind of cloud
OUTLIERS = 0.05  # fraction of rows
EQUAL = 0.02  # difference of adjusted Rand indices that does not count as better or worse
# Sets from one source with different names. Sets of one name in two folders are one source.
SOURCES = {
    "credit.a": "australian",
    "heart.c": "heart",
    "heart_attack_analysis_prediction_dataset": "heart",
    "heart_disease": "heart",
    "image_segmentation": "segment",
    "iris5": "iris",
    "mammographic_mass": "mammographic",
    "pima_indians_diabetes_database": "pima",
    "ring_noisy": "ring",
    "ring_outliers": "ring",
    "statlog": "segment",
    "statlog_german_credit": "credit.g",
    "zigzag_noisy": "zigzag",
    "zigzag_outliers": "zigzag",
}


class LabelledSet(NamedTuple):
    """A data frame or an array of rows, and labelings from 1; 0 is noise."""

    name: str
    sha256: str  # of its files in this order, one after the other
    table: pd.DataFrame | Array
    labelings: list[Indices]


def _hdbscan(points: Array, part: int) -> Indices:
    """Return clusters of at least a part of the rows. Noise joins the nearest cluster."""
    labels = HDBSCAN(max(5, len(points) // part), copy=True).fit_predict(points)
    found = labels >= 0
    nearest = KNeighborsClassifier(1)
    return nearest.fit(points[found], labels[found]).predict(points) if found.any() else labels


def _umap(rows: Array) -> Array:
    umap = import_module("umap").UMAP(n_neighbors=30, min_dist=0.0, random_state=0)
    return np.asarray(umap.fit_transform(rows))  # settings that its manual advises for clusters


def _k_means(rows: Array, k: int) -> Indices:
    return KMeans(k, n_init=10, random_state=0).fit_predict(rows)


def _best_k_means(rows: Array, _: int) -> Indices:
    found = [_k_means(rows, k) for k in range(2, min(MOST_CLUSTERS + 1, len(rows)))]
    return max(found, key=lambda labels: silhouette_score(rows, labels))


def _best_mixture(rows: Array, _: int) -> Indices:
    models = [mixture(k, 0).fit(rows) for k in range(1, min(MOST_CLUSTERS + 1, len(rows)))]
    return np.asarray(min(models, key=lambda model: model.bic(rows)).predict(rows))


def _spectral(rows: Array, k: int) -> Indices:
    method = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=12, random_state=0)
    return method.fit_predict(rows)


def _group_map(table: pd.DataFrame | Array, n_clusters: Any) -> Indices:
    # The map changes no label, so it is hardly fitted.
    return GroupMap(n_clusters, max_iter=1, random_state=0).fit(table).labels_


# Functions of rows and a number of clusters, which the first ones ignore.
Method = Callable[[Any, int], Indices]
OURS = {True: "GroupMap", False: "GroupMap, told"}  # whether the number is open
OPEN: dict[str, Method] = {
    OURS[True]: lambda table, _: _group_map(table, "auto"),
    "HDBSCAN": lambda rows, _: _hdbscan(rows, 100),
    "HDBSCAN on t-SNE": lambda rows, _: _hdbscan(
        TSNE(perplexity=min(30, len(rows) - 1), random_state=0).fit_transform(rows), 50
    ),
    "HDBSCAN on UMAP": lambda rows, _: _hdbscan(_umap(rows), 50),
    "k-means by silhouette": _best_k_means,
    "mixture by BIC": _best_mixture,
}
GIVEN: dict[str, Method] = {
    OURS[False]: _group_map,
    "k-means": _k_means,
    "mixture": lambda rows, k: mixture(k, 0).fit_predict(rows),
    "Ward": lambda rows, k: AgglomerativeClustering(k).fit_predict(rows),
    "spectral": _spectral,
    "Genie": lambda rows, k: import_module("genieclust").Genie(k).fit_predict(rows),
    "Lumbermark": lambda rows, k: import_module("lumbermark").Lumbermark(k).fit_predict(rows),
}
METHODS = {**OPEN, **GIVEN}
RIVALS = [name for name in METHODS if name not in OURS.values()]
PACKAGES = {"HDBSCAN on UMAP": "umap", "Genie": "genieclust", "Lumbermark": "lumbermark"}
COLUMNS = ["set", "sha256", "method", "encoding", "ari"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the study and write its scores."""
    asked = parse(arguments, __doc__, "folder", out=Path("results/study"), n_jobs=-1)
    sets = [*suite(asked.folder), *tables(asked.folder)] if asked.folder else [*shipped()]
    if not sets:
        raise SystemExit(f"{asked.folder} has no tables NAME.csv and no sets BATTERY/NAME.data.gz")
    scores = score_all(sets, asked.out / "scores.csv", asked.n_jobs)
    for kind, part in scores.groupby(scores["set"].str.split("/").str[0]):
        print(number_table(str(kind), compared(by_source(part)), "{:.3f}"))


def suite(folder: Path) -> Iterator[LabelledSet]:
    """Yield the sets of a folder in the layout of Gagolewski's suite."""
    for file in sorted(folder.glob("*/*.data.gz")):
        name = file.name.removesuffix(".data.gz")
        files = sorted(file.parent.glob(f"{name}.labels*.gz"))
        labelings = [np.loadtxt(path, dtype=int) for path in files]
        place = f"{file.parent.name}/{name}"
        yield LabelledSet(place, sha256(file, *files), np.loadtxt(file, ndmin=2), labelings)


def tables(folder: Path, names: Sequence[str] | None = None) -> Iterator[LabelledSet]:
    """Yield the labelled tables of a folder, or those with some names."""
    for name, file in tables_in(folder):
        if names is None or name in names:
            table = pd.read_csv(file)
            labels = pd.factorize(table.iloc[:, -1])[0] + 1
            yield LabelledSet(f"{folder.name}/{name}", sha256(file), table.iloc[:, :-1], [labels])


def shipped() -> Iterator[LabelledSet]:
    """Yield the bundled tables, scikit-learn's digits, and the clouds."""
    yield from tables(bundled_folder(), BUNDLED)
    rows, labels = load_digits(return_X_y=True)
    found = {"datasets/digits": (rows, labels + 1)}
    for kind, draw in product(CLOUDS, range(DRAWS)):
        found[f"clouds/{kind}-{draw}"] = cloud(kind, FIRST_SEED + draw)
    for name, (rows, labels) in found.items():
        yield LabelledSet(name, hashlib.sha256(rows.tobytes()).hexdigest(), rows, [labels])


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


def encodings(table: pd.DataFrame | Array) -> dict[str, Array]:
    """Return the rows as complete numbers in two encodings, or in one if these are equal.

    "indicators" has standardised numbers, and zeros and ones for each value of a text. "ours" has
    the features of GroupMap: without identifiers, and with the zeros and ones of a text divided so
    that the text has the variance of a number.
    """
    if not isinstance(table, pd.DataFrame):
        return {"indicators": _scaled(table)}
    filled = table.dropna(axis=1, how="all")
    filled = filled.fillna(filled.median(numeric_only=True)).fillna(filled.mode().iloc[0])
    numbers = [name for name in filled if is_numeric_dtype(filled[name])]
    texts = [name for name in filled if name not in numbers]
    indicators = pd.get_dummies(filled, columns=texts, dtype=float).to_numpy(float)
    n = len(numbers)  # they come first
    rows = np.c_[_scaled(indicators[:, :n]), indicators[:, n:]]
    encoder = TableEncoder()
    features = encoder.fit_transform(filled)
    features = np.where(np.isnan(features), np.nanmedian(features, axis=0), features)
    ours = _scaled(features, encoder.recipe_.levels)
    equal = rows.shape == ours.shape and np.allclose(rows, ours)
    return {"indicators": rows} if equal else {"indicators": rows, "ours": ours}


def _scaled(rows: Array, levels: Indices | None = None) -> Array:
    """Return standardised rows without constant columns."""
    offset, scale = offset_and_scale(rows, "standard", levels, use_constant=False)
    return np.asarray(((rows - offset)[:, scale > 0]) / scale[scale > 0])


def score_all(sets: Sequence[LabelledSet], file: Path, n_jobs: int) -> pd.DataFrame:
    """Return the scores of all methods on all sets, and store them in a file."""
    names = [name for name in METHODS if name not in PACKAGES or find_spec(PACKAGES[name])]
    waiting = {(each.name, each.sha256, name): each for each, name in product(sets, names)}
    stored = pd.read_csv(file)[COLUMNS] if file.exists() else pd.DataFrame(columns=COLUMNS)
    rows = [row for row in stored.itertuples(index=False, name=None) if row[:3] in waiting]
    for done in {row[:3] for row in rows}:
        del waiting[done]
    largest_first = sorted(waiting.items(), key=lambda item: -len(item[1].table))
    found = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")(
        delayed(score)(each, name) for (*_, name), each in largest_first
    )
    for part in found:
        rows += part
        write_csv(pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:4]), file)
        progress("{0} {2} {4:.3f}".format(*part[0]))
    return pd.read_csv(file)


def score(labelled: LabelledSet, method: str) -> list[tuple[str, str, str, str, float]]:
    """Return the rows of scores.csv for one method on one set."""
    warnings.simplefilter("ignore")  # convergence, parts of neighbour graphs, threads of UMAP
    ways = encodings(labelled.table) if method in RIVALS else {"ours": labelled.table}
    truths = [labels for labels in labelled.labelings if labels.max() > 1]
    found = []
    for encoding, rows in ways.items():
        cluster, aris = cache(partial(METHODS[method], rows)), []
        for truth in truths:
            labels = cluster(0 if method in OPEN else int(truth.max()))
            aris.append(adjusted_rand_score(truth[truth > 0], labels[truth > 0]))
        found.append((labelled.name, labelled.sha256, method, encoding, max(aris)))
    return found


def source(name: str) -> str:
    """Return the source of a set."""
    table = name.split("/")[-1]
    return SOURCES.get(table, table)


def by_source(scores: pd.DataFrame) -> pd.DataFrame:
    """Return mean scores by source and method, each method with its better encoding.

    The better encoding has the higher mean over all sets. The columns are pairs of both names.
    """
    table = scores.pivot_table(index="set", columns=["method", "encoding"], values="ari")
    columns = {}
    for method, part in table.T.groupby(level="method"):
        ways = part.T[method].bfill(axis=1).ffill(axis=1)  # equal encodings are stored once
        encoding = ways.mean().idxmax()
        columns[method, encoding] = ways[encoding]
    return pd.DataFrame(columns).groupby(source).mean()


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and medians of methods, and of the differences of GroupMap from them.

    Methods are compared with GroupMap that knows as much about the number of clusters as they do.
    """
    scores = table.droplevel(1, axis=1)[[name for name in METHODS if name in table]]
    lead = scores.apply(lambda theirs: scores[OURS[theirs.name in OPEN]] - theirs)
    columns = {
        "mean": scores.mean(),
        "median": scores.median(),
        "lead": lead.mean(),
        "standard error": lead.sem(),
        "better": (lead > EQUAL).sum(),
        "equal": (lead.abs() <= EQUAL).sum(),
        "worse": (lead < -EQUAL).sum(),
    }
    return pd.DataFrame(columns)


if __name__ == "__main__":
    main()
