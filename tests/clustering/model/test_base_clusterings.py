"""Base clusterings and their consensus."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.model.clusters import base_clusterings as base
from sgpmic_cli.clustering.model.clusters.invariant_coordinate import (
    flat_coordinate,
    invariant_coordinate,
)
from sgpmic_cli.clustering.model.clusters.probabilities import fit_gaussians


def blobs(n=120, p=3, seed=0):
    rng = np.random.RandomState(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, p)) + 8.0 * rng.standard_normal((3, p))[y], y


def test_permuted_labels_are_matched():
    labels = np.random.RandomState(0).randint(4, size=100)
    wrong = labels.copy()
    wrong[:5] = (wrong[:5] + 1) % 4
    permuted = [np.array(p)[labels] for p in ([2, 0, 3, 1], [1, 2, 3, 0])]
    found = base.match([*permuted, np.array([3, 2, 1, 0])[wrong]], ("a", "b", "c"), 4)
    assert adjusted_rand_score(found.labels, labels) == 1.0
    np.testing.assert_array_equal(found.memberships[0], found.memberships[1])
    np.testing.assert_allclose(found.fractions[5:].max(axis=1), 1.0)
    np.testing.assert_allclose(found.fractions[:5].max(axis=1), 2 / 3)


def test_the_consensus_names_its_base_clusterings():
    Y, y = blobs()
    continuous = base.consensus(Y, 3, 0)
    assert continuous.names == ("k-means", "Gaussian mixture", "Gaussian mixture, regularised")
    assert adjusted_rand_score(continuous.labels, y) == 1.0
    discrete = base.base_labels(np.round(Y / 4.0), 3, 0, None)
    assert list(discrete)[1] == "k-means, discrete columns damped"
    assert base.consensus(Y, 1, 0).labels.max() == 0


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("name", base.NAMED)
def test_every_named_clustering_finds_blobs(name):
    Y, y = blobs()
    found = base.named_clustering(name, Y, 3, 0)
    assert found.names == (name,)
    assert adjusted_rand_score(found.labels, y) > 0.95


def test_clusters_in_one_column_are_found_beside_columns_without_any():
    y = np.arange(300) % 3
    Y = np.random.RandomState(0).standard_normal((300, 5))
    Y[:, 0] += 6.0 * y
    assert adjusted_rand_score(base.consensus(Y / Y.std(axis=0), 3, 0).labels, y) > 0.95


def test_the_flat_coordinate_ignores_scales_rotations_and_discrete_columns():
    random = np.random.RandomState(0)
    Y = random.standard_normal((400, 3))
    Y[:, 2] += 4.0 * np.sign(random.standard_normal(400))
    first = flat_coordinate(Y)
    assert abs(np.corrcoef(first[:, 0], Y[:, 2])[0, 1]) > 0.99
    others = np.c_[Y @ random.standard_normal((3, 3)) + 5.0, random.random_sample(400) < 0.5]
    for coordinate in (flat_coordinate, invariant_coordinate):
        np.testing.assert_allclose(np.abs(coordinate(others)), np.abs(first), atol=1e-6)
    assert flat_coordinate(Y[:6]) is None
    assert flat_coordinate(random.uniform(size=(400, 3)) ** 2) is None


def refitted(Y, labels, n_resamples=3):
    known = base.one_clustering("known", labels, 3)
    gaussians = fit_gaussians(Y, known.memberships)
    return base.refit(Y, known, gaussians, n_resamples, np.random.RandomState(0))


def test_separate_clusters_come_back_in_refits_and_parts_of_a_cloud_do_not():
    Y, y = blobs()
    refits, stability = refitted(Y, y)
    np.testing.assert_array_equal(stability, 1.0)
    np.testing.assert_array_equal(refits.probabilities(Y, y).argmax(axis=1), y)
    cloud = np.random.RandomState(1).standard_normal((100, 2))
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(cloud)
    assert refitted(cloud, labels)[1].max() < 1.0


def test_refits_of_more_columns_than_rows_equal_those_of_the_space_of_the_rows():
    Y, y = blobs()
    basis = np.linalg.qr(np.random.RandomState(0).standard_normal((2 * len(Y), Y.shape[1])))[0]
    wide, few = Y @ basis.T, refitted(Y, y)[0]
    np.testing.assert_allclose(
        refitted(wide, y)[0].probabilities(wide, y).argmax(axis=1),
        few.probabilities(Y, y).argmax(axis=1),
    )


@pytest.mark.parametrize(("noise", "stable"), [(0.04, True), (0.4, False)])
def test_refits_of_clusters_with_gaps_cut_the_spanning_tree(noise, stable):
    Y, y = make_moons(200, noise=noise, random_state=0)
    known = base.one_clustering("spanning tree", y, 2)._replace(gaps=True)
    refits, stability = base.refit(Y, known, None, 3, np.random.RandomState(0))
    assert refits is None
    assert (stability.min() > 0.99) == stable
