"""Compare the labels of GroupMap with those of other clusterers.

    python -m benchmarks.study [FOLDER]

FOLDER holds labelled tables NAME.csv or NAME.csv.gz whose last column is the class, or sets in the
layout of Gagolewski's suite. The default model gets the tables as they are. For all other methods
text becomes indicator columns and missing values become medians. Without FOLDER, the study runs on
bundled tables, shapes, clouds, and data that break the assumptions of the test (BROKEN).

The data are written to OUT/sets in the layout of the suite: BATTERY/NAME.data.gz holds the rows of
a set, NAME.labels0.gz, NAME.labels1.gz, ... its labelings; label 0 is noise and is not scored. The
number of clusters of a labeling is given. The score of a set is the largest adjusted Rand index
over its labelings. Label vectors OUT/rivals/METHOD/BATTERY/NAME.resultK.gz, such as those of
`rivals.py`, are scored too.

Writes scores.csv, with the SHA-256 of each table, and findings.md into OUT. A second call computes
only what is missing.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score

from benchmarks.shapes import SETS, generate, random_shape
from benchmarks.shared import BUNDLED, number_table, parse, progress, sha256, standard_error
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.peers import (
    PeerGaussianMixture,
    PeerHDBSCAN,
    PeerKMeans,
    PeerSpectral,
    PeerWard,
)
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.data.loading import load
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.tables.encoder import TableEncoder

DEFAULT, OPEN, PAPER = "GroupMap", "GroupMap, number open", "paper's model"
# Clusterers of rows into k clusters with a seed. The map of GroupMap changes no label.
METHODS: dict[str, Callable[[int, int], Any]] = {
    DEFAULT: lambda k, seed: GroupMap(k, max_iter=1, random_state=seed),
    "k-means": lambda k, seed: PeerKMeans(k, random_state=seed),
    "Gaussian mixture": lambda k, seed: PeerGaussianMixture(k, random_state=seed),
    "spectral": lambda k, seed: PeerSpectral(k, random_state=seed),
    "Ward": lambda k, _: PeerWard(k),
    "HDBSCAN": lambda *_: PeerHDBSCAN(),
    OPEN: lambda *_: GroupMap(max_iter=1),
    PAPER: lambda k, seed: SGPMIC(k, random_state=seed),
}
SEEDLESS = {DEFAULT, OPEN, "Ward", "HDBSCAN"}  # labels do not depend on random numbers
COLUMNS = ["set", "sha256", "method", "seed", "ari"]
Row = tuple[str, str, str, int, float]

FIRST_SEED = 950_000  # of the random data, which were used for no choice
OUTLIERS = 0.05  # fraction of rows
NOTABLE = 0.05  # difference of two ARI that counts as a win or a loss
WORST = 10  # losses that are listed
HOW = f"""Every method gets the number of clusters, except HDBSCAN and "{OPEN}".
Methods without random starts run once. All standardise the columns, except for the paper's model,
which divides all of them by one factor as in its Table 2."""
USED = {  # while the model was built
    "tables": (*BUNDLED, "digits"),
    "thin-shapes": ("spirals", "semicircles", "circles", "pinwheel", "moons"),
    "clouds": ("blobs20", "overlapping", "unequal"),
}
UNUSED = {"random-shapes": [f"shape-{FIRST_SEED + number}" for number in range(30)]}
KINDS = ["heavy-tails", "skewed", "discrete-columns", "unequal-sizes"]
KINDS += ["outliers", "outliers-shapes"]
BROKEN = {kind: [str(FIRST_SEED + number) for number in range(20)] for kind in KINDS}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the study and write its files."""
    options: dict[str, Any] = {"seeds": 3, "n_jobs": -1, "sets_only": False}
    asked = parse(arguments, __doc__, "folder", out=Path("results/study"), **options)
    sets = dict((tables_of(asked.folder) if asked.folder else generated)(asked.out / "sets"))
    if not sets:
        raise SystemExit(f"{asked.folder} has no tables NAME.csv and no sets BATTERY/NAME.data.gz")
    if asked.sets_only:
        return
    methods = [name for name in METHODS if name != PAPER or not asked.folder]
    scores = score_all(sets, methods, asked.out, asked.seeds, asked.n_jobs)
    text = findings(scores)
    (asked.out / "findings.md").write_text(text, encoding="utf-8")
    print(text)


def tables_of(source: Path) -> Callable[[Path], Iterator[tuple[Path, str]]]:
    """Return a function that writes the tables and sets of a folder, and yields path and hash."""

    def write(folder: Path) -> Iterator[tuple[Path, str]]:
        for file in sorted(source.glob("*/*.gz")):
            if ".data." in file.name or ".labels" in file.name:
                (folder / file.parent.name).mkdir(parents=True, exist_ok=True)
                copy = shutil.copy(file, folder / file.parent.name)
                if ".data." in file.name:
                    yield Path(copy), sha256(file)
        for file in sorted({*source.glob("*.csv"), *source.glob("*.csv.gz")}):
            table = pd.read_csv(file)
            frame, classes = table.iloc[:, :-1], pd.factorize(table.iloc[:, -1])[0]
            filled = frame.fillna(frame.median(numeric_only=True)).fillna(frame.mode().iloc[0])
            rows = TableEncoder().fit_transform(filled)
            path = folder / source.name / f"{file.name.split('.csv')[0]}.data.gz"
            write_set(path, np.where(np.isnan(rows), np.nanmedian(rows, axis=0), rows), classes + 1)
            frame.to_csv(table_beside(path), index=False)
            yield path, sha256(file)

    return write


def generated(folder: Path) -> Iterator[tuple[Path, str]]:
    """Write the data of the study without a folder, and yield path and hash of each set."""
    for group, members in {**USED, **UNUSED, **BROKEN}.items():
        for member in members:
            if group in BROKEN:
                rows, labels = broken(group, int(member))
            elif group in UNUSED:
                rows, labels = random_shape(int(member.removeprefix("shape-")))
            elif member in SETS:
                rows, labels = generate(member)
            else:
                data = load(member)
                rows, labels = data.Y, np.asarray(data.labels)
            path = folder / group / f"{member}.data.gz"
            write_set(path, rows, labels + (group not in BROKEN))
            yield path, hashlib.sha256(rows.tobytes()).hexdigest()


def broken(kind: str, seed: int) -> tuple[Array, Indices]:
    """Return rows and labels (from 1; 0 is noise) that break an assumption of the test."""
    random = np.random.default_rng(seed)
    if kind == "outliers-shapes":
        rows, labels = random_shape(seed)
        return _with_outliers(rows, labels + 1, random)
    k, p = (int(number) for number in random.integers(2, 7, 2))
    centres = random.normal(size=(k, p))
    centres *= random.uniform(3.0, 7.0) / pdist(centres).min()
    sizes = random.integers(50, 150, k)
    if kind == "unequal-sizes":
        sizes[0] *= 10
    labels = np.repeat(np.arange(k), sizes)
    draw: dict[str, Callable[..., Any]] = {
        "heavy-tails": lambda size: random.standard_t(3, size) / np.sqrt(3.0),
        "skewed": lambda size: random.gamma(1.0, size=size) - 1.0,
    }
    rows = centres[labels] + draw.get(kind, random.standard_normal)((len(labels), p))
    if kind == "discrete-columns":  # beside twice as many others
        rows = np.c_[rows, random.poisson(1.0, (len(rows), max(1, p // 2)))]
    return _with_outliers(rows, labels + 1, random) if kind == "outliers" else (rows, labels + 1)


def _with_outliers(
    rows: Array, labels: Indices, random: np.random.Generator
) -> tuple[Array, Indices]:
    n = int(OUTLIERS * len(rows))
    low, high = rows.min(axis=0), rows.max(axis=0)
    margin = 0.1 * (high - low)
    noise = random.uniform(low - margin, high + margin, (n, rows.shape[1]))
    return np.vstack([rows, noise]), np.r_[labels, np.zeros(n, dtype=int)]


def write_set(path: Path, rows: Array, labels: Indices) -> None:
    """Write a set with one labeling."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(str(path).replace(".data.", ".labels0."), labels, fmt="%d")
    np.savetxt(path, rows)


def table_beside(path: Path) -> Path:
    """Return the place of the raw table of a set."""
    return path.with_name(path.name.replace(".data.gz", ".table.csv"))


def score_all(
    sets: dict[Path, str], methods: Sequence[str], out: Path, seeds: int, n_jobs: int
) -> pd.DataFrame:
    """Return the scores of all methods on all sets, and store them in scores.csv."""
    file = out / "scores.csv"
    waiting = {
        (name_of(path), digest, method, seed): path
        for path, digest in sets.items()
        for method in methods
        for seed in range(1 if method in SEEDLESS else seeds)
    }
    stored = pd.read_csv(file)[COLUMNS] if file.exists() else pd.DataFrame(columns=COLUMNS)
    rows = [row for row in stored.itertuples(index=False, name=None) if row[:-1] in waiting]
    for row in rows:
        del waiting[row[:-1]]
    found = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(score)(case, path) for case, path in waiting.items()
    )
    for row in found:
        rows.append(row)
        pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
        progress(f"{row[0]} {row[2]} {row[-1]:.3f}")
    rows += [row for path, digest in sets.items() for row in rival_scores(path, digest, out)]
    scores = pd.DataFrame(rows, columns=COLUMNS)
    scores.to_csv(file, index=False)
    return scores


def name_of(path: Path) -> str:
    """Return BATTERY/NAME of a file of rows."""
    return f"{path.parent.name}/{path.name.removesuffix('.data.gz')}"


def labelings(path: Path) -> list[np.ndarray]:
    """Return the labelings of a set that have at least two clusters; 0 is noise."""
    files = sorted(path.parent.glob(path.name.replace(".data.gz", ".labels*.gz")))
    found = [np.loadtxt(file, dtype=int) for file in files]
    return [labels for labels in found if labels.max() > 1]


def score(case: tuple[str, str, str, int], path: Path) -> Row:
    """Return the row of scores.csv for one method on one set."""
    *_, method, seed = case
    raw = method in (DEFAULT, OPEN) and table_beside(path).exists()
    X = pd.read_csv(table_beside(path)) if raw else np.loadtxt(path, ndmin=2)
    numbers = {int(labels.max()) for labels in labelings(path)}
    return *case, best(path, {k: METHODS[method](k, seed).fit(X).labels_ for k in numbers})


def rival_scores(path: Path, digest: str, out: Path) -> Iterator[Row]:
    """Yield the rows of scores.csv for the label vectors of other programs."""
    battery, name = name_of(path).split("/")
    for method in sorted((out / "rivals").glob("*")):
        found = {
            int(file.name.split(".result")[1].removesuffix(".gz")): pd.read_csv(file).iloc[:, 0]
            for file in (method / battery).glob(f"{name}.result*.gz")
        }
        if found:
            yield name_of(path), digest, method.name, 0, best(path, found)


def best(path: Path, found: dict[int, Any]) -> float:
    """Return the largest score over the labelings; `found` has labels by number of clusters."""
    return max(
        adjusted_rand_score(labels[labels > 0], np.asarray(found[labels.max()])[labels > 0])
        for labels in labelings(path)
        if labels.max() in found
    )


def findings(scores: pd.DataFrame) -> str:
    """Return means with standard errors, wins and losses, and the worst losses, as tables."""
    by_set = scores.groupby(["set", "method"])["ari"].mean().unstack()
    own = by_set[DEFAULT]
    lead = by_set.rsub(own, axis=0)
    means = pd.DataFrame(
        {
            "mean ARI": by_set.mean(),
            "standard error": standard_error(by_set),
            "ours less theirs": lead.mean(),
            "its standard error": standard_error(lead),
        }
    ).sort_values("mean ARI", ascending=False)
    counts = pd.DataFrame({"wins": (lead > NOTABLE).sum(), "losses": (lead < -NOTABLE).sum()})
    better = by_set[["k-means", "Gaussian mixture"]].max(axis=1)
    worst = pd.DataFrame({"loss": own - better, "ours": own, "better of both": better})
    group = by_set.index.str.split("/").str[0]
    one = group.isin(list(USED)) & (group.nunique() > 1)
    groups = by_set.groupby(np.where(one, by_set.index, group)).mean()
    return f"""# Findings

{len(by_set)} sets, {scores["seed"].nunique()} seed(s). Standard errors are over sets. {HOW}

{number_table("method", means, "{:.3f}")}
Sets on which {DEFAULT} is better or worse by more than {NOTABLE}:

{number_table("method", counts.drop(DEFAULT), "{:.0f}")}
Worst losses against the better of k-means and a Gaussian mixture, which is not known in advance:

{number_table("set", worst.nsmallest(WORST, "loss"), "{:.3f}")}
Mean adjusted Rand indices of sets or groups of sets:

{number_table("", groups[means.index], "{:.3f}")}"""


if __name__ == "__main__":
    main()
