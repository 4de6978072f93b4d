"""Lists of near pairs against all pairs, while points move."""

import numpy as np
import pytest

from sgpmic_cli.baselines.unca.neighbour_lists import NeighbourLists

MARGIN, LIMIT = 2.0, 30.0


def all_that_matter(Z, has_twin):
    """The pairs by their definition, and the squared distances of all."""
    squares = np.sum((Z[:, None] - Z) ** 2, axis=2)
    others = squares + np.diag(np.full(len(Z), np.inf))
    reach = np.minimum(np.where(has_twin, 0.0, others.min(axis=1)) + MARGIN, LIMIT)
    matter = np.triu(squares < np.maximum(reach[:, None], reach), 1)
    return set(zip(*np.nonzero(matter), strict=True)), squares


def check(lists, Z, has_twin):
    i, j, apart, squares = lists.pairs(Z, has_twin)
    found = set(zip(np.minimum(i, j), np.maximum(i, j), strict=True))
    expected, all_squares = all_that_matter(Z, has_twin)
    assert len(found) == len(i)  # each once
    assert expected <= found
    assert len(found) < 3 * len(expected) + 10 * len(Z)  # and not simply all
    np.testing.assert_array_equal(apart, Z[i] - Z[j])
    np.testing.assert_allclose(squares, all_squares[i, j], rtol=1e-12)


@pytest.fixture
def points():
    rng = np.random.RandomState(0)
    Z = 10.0 * rng.standard_normal((400, 2))
    Z[:8] *= 20.0  # far from all others, and from each other
    return Z, rng.uniform(size=400) < 0.2


def test_after_small_moves_of_all(points):
    Z, has_twin = points
    lists = NeighbourLists(MARGIN, LIMIT)
    rng = np.random.RandomState(1)
    for _ in range(30):
        check(lists, Z, has_twin)
        Z = Z + 0.03 * rng.standard_normal(Z.shape)


def test_a_neighbour_that_leaves_and_one_that_comes(points):
    """The one left behind needs what is farther; the one in a new place is near to points it was not listed with."""
    Z, has_twin = points
    lists = NeighbourLists(MARGIN, LIMIT)
    check(lists, Z, has_twin)
    for leaving in range(20, 38):
        moved = Z.copy()
        moved[leaving] = Z[leaving + 100] + 0.1
        moved[0] = moved[1] + 0.5  # two of the far ones meet
        assert lists.serve(moved)
        check(lists, moved, has_twin)


def test_a_list_is_made_anew_when_many_have_moved(points):
    Z, has_twin = points
    lists = NeighbourLists(MARGIN, LIMIT)
    assert not lists.serve(Z)
    check(lists, Z, has_twin)
    assert lists.serve(Z)
    assert not lists.serve(Z[::-1])
    check(lists, Z[::-1].copy(), has_twin)


def test_two_that_have_only_each_other_and_far():
    crowd = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    Z = np.vstack([crowd, [[50.0, 50.0], [54.0, 50.0]]])
    check(NeighbourLists(MARGIN, LIMIT), Z, np.zeros(len(Z), dtype=bool))


def test_no_pair_within_the_limit():
    Z = 100.0 * np.arange(20.0)[:, None]
    i, *_ = NeighbourLists(MARGIN, LIMIT).pairs(Z, np.zeros(20, dtype=bool))
    assert len(i) == 0
