"""The objective of neighbourhood component analysis against its definition, its gradient by central differences."""

import numpy as np
import pytest

from sgpmic_cli.baselines.unca import nca


def definition(Yc, labels, A, lam):
    """F, point by point."""
    Z = Yc @ A
    total = 0.0
    for i, z in enumerate(Z):
        e = np.exp(-np.sum((z - Z) ** 2, axis=1))
        e[i] = 0.0
        total += e[labels == labels[i]].sum() / e.sum()
    return total - lam * np.sum(A**2) / A.size


def problem(n, p, q, size, seed=0):
    rng = np.random.RandomState(seed)
    Yc = rng.standard_normal((n, p))
    return Yc, rng.randint(4, size=n), size * rng.standard_normal((p, q))


def unweighted(Yc, labels, q, lam):
    return nca.Objective(Yc, np.ones(len(Yc)), labels, q, lam)


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("lam", [0.001, 100.0])
def test_value_and_gradient(n, q, lam):
    Yc, labels, A = problem(n, 5, q, 0.7)
    objective = unweighted(Yc, labels, q, lam)
    value, slopes = objective(A.ravel())
    gradient = slopes()
    assert value == pytest.approx(-definition(Yc, labels, A, lam), rel=1e-12)
    for k, step in enumerate(1e-6 * np.eye(A.size)):
        slope = (objective(A.ravel() + step)[0] - objective(A.ravel() - step)[0]) / 2e-6
        assert gradient[k] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_panels_of_many_sizes_agree_with_the_definition():
    Yc, labels, A = problem(500, 3, 2, 0.5)
    labels[:450] = 0  # one cluster of several panels
    assert unweighted(Yc, labels, 2, 1.0)(A.ravel())[0] == pytest.approx(
        -definition(Yc, labels, A, 1.0), rel=1e-12
    )


def plain(Z, labels, weights):
    """The sum of all p and the gradient by Z, halved, from N x N matrices."""
    e = np.exp(-np.sum((Z[:, None] - Z) ** 2, axis=2)) * weights
    np.fill_diagonal(e, weights - 1.0)
    r = e.sum(axis=1, keepdims=True)
    P = np.divide(e, r, out=np.zeros_like(e), where=r > 1e-290)
    agree = labels[:, None] == labels
    p = np.sum(P * agree, axis=1, keepdims=True)
    T = weights[:, None] * (p * P - P * agree)
    np.fill_diagonal(T, 0.0)
    H = T + T.T
    return float(weights @ p[:, 0]), H.sum(axis=1, keepdims=True) * Z - H @ Z


@pytest.mark.parametrize("way", ["_by_matrix", "_by_blocks", "_by_lists"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [0.3, 2.0, 4.0, 20.0, 100.0])
def test_what_is_left_out_is_lost_to_rounding(way, weighted, size):
    """All ways against all pairs, also after moves that keep the lists and with points far from all others."""
    Yc, labels, A = problem(600, 3, 2, size)
    Yc[:3] *= 30.0
    weights = 1.0 + weighted * np.random.RandomState(1).randint(3, size=600)
    objective = nca.Objective(Yc, weights, labels, 2, 1.0)
    for move in (0.0, 1e-4, 1e-3, 0.5):
        Z = objective.Y @ (A + move)
        value, laplacian = getattr(objective, way)(Z)
        expected, expected_LapZ = plain(Z, objective.labels, objective.weights)
        assert value == pytest.approx(expected, rel=1e-11)
        np.testing.assert_allclose(
            laplacian(), expected_LapZ, atol=1e-9 * np.abs(expected_LapZ).max()
        )


def test_spread_points_are_recognised():
    Yc, labels, A = problem(600, 3, 2, 1.0)
    objective = unweighted(Yc, labels, 2, 1.0)
    assert not objective._is_sparse(0.1 * objective.Y @ A)
    assert objective._is_sparse(1000.0 * objective.Y @ A)


@pytest.mark.parametrize("n", [60, 700])
@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_far_groups_keep_their_digits(n, offset):
    """Distances within a group are those of its points, however far from the origin it lies."""
    Yc, labels, _ = problem(n, 2, 2, 1.0)
    Yc = np.round(Yc, 4)
    groups = np.arange(n) % 2
    value, _ = unweighted(Yc + offset * groups[:, None], 2 * labels + groups, 2, 0.0)(
        np.eye(2).ravel()
    )
    expected = [
        unweighted(Yc[groups == g], labels[groups == g], 2, 0.0)(np.eye(2).ravel()) for g in (0, 1)
    ]
    assert value == pytest.approx(sum(each for each, _ in expected), rel=1e-6)


@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("size", [1e6, 1e12, 1e150])
def test_points_beyond_the_range_of_floats_count_nothing(n, size):
    Yc, labels, A = problem(n, 3, 2, size)
    value, gradient = unweighted(Yc, labels, 2, 0.0)(A.ravel())
    assert value == 0.0
    assert np.all(gradient() == 0.0)


@pytest.mark.parametrize(("n", "size"), [(60, 0.7), (600, 8.0)])
def test_weights_stand_for_equal_points(n, size):
    Yc, labels, A = problem(n, 3, 2, size)
    weights = 1.0 + np.random.RandomState(1).randint(3, size=n)
    times = weights.astype(int)
    value, gradient = nca.Objective(Yc, weights, labels, 2, 1.0)(A.ravel())
    repeated = nca.Objective(
        np.repeat(Yc, times, axis=0), np.ones(times.sum()), np.repeat(labels, times), 2, 1.0
    )
    Z = repeated.Y @ A
    expected, laplacian = repeated._by_blocks(Z)
    assert value == pytest.approx(np.sum(A**2) / A.size - expected, rel=1e-11)
    slopes = 2.0 * A / A.size - 2.0 * repeated.Y.T @ laplacian()
    np.testing.assert_allclose(gradient(), slopes.ravel(), rtol=1e-7, atol=1e-7)
