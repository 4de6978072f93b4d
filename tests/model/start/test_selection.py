"""The number of clusters: what speaks for each, and what is chosen."""

import numpy as np
import pytest

from sgpmic_cli.model.start.selection import choose_clusters

NUMBERS = list(range(1, 9))


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def chosen(X, numbers=NUMBERS):
    return choose_clusters(standardised(X), numbers, np.random.RandomState(0)).chosen


def two_rings(rng, n=300):
    angle, radius = rng.random_sample(n) * 2 * np.pi, np.repeat([0.4, 1.0], [n // 3, n - n // 3])
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)] + 0.04 * rng.standard_normal(
        (n, 2)
    )


@pytest.mark.parametrize("seed", range(3))
def test_rings_are_two_though_kmeans_shows_more(seed):
    assert chosen(two_rings(np.random.RandomState(seed))) == 2


def test_a_splinter_that_lasts_longer_does_not_hide_two_spirals():
    """One spiral is sampled thinly near its end, so that eleven rows stay apart longer than the spirals do."""
    rng = np.random.RandomState(9)
    turn = np.sqrt(rng.rand(200)) * 3 * np.pi * 0.9 + 0.8
    arm = np.c_[turn * np.cos(turn), turn * np.sin(turn)] / 8
    assert chosen(np.r_[arm, -arm] + 0.03 * rng.standard_normal((400, 2))) == 2


@pytest.mark.parametrize("draw", ["standard_normal", "random_sample"])
def test_a_cloud_is_one_cluster(draw):
    assert chosen(getattr(np.random.RandomState(1), draw)((200, 4))) == 1


def test_four_clouds_are_four():
    rng = np.random.RandomState(2)
    X = 0.1 * rng.standard_normal((200, 3)) + np.repeat(rng.standard_normal((4, 3)), 50, axis=0)
    assert chosen(X) == 4


def test_one_is_no_answer_where_it_was_not_asked_for():
    assert chosen(np.random.RandomState(3).standard_normal((100, 3)), [2, 3, 4]) in (2, 3, 4)
