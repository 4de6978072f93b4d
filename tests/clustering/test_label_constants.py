"""Every constant of the rules for labels has an effect, and its value is the one expected.

A case computes something that depends on one constant. The first test fails if the constant is
halved or doubled, as the second one shows.
"""

from unittest.mock import patch

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering import cluster_fit
from sgpmic_cli.clustering.clusters import (
    base_clusterings,
    cluster_number,
    cluster_space,
    discrete_columns,
    label_constants,
    missing_values,
    probabilities,
    spanning_tree,
    t_mixture,
)

CLOUD = np.random.RandomState(0).standard_normal((200, 2))
CASES = {}
TIME_ONLY = {"CHOICE_ROWS", "PERMUTED_ROWS", "IMPUTED_ROWS", "NEIGHBOURS", "EDGES", "MOST_PARTS"}


def case(module, name, expected):
    """Add a function that depends on the constant `name`, which `module` uses."""

    def add(value):
        CASES[name] = (module, value, expected)
        return value

    return add


def calls(module, name, call):
    """Return the calls of a function of `module` while `call` runs."""
    with patch.object(module, name, wraps=getattr(module, name)) as spy:
        call()
    return spy.call_args_list


@case(discrete_columns, "FEW_VALUES", [True, False])
def few_values():
    Y = np.arange(420.0)[:, None] % [7, 12]
    return discrete_columns.discrete_features(Y, np.arange(2)).tolist()


@case(discrete_columns, "EQUAL", [2.0, 2.67])
def equal():
    steps = np.repeat(np.arange(400)[:, None] % 2 * 1.0, 2, axis=1)
    steps[::4] += 0.5 * np.array([0.7e-6, 1.5e-6])  # half of the zeros; the deviation is 0.5
    return discrete_columns.effective_values(steps).round(2).tolist()


@case(cluster_fit, "COPY", [0, 0, 1])
def copy():
    x, noise = CLOUD.T
    Y = np.c_[x, x + 0.05 * noise, x + 0.8 * noise]
    return cluster_fit.copy_groups(Y, np.arange(3))[0].tolist()


@case(missing_values, "IMPUTATION_STEPS", 15)
def imputation_steps():
    used = np.ones(2, dtype=bool)
    return len(calls(missing_values, "condition", lambda: missing_values.fit_gaussian(CLOUD, used)))


@case(missing_values, "COVARIANCE_RIDGE", 0.4)
def ridge():
    covariance = np.cov(CLOUD.T, bias=True)
    found = missing_values.fit_gaussian(CLOUD, np.ones(2, dtype=bool)).covariance
    return round(float((found - covariance)[0, 0] / np.trace(covariance) * len(CLOUD)), 6)


@case(base_clusterings, "KMEANS_STARTS", 10)
def kmeans_starts():
    found = calls(base_clusterings, "KMeans", lambda: base_clusterings.base_fits(CLOUD, 2))
    return found[0].kwargs["n_init"]


@case(t_mixture, "DEGREES_OF_FREEDOM", round(-2.0 * np.log(2.0), 6))
def degrees_of_freedom():
    return round(float(t_mixture._log_tail(np.array(4.0), 0)), 6)


@case(base_clusterings, "LEAST_VARIANCE", 0.001)
def least_variance():
    found = calls(base_clusterings, "fit_t_mixture", lambda: base_clusterings.base_fits(CLOUD, 2))
    return round(float(found[0].args[2].min()), 4)


def em_iterations_of(tol):
    labels = np.arange(len(CLOUD)) % 2
    with patch.object(t_mixture, "EM_TOL", tol):
        fit = lambda: t_mixture.fit_t_mixture(CLOUD, labels, np.full(2, 1e-3), 2)  # noqa: E731
        return len(calls(t_mixture, "_whitened", fit))


@case(t_mixture, "EM_ITERATIONS", 100)
def em_iterations():
    return em_iterations_of(-np.inf)


@case(t_mixture, "EM_TOL", 2)
def em_tol():
    gains = iter(np.array([[0.0], [0.0015], [0.0022], [9.0], [9.0]]))
    with patch.object(t_mixture, "logsumexp", lambda *_, **__: next(gains)):
        t_mixture.fit_t_mixture(np.zeros((1, 1)), np.zeros(1, dtype=int), np.ones(1), 1)
    return len(list(gains))


@case(cluster_space, "CHANCE_PAIR", [False, True])
def chance_pair():
    # 400 squared correlation is 8.4 and 9.0; the limits are 10.1, 8.8 and 7.5.
    flag, columns, found = np.arange(400) % 2, np.arange(2), []
    for agreement in (229, 230):
        other = np.where(np.arange(400) < agreement, flag, 1 - flag)
        Y = 2.0 * np.c_[flag, other] - 1.0
        found.append(bool(cluster_space.used_features(Y, columns >= 0, columns).all()))
    return found


def independent_flags(seed):
    Y = 2.0 * np.random.RandomState(seed).randint(0, 2, (100, 5)) - 1.0
    return Y - Y.mean(axis=0)


@case(cluster_space, "QUANTILE", True)
def quantile():
    found = [
        cluster_space._number(independent_flags(seed), np.arange(5), np.random.RandomState(0))
        for seed in range(20)
    ]
    return np.count_nonzero(found) <= 3  # one is expected


@case(cluster_space, "PERMUTATIONS", 41)
def permutations():
    arguments = independent_flags(0), np.arange(5), np.random.RandomState(0)
    return len(calls(cluster_space, "_spectrum", lambda: cluster_space._number(*arguments)))


@case(base_clusterings, "LEAST_JACCARD", 0.01)
def least_jaccard():
    found = base_clusterings.base_consensus(CLOUD, 2)
    nothing = (np.arange(2), np.zeros(2))
    with patch.object(base_clusterings, "_jaccard", lambda *_: nothing):
        refits, _ = base_clusterings.refit(CLOUD, found, 1, np.random.RandomState(0))
    return float(refits.weights.max())


@case(probabilities, "HOTTEST", 20)
def hottest():
    members = [np.eye(2)[np.arange(8) // step % 2] for step in (1, 2)]  # that do not agree
    scores = [999.0 * (member - 0.5) for member in members]
    return round(probabilities._temperature(scores, members))


@case(probabilities, "ROUNDING_ERROR", 2.0)
def negligible():
    own = probabilities._agree(np.array([[0.6, 0.4]]), np.array([1]))[0]
    return round(1e9 * float(own[1] - own[0]), 3)


@case(spanning_tree, "CORE_NEIGHBOURS", [3, 5])
def core_neighbours():
    Y = np.c_[np.arange(40.0) ** 2, np.zeros(40)]
    trees = spanning_tree.spanning_trees(Y)
    _, indices = spanning_tree._neighbours(Y)
    precisions = spanning_tree._local_precisions(Y[indices[:, :11]])
    one = np.full(39, 39)
    steps = np.sort(spanning_tree._mahalanobis(Y, precisions, one, np.arange(39)))
    lengths = [tree.lengths.max() for tree in trees]
    return [int(np.argmin(np.abs(steps - length))) + 1 for length in lengths]


def path(lengths):
    """Return the spanning tree of rows in a line, given the lengths of its edges."""
    n = len(lengths) + 1
    return spanning_tree.SpanningTree(np.arange(n), n - np.arange(n), np.r_[0.0, lengths])


@case(spanning_tree, "LEAST_FRACTION", 30)
def least_fraction():
    lengths = np.ones(99)
    lengths[[14, 29, 49]] = [10.0, 5.0, 3.0]  # 15, 30 and 50 rows are on one side
    return int(np.bincount(spanning_tree.cut(path(lengths), 2).labels).min())


@case(spanning_tree, "SMALL_BRANCH", [1.0, 0.0])
def small():
    found = []
    for side in (2, 4):  # rows at both ends of both parts, behind long edges
        lengths = np.ones(39)
        lengths[19] = np.e
        lengths[[side - 1, 19 - side, 19 + side, 39 - side]] = np.e
        found.append(round(spanning_tree.cut(path(lengths), 2).gap, 6))
    return found


@case(spanning_tree, "EDGE_QUANTILE", round(np.log(2.0), 6))
def edge_quantile():
    tree = path(np.insert(np.linspace(0.0, 1.0, 21), 11, 1.8))
    with patch.object(spanning_tree, "SMALL_BRANCH", 1):
        return round(spanning_tree.cut(tree, 2).gap, 6)


def drop_of(gaps):
    cuts = {m: spanning_tree.TreeCut(np.zeros(1, dtype=int), gap) for m, gap in gaps.items()}
    with patch.object(spanning_tree, "cut", lambda _, m: cuts[m]):
        return round(spanning_tree.drops_of_gap([None], [2])[2], 6)


@case(spanning_tree, "SMALL_GAP", 0.4)
def small_gap():
    return drop_of({2: 0.6, 3: 0.0})


@case(spanning_tree, "LARGE_GAP", 0.5)
def large_gap():
    return drop_of({2: 9.0, 3: 0.3})


@case(spanning_tree, "MARGIN", [False, True])
def margin():
    found = []
    for excess in (0.15, 0.25):
        with patch.object(spanning_tree, "excess_of_gap", return_value=(np.zeros(1), excess)):
            found.append(spanning_tree.gap_clusters(CLOUD, np.zeros(1), 2, None) is not None)
    return found


@case(spanning_tree, "DRAWS", 4)
def draws():
    labels, random = 1 * (CLOUD[:, 0] > 0), np.random.RandomState(0)
    excess = lambda: spanning_tree.gap_clusters(CLOUD, labels, 2, random)  # noqa: E731
    return len(calls(spanning_tree, "_draw", excess))


@case(spanning_tree, "LOCAL_ROWS", [2, 0])
def local_rows():
    random = np.random.RandomState(0)
    clouds = [random.standard_normal((50, n_columns)) for n_columns in (8, 12)]
    return [len(spanning_tree.spanning_trees(Y)) for Y in clouds]


@case(spanning_tree, "ROUNDNESS", 20.0)
def roundness():
    line = np.c_[np.arange(11.0), np.zeros(11)][None]
    return round(float(spanning_tree._local_precisions(line)[0, 1, 1]), 3)


def two_groups_in_one_column(spread):
    groups = np.where(np.arange(200) % 2, 1.0, -1.0) + 0.1 * CLOUD[:, 1]
    return np.c_[CLOUD[:, 0], spread * groups]


@case(discrete_columns, "LEAST_SPREAD", [False, True])
def least_spread():
    tables = [two_groups_in_one_column(spread) for spread in (0.7e-3, 1.5e-3)]
    return [discrete_columns.flat_coordinate(Y) is not None for Y in tables]


@case(discrete_columns, "UNIFORM", [True, False])
def uniform():
    tables = two_groups_in_one_column(1.0), CLOUD
    return [discrete_columns.flat_coordinate(Y) is not None for Y in tables]


@case(cluster_fit, "MOST_CLUSTERS", 15)
def most_clusters():
    return cluster_fit.numbers_to_try("auto", np.random.RandomState(0).randn(500, 2), None)[-1]


@case(cluster_number, "PLANE", 2)
def plane():
    return cluster_number._plane(np.random.RandomState(0).randn(50, 6)).shape[1]


def selection(numbers, silhouette=0.5, reference=0.0, drops=None):
    """Choose a number, given the evidence. The deviation of a reference is 0.01."""
    known = {
        "silhouette": silhouette,
        "_reference": ([reference] * (len(numbers) - 1), 0.01),
        "drops_of_gap": drops or {},
        "excess_of_gap": (None, 1.0),
    }
    replaced = {name: (lambda *_, v=v, **__: v) for name, v in known.items()}
    replaced["agreements_of_halves"] = lambda Y, numbers, *_: [1.0] * len(numbers)
    with patch.multiple(cluster_number, **replaced):
        return cluster_number._choose(CLOUD, np.asarray, numbers, np.random.RandomState(0))


@case(cluster_number, "CHANCE", [1, 2])
def chance():
    return [selection([1, 2], reference=reference).chosen for reference in (0.47, 0.43)]


@case(cluster_number, "DISCOUNT", 0.3)
def discount():
    return round(selection([1, 2], reference=0.4).table[1]["score"], 6)


@case(cluster_number, "LEAST_DROP", [0.0, 0.15])
def least_drop():
    return [selection([1, 2], drops={2: drop}).table[1]["gap_drop"] for drop in (0.07, 0.15)]


@case(cluster_number, "SIMILAR_DROP", [2, 5])
def similar_drop():
    table = selection(list(range(1, 9)), drops={2: 0.7, 5: 0.3, 7: 0.15}).table
    return [row["n_clusters"] for row in table if row["plausible"]]


def best_of(scores, stabilities):
    rows = [cluster_number._no_evidence(m) for m in range(2, 2 + len(scores))]
    for row, score in zip(rows, scores, strict=True):
        row["score"] = score
    with patch.object(cluster_number, "agreements_of_halves", return_value=stabilities):
        chosen = cluster_number._best(rows, CLOUD, 0, None)
    return chosen, [row["n_clusters"] for row in rows if row["plausible"]]


@case(cluster_number, "SIMILAR_SCORE", [2, 3])
def similar_score():
    return best_of([1.0, 0.95, 0.8], [1.0, 1.0, 1.0])[1]


@case(cluster_number, "STABLE", 3)
def stable():
    return best_of([1.0, 0.9], [0.4, 0.7])[0]


@case(cluster_number, "REFERENCES", 6)
def references():
    views = []
    view = lambda Y: views.append(Y) or Y  # noqa: E731
    cluster_number._reference(CLOUD[:20], view, [2], 0, np.random.RandomState(0))
    return len(views)


@case(cluster_number, "SPLITS", 4)
def splits():
    with patch.object(cluster_number, "adjusted_rand_score", wraps=adjusted_rand_score) as spy:
        cluster_number.agreements_of_halves(CLOUD, [2], 0, np.random.RandomState(0))
    return spy.call_count


@case(cluster_number, "OUTLIERS", [96, 60])
def outliers():
    found = []
    for n in (100, 60):
        Y = CLOUD[:n].copy()
        Y[:4] += 100.0
        found.append(len(cluster_number._without_outliers(Y)))
    return found


@case(cluster_number, "MOST_SKEWED", 2.0)
def most_skewed():
    arguments = np.exp(2.0 * CLOUD), np.asarray, [2], 0, np.random.RandomState(0)
    reference = lambda: cluster_number._reference(*arguments)  # noqa: E731
    return float(calls(cluster_number, "_gamma_quantiles", reference)[0].args[1].max())


def test_every_constant_has_a_case():
    names = {name for name in vars(label_constants) if name.isupper()}
    assert names == TIME_ONLY | set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_constant_has_its_value(name):
    _, value, expected = CASES[name]
    assert value() == expected


@pytest.mark.filterwarnings("ignore:Degrees of freedom", "ignore:invalid value")
@pytest.mark.parametrize("factor", [0.5, 2.0], ids=["halved", "doubled"])
@pytest.mark.parametrize("name", CASES)
def test_another_value_would_be_noticed(name, factor, monkeypatch):
    module, value, expected = CASES[name]
    before = getattr(module, name)
    kind = type(before)
    changed = tuple(int(factor * c) for c in before) if kind is tuple else kind(factor * before)
    monkeypatch.setattr(module, name, changed)
    try:
        assert value() != expected
    except ValueError:
        assert "UANTILE" in name  # a quantile above one
