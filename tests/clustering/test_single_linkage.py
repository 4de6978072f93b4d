import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.clusters.groups import GAP
from sgpmic_cli.clustering.clusters.single_linkage import divide_links, single_links


def divided(X, number):
    return divide_links(X, single_links(X), number)


def parts_within(X, length):
    """Return the parts (N,) of the rows that steps of at most this length connect."""
    distances = cdist(X, X)
    core = np.sort(distances, axis=1)[:, 3]
    reach = np.maximum(distances, np.maximum(core[:, None], core))
    return connected_components(reach <= length, directed=False)[1]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        make_moons(300, noise=0.05, random_state=0),
        make_circles(300, noise=0.04, factor=0.4, random_state=0),
    ],
    ids=["moons", "rings"],
)
def test_rings_and_moons_have_a_gap(X, y):
    found = divided(X, 2)
    assert adjusted_rand_score(found.labels, y) == 1.0
    assert found.gap > GAP


@pytest.mark.parametrize("kind", ["normal", "heavy tails"])
def test_a_cloud_has_no_gap(kind):
    for seed in range(5):
        random = np.random.RandomState(seed)
        X = random.standard_t(3, size=(200, 2)) if kind == "heavy tails" else random.randn(200, 2)
        found = divided(X, 2)
        assert found is None or found.gap < 0.1


@pytest.mark.parametrize("number", [2, 3])
def test_parts_are_those_of_the_distances(number):
    X, _ = make_circles(200, noise=0.04, factor=0.4, random_state=1)
    X = np.vstack([X, np.random.RandomState(1).normal(size=(50, 2)) * 0.1 + 4.0])
    links = single_links(X)
    sizes = np.r_[np.ones(len(X)), links[:, 3]][links[:, :2].astype(int)].min(axis=1)
    lengths = links[sizes >= 0.4 * len(X) / number, 2][1 - number :]
    found = divide_links(X, links, number)
    parts = parts_within(X, lengths[0] * (1.0 - 1e-9))
    large = np.bincount(parts)[parts] >= 0.4 * len(X) / number
    assert adjusted_rand_score(found.labels[large], parts[large]) == 1.0
    others = np.setdiff1d(links[sizes >= 3, 2], lengths)
    assert found.gap == pytest.approx(np.log(lengths[0] / np.quantile(others, 0.9)))


def test_outliers_are_no_cluster():
    X, y = make_circles(300, noise=0.04, factor=0.4, random_state=0)
    X = np.vstack([X, np.random.RandomState(0).uniform(-2.0, 2.0, size=(15, 2))])
    assert adjusted_rand_score(divided(X, 2).labels[:300], y) > 0.95


def test_rows_that_repeat_have_no_gap():
    assert divided(np.repeat(np.random.RandomState(0).randn(20, 2), 10, axis=0), 2) is None
