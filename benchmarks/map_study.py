"""Measure what a fit of the default model shows: its map, probabilities and densities.

The map is compared with other maps, the probabilities with a Gaussian mixture's, the densities and
expected values with common density models and imputers. A row is right if its class is the majority
class of its cluster; the Gaussian mixture has its own clusters. Writes map.csv into OUT.
"""

import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # required by scikit-learn
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.manifold import TSNE, Isomap, trustworthiness
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from benchmarks.missing_values import hide
from benchmarks.shared import BUNDLED, mixture, parse, write_csv
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.data import load
from sgpmic_cli.scores import mapped_labels

OURS, REFITS, MIXTURE = "GroupMap", "GroupMap, 8 refits", "Gaussian mixture"
BINS = 10  # of a reliability curve
MOST_ROWS = 1200  # of larger data sets, a random subsample is used

MEASURES = {  # which value is best
    "trustworthiness": "max",
    "auc": "max",
    "ece": "min",
    "imputation": "min",
    "outliers": "max",
}
Values = dict[tuple[str, str], float]  # by measure and method
Arrays = dict[str, Array]  # by method


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and write its files."""
    asked = parse(arguments, __doc__, seeds=[0, 1, 2], out=Path("results/study"), n_jobs=-1)
    places = list(product(BUNDLED, asked.seeds))
    found = Parallel(asked.n_jobs)(
        delayed(measure)(*table(name, seed), seed) for name, seed in places
    )
    records = [
        (*place, *key, value)
        for place, values in zip(places, found, strict=True)
        for key, value in values.items()
    ]
    columns = ["dataset", "seed", "measure", "method", "value"]
    write_csv(pd.DataFrame(records, columns=columns), asked.out / "map.csv")


def table(name: str, seed: int) -> tuple[Array, Indices]:
    """Return at most MOST_ROWS standardised rows and their classes. Drop constant columns."""
    data = load(name)
    kept = np.sort(np.random.RandomState(seed).permutation(len(data.Y))[:MOST_ROWS])
    Y, classes = data.Y[kept], np.asarray(data.labels)[kept]
    return StandardScaler().fit_transform(Y[:, np.ptp(Y, axis=0) > 0]), classes


def measure(rows: Array, classes: Indices, seed: int) -> Values:
    """Return all measures of a table."""
    m = len(np.unique(classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence, parts of neighbour graphs, threads of UMAP
        model = GroupMap(n_clusters=m, n_resamples=0, random_state=seed).fit(rows)
        refits = GroupMap(n_clusters=m, random_state=seed).fit(rows)
        maps = {OURS: model.embedding_, **other_maps(rows, seed)}
        values: Values = {}
        for name, points in maps.items():
            values["trustworthiness", name] = trustworthiness(rows, points, n_neighbors=10)
        probabilities = {OURS: model.responsibilities_, REFITS: refits.responsibilities_}
        probabilities[MIXTURE] = mixture(m, seed).fit(rows).predict_proba(rows)
        for name, S in probabilities.items():
            right, confidence = in_majority(classes, S.argmax(axis=1)), S.max(axis=1)
            values["auc", name] = area(right, confidence)
            values["ece", name] = calibration_error(reliability(right, confidence))
        values |= imputation_error(rows, m, seed) | outlier_areas(rows, m, seed)
    return values


def other_maps(rows: Array, seed: int) -> Arrays:
    """Return the two-dimensional maps of the other methods."""
    from umap import UMAP  # of the extra 'study'

    methods = {"PCA": PCA(2), "ISOMAP": Isomap(n_neighbors=10), "t-SNE": TSNE(random_state=seed)}
    methods["UMAP"] = UMAP(random_state=seed)
    return {name: method.fit_transform(rows) for name, method in methods.items()}


def in_majority(classes: Indices, labels: Indices) -> BoolArray:
    """Return for each row whether its class is the majority class of its cluster."""
    return np.asarray(mapped_labels(classes, labels) == np.unique(classes, return_inverse=True)[1])


def area(event: BoolArray, score: Array) -> float:
    """Return the area under the ROC curve, or NaN if the event always or never occurs."""
    return float(roc_auc_score(event, score)) if 0 < event.sum() < len(event) else np.nan


def reliability(right: BoolArray, confidence: Array) -> Array:
    """Return the number of rows, their summed confidence and the right ones by bin, (BINS, 3)."""
    index = np.minimum((BINS * confidence).astype(int), BINS - 1)
    columns = (np.ones(len(index)), confidence, right)
    return np.stack([np.bincount(index, weights, BINS) for weights in columns], axis=1)


def calibration_error(bins: Array) -> float:
    """Return the expected calibration error of reliability bins."""
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / bins[:, 0].sum())


def imputation_error(rows: Array, m: int, seed: int) -> Values:
    """Return the root mean squared error at hidden entries by method."""
    observed = hide(rows, seed, 0.2)
    model = GroupMap(n_clusters=m, random_state=seed).fit(observed)
    completed = {OURS: model.inverse_transform(model.transform(observed))}
    completed["means"] = SimpleImputer().fit_transform(observed)
    completed["nearest rows"] = KNNImputer().fit_transform(observed)
    completed["iterative"] = IterativeImputer(random_state=seed).fit_transform(observed)
    errors = {k: (Y - rows)[np.isnan(observed)] for k, Y in completed.items()}
    return {("imputation", k): float(np.sqrt(np.mean(e**2))) for k, e in errors.items()}


def outlier_areas(rows: Array, m: int, seed: int) -> Values:
    """Return how well low scores under models of all rows find uniform rows in random places."""
    rng = np.random.RandomState(seed)
    planted = np.isin(np.arange(len(rows)), rng.permutation(len(rows))[: round(0.05 * len(rows))])
    uniform = rng.uniform(rows.min(axis=0), rows.max(axis=0), rows.shape)
    mixed = np.where(planted[:, None], uniform, rows)
    ours, forest = GroupMap(n_clusters=m, random_state=seed), IsolationForest(random_state=seed)
    models = {OURS: ours, MIXTURE: mixture(m, seed), "isolation forest": forest}
    scores = {k: model.fit(mixed).score_samples(mixed) for k, model in models.items()}
    return {("outliers", k): area(planted, -score) for k, score in scores.items()}


def values_by_dataset(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the means over the seeds of one measure, a row for each data set."""
    chosen = frame[frame["measure"] == measure]
    means = chosen.groupby(["dataset", "method"])["value"].mean().unstack()
    return means.loc[chosen["dataset"].unique(), chosen["method"].unique()]


if __name__ == "__main__":
    main()
