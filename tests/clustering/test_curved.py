"""Clusters on curved sheets, which Gaussian clusters of the columns do not explain."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli.clustering.clusters import curved
from sgpmic_cli.clustering.clusters.base_clusterings import base_consensus
from sgpmic_cli.clustering.clusters.curved import sheets
from sgpmic_cli.clustering.clusters.groups import neighbour_map


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def noise(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape)


@pytest.fixture(scope="module")
def digits():
    """Return images of five digits, their map and the digits."""
    images, y = load_digits(n_class=5, return_X_y=True)
    Y = standard(images[:300, images[:300].std(axis=0) > 0.5])
    return Y, neighbour_map(Y), y[:300]


def test_images_of_digits_have_sheets_and_as_many_as_asked_for(digits):
    Y, chart, y = digits
    found = sheets(Y, chart, 5)
    assert found.number == 5
    assert adjusted_rand_score(found.labels, y) > 0.8
    assert adjusted_rand_score(found.labels, y) > adjusted_rand_score(
        base_consensus(Y, 5).labels, y
    )
    assert found.points is chart
    np.testing.assert_array_equal(found.divide(found.points, 5), found.labels)


def test_the_number_is_that_of_the_highest_silhouette_on_the_map(digits):
    assert curved._number(digits[1]) in (5, 6)
    corners = 9.0 * np.eye(3)[np.arange(60) % 3, :2]
    assert curved._number(corners + noise(60, 2)) == 3


@pytest.mark.parametrize("kind", ["round", "flat"])
def test_the_map_of_a_cloud_shows_no_sheets(kind):
    Y = noise(200, 3) @ noise(3, 12, seed=1) + 0.3 * noise(200, 12, seed=2)
    Y = standard(Y if kind == "flat" else noise(200, 8))
    chart = neighbour_map(Y)
    labels, own = curved.divide_by_gaussians(chart, 2), base_consensus(Y, 2).labels
    # Neighbours stay together on the map, so that a flat cloud has a gain, too.
    assert (curved._gain(Y, own, labels) > curved.EXCESS / 2) == (kind == "flat")
    assert sheets(Y, chart, 2) is None


def test_the_cut_is_the_mean_fraction_of_shared_neighbours_in_other_clusters():
    Y, labels = noise(40, 3), np.arange(40) % 3
    nearest = NearestNeighbors(n_neighbors=curved.NEIGHBOURS).fit(Y).kneighbors(Y)[1]
    sets = [set(row) for row in nearest.tolist()]
    inside, volume = np.zeros(3), np.zeros(3)
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            if i != j and (j in one or i in other):
                weight = len(one & other)
                volume[labels[i]] += weight
                inside[labels[i]] += weight * (labels[i] == labels[j])
    cut = curved._cut(curved._shared_neighbours(Y), labels)
    assert cut == pytest.approx(np.mean(1.0 - inside / volume))


def test_the_gain_grows_with_a_division_that_cuts_fewer_neighbours():
    Y = np.r_[noise(50, 2), noise(50, 2, seed=1) + 9.0]
    right, wrong = np.repeat([0, 1], 50), np.arange(100) % 2
    assert curved._gain(Y, wrong, right) > 1.0
    assert curved._gain(Y, right, wrong) == -curved._gain(Y, wrong, right)


def test_drawn_rows_have_the_values_and_correlations_of_every_cluster():
    labels = np.repeat([0, 1], 400)
    Y = np.exp(noise(800, 1) * np.where(labels, -1.0, 1.0)[:, None] * [1.0, 0.0])
    Y = np.c_[Y[:, 0], np.where(labels, -1.0, 1.0) * Y[:, 0] + 0.1 * noise(800)]
    drawn = curved._draw(Y, labels, np.random.RandomState(0))
    assert (drawn != Y).any(axis=0).all()
    for m in (0, 1):
        rows = labels == m
        np.testing.assert_array_equal(np.sort(drawn[rows], axis=0), np.sort(Y[rows], axis=0))
        assert np.corrcoef(drawn[rows].T)[0, 1] * np.corrcoef(Y[rows].T)[0, 1] > 0.8
