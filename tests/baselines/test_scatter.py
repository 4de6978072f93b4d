"""Scatter matrices against their definitions, and the k-means step that keeps what it was given."""

import numpy as np
import pytest

from sgpmic_cli.baselines import _scatter


def test_within_is_total_less_between():
    rng = np.random.RandomState(0)
    Yc = _scatter.centred(rng.standard_normal((40, 3)))
    labels = rng.randint(3, size=40)
    means = np.stack([Yc[labels == m].mean(axis=0) for m in range(3)])
    between = (means.T * np.bincount(labels)) @ means
    np.testing.assert_allclose(_scatter.within(Yc, labels, 3), Yc.T @ Yc - between, atol=1e-12)


def test_principal_drops_directions_without_variance():
    rng = np.random.RandomState(0)
    Yc = _scatter.centred(rng.standard_normal((30, 2)) @ rng.standard_normal((2, 5)))
    U, s = _scatter.principal(Yc)
    assert U.shape == (30, 2)
    np.testing.assert_allclose((U * s) @ (U * s).T, Yc @ Yc.T, atol=1e-10)


def test_a_better_start_is_kept():
    """From these labels k-means is at its best already; one random start must not make it worse."""
    rng = np.random.RandomState(0)
    best = np.repeat(np.arange(8), 10)
    Z = 100.0 * np.arange(8)[best, None] + rng.standard_normal((80, 1))
    for _ in range(10):
        assert np.array_equal(_scatter.partition(Z, 8, rng, n_init=1, start=best), best)


@pytest.mark.parametrize("size", [1e155, 1e308])
def test_data_beyond_the_range_are_refused(size):
    with pytest.raises(ValueError, match="overflow"):
        _scatter.centred(size * np.array([[1.0], [-1.0], [1.0]]))
