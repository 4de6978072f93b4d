"""Compare the stages of GroupMap with other clusterers.

    python -m benchmarks.study [FOLDER]

FOLDER holds labelled tables NAME.csv or NAME.csv.gz whose last column is the class, or sets in the
layout of `suite.py`. The default model gets the tables as they are. For all other methods text
becomes indicator columns and missing values become medians. Without FOLDER, the study runs on
bundled tables, shapes, clouds, and data that break the assumptions of the test (BROKEN).

The stages are the base clusterings (the mean of their scores), their consensus, the spanning tree,
the test that decides between both, and the fitted model. The data are written to OUT/sets in the
layout of `suite.py` for `rivals.py`; `--published` adds its results.

Writes scores.csv, findings.md and study.png into OUT. A second call computes only what is missing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from benchmarks import suite
from benchmarks.random_shapes import random_shape
from benchmarks.shapes import SETS, generate
from benchmarks.shared import BUNDLED, number_table
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.peers import PeerHDBSCAN, RandomPeer
from sgpmic_cli.clustering.clusters.base_clusterings import (
    base_consensus,
    base_fits,
    consensus,
)
from sgpmic_cli.clustering.clusters.spanning_tree import excess_of_gap, spanning_trees
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.data.loading import load
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.tables.encoder import TableEncoder

FIRST_SEED = 950_000  # of the random data, which were used for no choice
OUTLIERS = 0.05  # fraction of rows
NOTABLE = 0.05  # difference of two ARI that counts as a win or a loss
WORST = 10  # losses that are listed
HOW = f"""Every method gets the number of clusters, except HDBSCAN and "{suite.OPEN}".
Methods without random starts run once. All standardise the columns, except for the paper's model,
which divides all of them by one factor as in its Table 2."""


class BaseClusterings(RandomPeer):
    """The base clusterings one by one; their mean score counts."""

    def _clusterer(self, n: int) -> Any:
        return SimpleNamespace(fit_predict=self.stage)

    def stage(self, Y: Array) -> Array | Indices:
        """Return the labels (N,) of this stage, or several clusterings as rows."""
        kmeans, fit = base_fits(Y, self.n_clusters)
        return np.array([kmeans, fit.responsibilities.argmax(axis=1)])


class Consensus(BaseClusterings):
    """The consensus of the base clusterings."""

    def stage(self, Y: Array) -> Indices:
        """Return the clusters with the largest probabilities."""
        return base_consensus(Y, self.n_clusters).labels


class SpanningTree(Consensus):
    """The parts of the spanning tree, whether Gaussians explain its gap or not."""

    def stage(self, Y: Array) -> Indices:
        """Return the parts, or the consensus if the tree cannot be cut."""
        random_state = np.random.RandomState(0)
        labels = super().stage(Y)
        return excess_of_gap(Y, spanning_trees(Y), labels, self.n_clusters, random_state)[0]


class Tested(BaseClusterings):
    """The consensus or the parts of the tree, as the test decides."""

    def stage(self, Y: Array) -> Indices:
        """Return the labels before the model is fitted."""
        return consensus(Y, self.n_clusters).labels


class NumberOpen(RandomPeer):
    """The default model, which is not told the number of clusters."""

    def fit(self, X: Any, y: None = None) -> Self:
        """Fit the model and keep its labels."""
        self.labels_ = GroupMap(max_iter=1).fit(X).labels_
        return self


STAGES = {
    "base clusterings": BaseClusterings,
    "consensus": Consensus,
    "spanning tree": SpanningTree,
    "test": Tested,
    suite.DEFAULT: suite.METHODS[suite.DEFAULT],
}
ON_TABLES: dict[str, Any] = {
    **STAGES,
    **suite.METHODS,
    "HDBSCAN": PeerHDBSCAN,
    suite.OPEN: NumberOpen,
}
METHODS = {**ON_TABLES, "paper's model": SGPMIC}
SEEDLESS = {*STAGES, *suite.SEEDLESS, "HDBSCAN"}
USED = {  # while the model was built
    "tables": (*BUNDLED, "digits"),
    "thin-shapes": ("spirals", "semicircles", "circles", "pinwheel", "moons"),
    "clouds": ("blobs20", "overlapping", "unequal"),
}
UNUSED = {"random-shapes": [f"shape-{FIRST_SEED + number}" for number in range(30)]}
KINDS = ["heavy-tails", "skewed", "discrete-columns", "unequal-sizes"]
KINDS += ["outliers", "outliers-shapes"]
BROKEN = {kind: range(FIRST_SEED, FIRST_SEED + 20) for kind in KINDS}


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the study and write its files."""
    parser = suite.score_parser(__doc__, out="results/study", seeds=3)
    parser.add_argument("folder", type=Path, nargs="?", help="labelled tables or a suite")
    parser.add_argument("--sets-only", action="store_true", help="only write OUT/sets")
    asked = parser.parse_args(arguments)
    folder = asked.out / "sets"
    sets = write_tables(asked.folder, folder) if asked.folder else write_sets(folder)
    if not sets:
        parser.error(f"{asked.folder} has no tables NAME.csv and no sets BATTERY/NAME.data.gz")
    if asked.sets_only:
        return
    scores = suite.score_all(sets, ON_TABLES if asked.folder else METHODS, asked, SEEDLESS)
    text = table_findings(scores) if asked.folder else findings(scores)
    (asked.out / "findings.md").write_text(text, encoding="utf-8")
    suite.draw(asked.out / "study", suite.mean_scores(scores))
    print(text)


def write_tables(source: Path, folder: Path) -> list[Path]:
    """Write the tables of a folder as sets and return their files. Sets are linked as they are."""
    paths = []
    for file in sorted(source.glob("*/*.gz")):
        link = folder / file.parent.name / file.name
        if ".data." not in file.name and ".labels" not in file.name:
            continue
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(file.resolve())
        if ".data." in file.name:
            paths.append(link)
    tables = sorted({*source.glob("*.csv"), *source.glob("*.csv.gz")})
    for file in tables:
        path = folder / source.name / f"{file.name.split('.csv')[0]}.data.gz"
        paths.append(path)
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pd.read_csv(file)
        labels = pd.factorize(table.iloc[:, -1])[0] + 1
        rows = TableEncoder().fit_transform(table.iloc[:, :-1])
        rows = np.where(np.isnan(rows), np.nanmedian(rows, axis=0), rows)
        table.iloc[:, :-1].to_csv(str(path).replace(".data.gz", ".table.csv"), index=False)
        np.savetxt(str(path).replace(".data.", ".labels0."), labels, fmt="%d")
        np.savetxt(path, rows)
    return paths


def table_findings(scores: pd.DataFrame) -> str:
    """Return means with standard errors, wins and losses, and the worst losses, as tables."""
    by_set = scores.groupby(["set", "method"])["ari"].mean().unstack()
    own, n = by_set[suite.DEFAULT], len(by_set)
    lead = by_set.rsub(own, axis=0)
    means = pd.DataFrame(
        {
            "mean ARI": by_set.mean(),
            "standard error": by_set.std() / np.sqrt(n),
            "ours less theirs": lead.mean(),
            "its standard error": lead.std() / np.sqrt(n),
        }
    ).sort_values("mean ARI", ascending=False)
    counts = pd.DataFrame({"wins": (lead > NOTABLE).sum(), "losses": (lead < -NOTABLE).sum()})
    simple = by_set[["k-means", "Gaussian mixture"]]
    loss = (own - simple.max(axis=1)).nsmallest(WORST)
    worst = pd.DataFrame({"loss": loss, "ours": own, "better of both": simple.max(axis=1)})
    return f"""# Findings

{n} sets, number of seeds: {scores["seed"].nunique()}. Standard errors are over sets. {HOW}

{number_table("method", means, "{:.3f}")}
Sets on which {suite.DEFAULT} is better or worse by more than {NOTABLE}:

{number_table("method", counts.drop(suite.DEFAULT), "{:.0f}")}
Worst losses against the better of k-means and a Gaussian mixture, which is not known in advance:

{number_table("set", worst.loc[loss.index], "{:.3f}")}"""


def write_sets(folder: Path) -> list[Path]:
    """Write the data that are not there yet, and return their files."""
    paths = []
    for group, members in {**USED, **UNUSED, **BROKEN}.items():
        (folder / group).mkdir(parents=True, exist_ok=True)
        for member in members:
            paths.append(path := folder / group / f"{member}.data.gz")
            if path.exists():
                continue
            if group in BROKEN:
                rows, labels = broken(group, int(str(member)))
            elif group in UNUSED:
                rows, labels = random_shape(int(str(member).removeprefix("shape-")))
                labels = labels + 1
            elif member in SETS:
                rows, labels = generate(str(member))
                labels = labels + 1
            else:
                data = load(str(member))
                assert data.labels is not None
                rows, labels = data.Y, data.labels + 1
            np.savetxt(str(path).replace(".data.", ".labels0."), labels, fmt="%d")
            np.savetxt(path, rows)
    return paths


def findings(scores: pd.DataFrame) -> str:
    """Return three tables with a paragraph each: stages, other methods, broken assumptions."""
    percent = 100.0 * scores.groupby(["set", "method"])["ari"].mean().unstack()
    percent = percent[[*METHODS, *sorted(set(scores["method"]) - set(METHODS))]]
    group = percent.index.str.split("/").str[0]
    own = percent[~group.isin(list(BROKEN))]
    stages = [name for name in STAGES if name in own]
    compared = [name for name in own if name not in stages or name == suite.DEFAULT]
    steps = own[stages].drop(columns="spanning tree").mean().diff().iloc[1:]
    listed = ", ".join(f"{name} {step:+.1f}" for name, step in steps.items())
    lead = own[suite.DEFAULT] - own[compared].drop(columns=suite.DEFAULT).max(axis=1)
    ranks = own[compared].rank(axis=1, ascending=False).mean().sort_values()
    ranked = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
    noise = scores[scores["noise_clusters"] > 0]
    taken = noise[noise["method"] == "test"]
    return f"""# Findings

Mean ARI in percent, number of seeds: {scores["seed"].nunique()}. {HOW}
Groups marked with * were never used while the model was built.

## What each stage adds

{_table(own[stages])}
Mean over {len(own)} sets, each stage less the one before, the tree left out: {listed}. The last
stage adds the rules for discrete columns and near copies of columns, and the map, which does not
change labels.

## Beside other clusterers

{_table(own[compared])}
Compared with the best other method on each set, which is not known in advance, the default model is
better by more than two points on {(lead > 2).sum()} sets, worse on {(lead < -2).sum()}, and within
two points on the others. Mean ranks: {ranked}.

## Where the assumptions of the test break

{_table(percent[group.isin(list(BROKEN))])}
Most rows of a cluster are outliers in {len(taken)} of {(scores["method"] == "test").sum()} results
of the test, and in {len(noise)} of {len(scores)} results of all methods.
"""


def _table(percent: pd.DataFrame) -> str:
    """Return a table with a row for each group, or for each set of the groups that were used."""
    group = percent.index.str.split("/").str[0]
    shown = percent.groupby(np.where(group.isin(list(USED)), percent.index, group + " *")).mean()
    shown.loc["mean over sets"] = percent.mean()
    return number_table("", shown, "{:.1f}")


if __name__ == "__main__":
    main()
