"""Cluster generated tables of flags, categories and numbers, beside k-means of encoded columns.

Twenty tables of each kind are drawn. The adjusted Rand index is measured with the number of
clusters given and open, and the numbers that were found are counted. Writes mixed-tables.csv into
OUT.
"""

import warnings
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.shared import parse, write_csv
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.render.tables import markdown_table

ROWS = 300
FLIPS = 0.1  # probability that a flag or a text is not the one of its group
NUMBERS = 8  # columns of the tables after Costa et al.
LEVELS = 4


class Drawn(NamedTuple):
    """A table and the groups (N,) of its rows."""

    frame: pd.DataFrame
    groups: Indices


Generator = Callable[[np.random.RandomState], Drawn]


def flags_from_groups(n_groups: int, n_columns: int) -> Generator:
    """Return a generator of flags that differ between groups."""

    def draw(random: np.random.RandomState) -> Drawn:
        groups = np.arange(ROWS) % n_groups
        patterns = (np.arange(n_columns) // 2 % n_groups) == np.arange(n_groups)[:, None]
        flipped = random.random_sample((ROWS, n_columns)) < FLIPS
        return Drawn(_frame("flag", (patterns[groups] != flipped).astype(int)), groups)

    return draw


def text_from_groups(random: np.random.RandomState) -> Drawn:
    """Draw three columns of texts from three groups."""
    groups = np.arange(ROWS) % 3
    changed = random.random_sample((ROWS, 3)) < 2 * FLIPS
    levels = np.where(changed, random.randint(0, LEVELS, (ROWS, 3)), groups[:, None])
    return Drawn(_texts("text", levels), groups)


def numbers_with_others_beside(random: np.random.RandomState) -> Drawn:
    """Draw three Gaussian groups in four columns, beside independent flags and categories."""
    groups = np.arange(ROWS) % 3
    centres = 5.0 * np.eye(3, 4)
    numbers = _frame("number", random.standard_normal((ROWS, 4)) + centres[groups])
    flags = _frame("flag", random.randint(0, 2, (ROWS, 2)))
    return Drawn(pd.concat([numbers, flags, _category(random)], axis=1), groups)


def one_factor(random: np.random.RandomState) -> Drawn:
    """Draw eight flags of one continuous factor. There are no groups."""
    factor = random.standard_normal((ROWS, 1))
    flags = factor + random.standard_normal((ROWS, 8)) > 0.0
    return Drawn(_frame("flag", flags.astype(int)), np.zeros(ROWS, dtype=int))


def independent(random: np.random.RandomState) -> Drawn:
    """Draw independent flags, grades and categories. There are no groups."""
    flags = _frame("flag", random.randint(0, 2, (ROWS, 3)))
    grades = _frame("grade", random.randint(1, 6, (ROWS, 2)))
    return Drawn(pd.concat([flags, grades, _category(random)], axis=1), np.zeros(ROWS, dtype=int))


def cloud_with_flags(random: np.random.RandomState) -> Drawn:
    """Draw correlated Gaussian numbers and independent flags. There are no groups."""
    numbers = random.standard_normal((ROWS, 4)) @ random.standard_normal((4, 4))
    flags = random.randint(0, 2, (ROWS, 2))
    frame = pd.concat([_frame("number", numbers), _frame("flag", flags)], axis=1)
    return Drawn(frame, np.zeros(ROWS, dtype=int))


def after_costa(overlap: float, categories: float, n_groups: int, equal: bool) -> Generator:
    """Return a generator of tables after Costa, Papatsouma and Markos (2022).

    The nearest two Gaussian groups overlap by `overlap`. A fraction of the columns is cut into four
    levels of equal frequency. If sizes are not `equal`, the first group has half of the rows.
    """

    def draw(random: np.random.RandomState) -> Drawn:
        rest = np.arange(ROWS) % n_groups
        half = 1 + np.arange(ROWS) % (n_groups - 1)
        groups = rest if equal else np.where(np.arange(ROWS) < ROWS // 2, 0, half)
        centres = random.standard_normal((n_groups, NUMBERS))
        distances = np.linalg.norm(centres[:, None] - centres, axis=2)
        centres *= -2.0 * norm.ppf(overlap / 2.0) / distances[np.triu_indices(n_groups, 1)].min()
        Y = random.standard_normal((ROWS, NUMBERS)) + centres[groups]
        cut = round(categories * NUMBERS)
        quartiles = np.argsort(np.argsort(Y[:, :cut], axis=0), axis=0) * LEVELS // ROWS
        frame = pd.concat([_texts("text", quartiles), _frame("number", Y[:, cut:])], axis=1)
        return Drawn(frame, groups)

    return draw


KINDS: dict[str, Generator] = {
    "4 flags, 2 groups": flags_from_groups(2, 4),
    "12 flags, 3 groups": flags_from_groups(3, 12),
    "3 texts, 3 groups": text_from_groups,
    "numbers of 3 groups, others beside": numbers_with_others_beside,
    "flags of one factor": one_factor,
    "independent discrete columns": independent,
    "cloud of numbers, flags beside": cloud_with_flags,
    **{
        f"Costa: overlap {overlap}, {categories:.0%} text, {k} {'equal' if equal else 'unequal'}": (
            after_costa(overlap, categories, k, equal)
        )
        for overlap in (0.01, 0.1)
        for categories in (0.25, 0.5, 0.75)
        for k, equal in ((3, True), (3, False), (6, True))
    },
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the tables, cluster them and write the results."""
    asked = parse(arguments, __doc__, out=Path("results"), draws=20, kinds=list(KINDS))
    warnings.simplefilter("ignore")
    table = pd.DataFrame(
        {"kind": kind, "draw": draw, **scores(KINDS[kind](np.random.RandomState(draw)), draw)}
        for kind, draw in product(asked.kinds, range(asked.draws))
    )
    write_csv(table, asked.out / "mixed-tables.csv")
    print(summary(table))


def scores(drawn: Drawn, seed: int) -> dict[str, float]:
    """Return the number found and the adjusted Rand indices of all methods."""
    k = int(drawn.groups.max()) + 1
    found = GroupMap(max_iter=1, random_state=seed).fit(drawn.frame)
    result: dict[str, float] = {"groups": k, "found": found.n_clusters_}
    if k > 1:
        given = GroupMap(k, max_iter=1, random_state=seed).fit(drawn.frame).labels_
        labels = {"open": found.labels_, "given": given, **rivals(drawn.frame, k, seed)}
        result |= {name: adjusted_rand_score(drawn.groups, own) for name, own in labels.items()}
    return result


def rivals(frame: pd.DataFrame, k: int, seed: int) -> dict[str, Indices]:
    """Return the labels of k-means on one-hot columns and on FAMD coordinates."""
    numbers = frame.select_dtypes("number")
    standard = ((numbers - numbers.mean()) / numbers.std()).to_numpy()
    texts = frame.select_dtypes(exclude="number")
    flags = pd.get_dummies(texts).to_numpy(float) if texts.size else np.empty((len(frame), 0))
    one_hot = np.hstack([standard, flags])
    share = flags.mean(axis=0)
    U, values, _ = np.linalg.svd(
        np.hstack([standard, (flags - share) / np.sqrt(share)]), full_matrices=False
    )

    def kmeans(X: Array) -> Indices:
        return np.asarray(KMeans(k, n_init=10, random_state=seed).fit_predict(X))

    return {
        "one-hot k-means": kmeans(one_hot),
        "FAMD k-means": kmeans((U * values)[:, : max(5, k)]),
    }


def summary(table: pd.DataFrame) -> str:
    """Return a Markdown table with a line for each kind."""
    names = ["given", "open", "one-hot k-means", "FAMD k-means"]
    body = []
    for kind, rows in table.groupby("kind", sort=False):
        counts = rows["found"].value_counts().sort_index()
        found = ", ".join(f"{number} ({n})" for number, n in counts.items())
        means = [f"{mean:.2f}".replace("nan", "") for mean in rows.reindex(columns=names).mean()]
        body.append([str(kind), str(rows["groups"].iloc[0]), found, *means])
    return markdown_table(["table", "groups", "found (draws)", *names], body)


def _frame(name: str, values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"{name}{j}" for j in range(values.shape[1])])


def _texts(name: str, levels: Indices) -> pd.DataFrame:
    return _frame(name, np.array(["red", "green", "blue", "grey"], dtype=object)[levels])


def _category(random: np.random.RandomState) -> pd.DataFrame:
    return _texts("category", random.randint(0, LEVELS, (ROWS, 1)))


if __name__ == "__main__":
    main()
