"""Fuzzy c-means against scikit-fuzzy, and three embeddings with it against printed cells."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sgpmic_cli.data import load
from sgpmic_cli.paper.fcm import FuzzyCMeans


def test_against_scikit_fuzzy():
    skfuzzy = pytest.importorskip("skfuzzy")
    X = load("iris").Y
    ours = FuzzyCMeans(3, max_iter=1000, tol=1e-14, random_state=0).fit(X)
    centers, memberships, *_ = skfuzzy.cmeans(X.T, 3, 2, error=1e-10, maxiter=1000, seed=0)
    ours_order, theirs_order = np.argsort(ours.centers_[:, 0]), np.argsort(centers[:, 0])
    np.testing.assert_allclose(ours.centers_[ours_order], centers[theirs_order], atol=1e-5)
    np.testing.assert_allclose(
        ours.memberships_[:, ours_order], memberships[theirs_order].T, atol=1e-5
    )


def test_memberships_sum_to_one_and_the_objective_decreases():
    X = load("wine").Y
    fits = [FuzzyCMeans(3, max_iter=k, tol=0, random_state=0).fit(X) for k in (1, 2, 5, 20)]
    np.testing.assert_allclose(fits[-1].memberships_.sum(axis=1), 1.0)
    objectives = [fit.objective_ for fit in fits]
    assert objectives == sorted(objectives, reverse=True)


def test_points_on_a_centre_belong_to_it():
    X = np.array([[0.0], [0.0], [0.0], [9.0], [9.0], [9.0]])
    fit = FuzzyCMeans(2, random_state=0).fit(X)
    assert len(set(fit.labels_[:3])) == len(set(fit.labels_[3:])) == 1
    assert fit.memberships_.max(axis=1).min() > 0.999


def test_coincident_centres_give_a_warning():
    with pytest.warns(ConvergenceWarning, match="coincident"):
        FuzzyCMeans(3, random_state=0).fit(np.random.RandomState(0).randn(100, 40))
