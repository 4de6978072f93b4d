"""Fuzzy c-means against scikit-fuzzy, and its own properties."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sgpmic_cli.data import load
from sgpmic_cli.paper.fcm import fuzzy_c_means


def test_against_scikit_fuzzy():
    skfuzzy = pytest.importorskip("skfuzzy")
    X = load("iris").Y
    ours = fuzzy_c_means(X, 3, np.random.RandomState(0), max_iter=1000, tol=1e-14)
    centers, memberships, *_ = skfuzzy.cmeans(X.T, 3, 2, error=1e-10, maxiter=1000, seed=0)
    ours_order, theirs_order = np.argsort(ours.centers[:, 0]), np.argsort(centers[:, 0])
    np.testing.assert_allclose(ours.centers[ours_order], centers[theirs_order], atol=1e-5)
    np.testing.assert_allclose(
        ours.memberships[:, ours_order], memberships[theirs_order].T, atol=1e-5
    )


def test_memberships_sum_to_one_and_the_objective_decreases():
    X = load("wine").Y
    fits = [fuzzy_c_means(X, 3, np.random.RandomState(0), max_iter=k) for k in (1, 2, 5, 20)]
    np.testing.assert_allclose(fits[-1].memberships.sum(axis=1), 1.0)
    objectives = [np.sum(fit.memberships**2 * cdist(X, fit.centers, "sqeuclidean")) for fit in fits]
    assert objectives == sorted(objectives, reverse=True)
