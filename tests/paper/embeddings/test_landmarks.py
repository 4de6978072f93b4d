"""Landmark ISOMAP against exact ISOMAP and the known coordinates of a Swiss roll."""

import numpy as np
import pytest

from sgpmic_cli.paper.embeddings.isomap import isomap, landmark_isomap


def swiss_roll(n):
    """Return the rows and the two coordinates from which they were generated."""
    rng = np.random.RandomState(0)
    turn, height = 1.5 * np.pi * (1.0 + 2.0 * rng.uniform(size=n)), 21.0 * rng.uniform(size=n)
    length = 0.5 * (turn * np.sqrt(1 + turn**2) + np.arcsinh(turn))  # arc length of the spiral
    Y = np.column_stack([turn * np.cos(turn), height, turn * np.sin(turn)])
    return Y, np.column_stack([length, height])


def embed(Y, n_landmarks, q=2, seed=0):
    return landmark_isomap(Y, q, np.random.RandomState(seed), n_landmarks=n_landmarks)


def correlations(X, other):
    """Return the correlation of each axis of `other` with the best linear function of X."""
    design = np.column_stack([X, np.ones(len(X))])
    fitted = design @ np.linalg.lstsq(design, other, rcond=None)[0]
    return [np.corrcoef(a, b)[0, 1] for a, b in zip(fitted.T, other.T, strict=True)]


def test_the_coordinates_of_the_roll_are_found():
    Y, truth = swiss_roll(3000)
    X = embed(Y, 1000)
    assert min(correlations(X, truth)) > 0.99
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1.0)


@pytest.mark.parametrize(("n", "n_landmarks", "limit"), [(1200, 900, 0.99), (300, 300, 0.999)])
def test_coordinates_agree_with_exact_isomap(n, n_landmarks, limit):
    Y, _ = swiss_roll(n)
    assert min(correlations(embed(Y, n_landmarks), isomap(Y, 2))) > limit


def test_duplicates_have_equal_coordinates():
    X = embed(np.repeat(swiss_roll(300)[0], 4, axis=0), 400).reshape(300, 4, 2)
    assert np.isfinite(X).all()
    np.testing.assert_allclose(X - X[:, :1], 0.0, atol=1e-12)


def test_the_result_depends_on_the_seed_only_and_not_on_blocks(monkeypatch):
    Y, _ = swiss_roll(300)
    expected = embed(Y, 100, seed=7)
    np.testing.assert_array_equal(embed(Y, 100, seed=7), expected)
    for size in (1, 10**4):
        monkeypatch.setattr("sgpmic_cli.paper.embeddings.isomap.BLOCK_SIZE", size)
        np.testing.assert_allclose(embed(Y, 100, seed=7), expected, atol=1e-12)
