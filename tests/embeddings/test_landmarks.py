"""Landmark ISOMAP against the exact one, and the laws that hold for any number of rows."""

import numpy as np
import pytest

from sgpmic_cli.embeddings import isomap
from sgpmic_cli.embeddings.landmarks import landmark_isomap


def roll(n, seed=0):
    """A Swiss roll and the two coordinates that made it."""
    rng = np.random.RandomState(seed)
    turn, height = 1.5 * np.pi * (1.0 + 2.0 * rng.uniform(size=n)), 21.0 * rng.uniform(size=n)
    length = 0.5 * (turn * np.sqrt(1 + turn**2) + np.arcsinh(turn))  # of the spiral from its centre
    return np.column_stack([turn * np.cos(turn), height, turn * np.sin(turn)]), np.column_stack(
        [length, height]
    )


def agreement(X, other):
    """For each axis of `other` the correlation with the best linear function of X."""
    design = np.column_stack([X, np.ones(len(X))])
    fitted = design @ np.linalg.lstsq(design, other, rcond=None)[0]
    return [np.corrcoef(a, b)[0, 1] for a, b in zip(fitted.T, other.T, strict=True)]


def test_the_roll_comes_out_flat():
    Y, truth = roll(3000)
    X = landmark_isomap(Y, 2, np.random.RandomState(0), n_landmarks=1000)
    assert min(agreement(X, truth)) > 0.99


def test_close_to_the_exact_coordinates():
    Y, _ = roll(1800)
    X = landmark_isomap(Y, 2, np.random.RandomState(0), n_landmarks=1000)
    assert min(agreement(X, isomap(Y, 2))) > 0.99


def test_all_rows_as_landmarks_stay_at_the_exact_coordinates():
    Y, _ = roll(300)
    X = landmark_isomap(Y, 2, np.random.RandomState(0), n_landmarks=300)
    assert min(agreement(X, isomap(Y, 2))) > 0.999


def test_axes_have_zero_mean_and_unit_variance():
    X = landmark_isomap(roll(1000)[0], 3, np.random.RandomState(0), n_landmarks=200)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1.0)


def test_duplicates_fall_on_one_place():
    Y = np.repeat(roll(300)[0], 4, axis=0)
    X = landmark_isomap(Y, 2, np.random.RandomState(0), n_landmarks=400).reshape(300, 4, 2)
    assert np.isfinite(X).all()
    np.testing.assert_allclose(X - X[:, :1], 0.0, atol=1e-12)


def test_the_result_depends_on_the_seed_alone():
    Y, _ = roll(800)
    first, again = (
        landmark_isomap(Y, 2, np.random.RandomState(7), n_landmarks=200) for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("numbers", [1, 10**4])
def test_blocks_do_not_matter(numbers, monkeypatch):
    Y, _ = roll(300)
    whole = landmark_isomap(Y, 2, np.random.RandomState(0), n_landmarks=100)
    monkeypatch.setattr("sgpmic_cli.embeddings.landmarks.BLOCK_NUMBERS", numbers)
    np.testing.assert_allclose(
        landmark_isomap(Y, 2, np.random.RandomState(0), n_landmarks=100), whole, atol=1e-12
    )
