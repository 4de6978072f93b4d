"""UNCA: its projection against the definition and dense algebra, its optimiser, its labels."""

import numpy as np
import pytest
from central_differences import central_differences
from scipy.optimize import rosen, rosen_der
from sklearn.cluster import KMeans

from sgpmic_cli.data import load
from sgpmic_cli.paper.methods.unca import UNCA, kmeans
from sgpmic_cli.paper.methods.unca.projection import Objective, Point, descend
from sgpmic_cli.scores import purity


def definition(Yc, labels, A, lam):
    """Return F, computed point by point."""
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
    return Objective(Yc, np.ones(len(Yc)), labels, q, lam)


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("q", [1, 3])
def test_value_and_gradient(n, q):
    lam = 10.0
    Yc, labels, A = problem(n, 5, q, 0.7)
    objective = unweighted(Yc, labels, q, lam)
    a = A.ravel()
    value, gradient = objective(a)
    assert value == pytest.approx(-definition(Yc, labels, A, lam), rel=1e-12)
    found, numeric = gradient(), central_differences(lambda: objective(a)[0], a, 1e-6)
    np.testing.assert_allclose(found, numeric, rtol=1e-6, atol=1e-6)


def dense(Z, labels, weights):
    """Return the sum of all p and half the gradient with respect to Z from N x N matrices."""
    e = np.exp(-np.sum((Z[:, None] - Z) ** 2, axis=2)) * weights
    np.fill_diagonal(e, weights - 1.0)
    r = e.sum(axis=1, keepdims=True)
    P = np.divide(e, r, out=np.zeros_like(e), where=r > 1e-290)
    same = labels[:, None] == labels
    p = np.sum(P * same, axis=1, keepdims=True)
    T = weights[:, None] * (p * P - P * same)
    np.fill_diagonal(T, 0.0)
    H = T + T.T
    return float(weights @ p[:, 0]), H.sum(axis=1, keepdims=True) * Z - H @ Z


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [0.3, 4.0, 100.0])
def test_blocks_agree_with_dense_algebra(weighted, size):
    """Some points are far from all."""
    Yc, labels, A = problem(600, 3, 2, size)
    labels[:300] = 0  # a cluster of several panels
    Yc[:3] *= 30.0
    weights = 1.0 + weighted * np.random.RandomState(1).randint(3, size=600)
    objective = Objective(Yc, weights, labels, 2, 1.0)
    Z = objective.Y @ A
    value, laplacian = objective.neighbours(Z)
    expected, expected_LapZ = dense(Z, objective.labels, objective.weights)
    assert value == pytest.approx(expected, rel=1e-11)
    tolerance = 1e-9 * np.abs(expected_LapZ).max()
    np.testing.assert_allclose(laplacian(), expected_LapZ, atol=tolerance)


@pytest.mark.parametrize("n", [60, 700])
def test_distances_within_groups_far_from_the_origin_keep_their_digits(n):
    offset = 1e8
    Yc, labels, _ = problem(n, 2, 2, 1.0)
    Yc, identity, groups = np.round(Yc, 4), np.eye(2).ravel(), np.arange(n) % 2
    far = unweighted(Yc + offset * groups[:, None], 2 * labels + groups, 2, 0.0)
    near = [unweighted(Yc[groups == g], labels[groups == g], 2, 0.0) for g in (0, 1)]
    expected = sum(objective(identity)[0] for objective in near)
    assert far(identity)[0] == pytest.approx(expected, rel=1e-6)


def evaluated(objective, x):
    value, gradient = objective(x)
    return Point(x, value, gradient())


def rosenbrock(x):
    return rosen(x), lambda: rosen_der(x)


def test_rosenbrock_decreases_in_every_line_search():
    point, values = descend(rosenbrock, evaluated(rosenbrock, np.array([-1.2, 1.0, 0.5])), 200)
    assert np.all(np.diff(values) < 0)
    assert point.value == values[-1] == rosen(point.x) < 1e-8
    np.testing.assert_array_equal(point.gradient, rosen_der(point.x))


def test_weighted_labels_are_those_of_scikit_learn():
    U, times, rng = load("iris").Y[::3], 1.0 + np.arange(50) % 3, np.random.RandomState(0)
    for _ in range(5):
        centres = U[rng.permutation(50)[:3]]
        expected = KMeans(3, init=centres, n_init=1, tol=0.0).fit(U, sample_weight=times).labels_
        assert np.array_equal(kmeans(U, times, centres), expected)


def test_fewer_distinct_rows_than_clusters():
    Y = np.repeat(np.array([[0.0], [5.0]]), 4, axis=0)
    labels = UNCA(3, 1, n_iter=3, random_state=0).fit_predict(Y)
    assert len(set(labels[:4])) == 1
    assert labels[0] != labels[4]


def test_separated_clusters_are_found():
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), 40)
    Y = 4.0 * np.eye(3)[groups] + 0.3 * rng.standard_normal((120, 3))
    assert purity(groups, UNCA(3, 2, lam=10.0, random_state=0).fit_predict(Y)) == 100.0
