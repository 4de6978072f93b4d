"""Blocks of near pairs: every pair that matters is in one of them, and in one only."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli.baselines.unca.near_blocks import along_main_axis, blocks


def covered(along, reach, clusters):
    """How often each pair is in a block (N, N)."""
    times = np.zeros((len(along), len(along)), dtype=int)
    for block in blocks(along, reach, clusters):
        times[block.rows, block.columns] += 1
        rows, columns = (
            next((a, b) for a, b in clusters if a <= block.rows.start < b),
            block.columns,
        )
        assert block.agree == (rows[0] <= columns.start < rows[1])
        assert block.shape == times[block.rows, block.columns].shape
    return times


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 400), width=st.floats(0.01, 3.0))
def test_no_pair_within_reach_is_lost_or_doubled(seed, n, width):
    rng = np.random.RandomState(seed)
    edges = np.unique(np.r_[0, rng.randint(n, size=3), n])
    clusters = [(int(a), int(b)) for a, b in pairwise(edges)]
    along = np.concatenate([np.sort(rng.standard_normal(b - a)) for a, b in clusters])
    reach = width * rng.exponential(size=n)
    times = np.triu(covered(along, reach, clusters), 1)
    matters = np.abs(along[:, None] - along) <= np.maximum(reach[:, None], reach)
    assert times.max(initial=0) <= 1
    assert np.all(times[np.triu(matters, 1)] == 1)


def test_far_pairs_are_left_out():
    along = np.arange(1000.0)
    assert covered(along, np.full(1000, 2.0), [(0, 1000)]).mean() < 0.12


@pytest.mark.parametrize("factor", [1.0, 1e-200, 1e200])
def test_the_main_axis_is_the_one_of_largest_spread(factor):
    rng = np.random.RandomState(0)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    spread = rng.standard_normal((80, 3)) * [1.0, 9.0, 2.0]
    along = along_main_axis(factor * spread @ turn)
    np.testing.assert_allclose(
        np.abs(np.corrcoef(along / factor, spread[:, 1])[0, 1]), 1.0, atol=0.02
    )


def test_equal_points_at_the_origin_and_points_beyond_floats_have_an_axis():
    assert np.array_equal(along_main_axis(np.zeros((3, 2))), np.zeros(3))
    assert along_main_axis(np.array([[np.inf, 1.0], [0.0, 1.0]])).shape == (2,)
