"""Gaussians of rows with missing values, against plain algebra row by row."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering import missing_values as missing
from sgpmic_cli.clustering.cluster_fit import prepare_rows


@pytest.fixture
def problem():
    """Return correlated rows with missing values, their mask, and a Gaussian."""
    rng = np.random.RandomState(0)
    A = rng.randn(5, 5)
    Y, mask = rng.randn(60, 5) @ A, rng.rand(60, 5) < 0.3
    mask[mask.all(axis=1), 0] = False
    mask[0], mask[1], mask[2] = False, [True] * 4 + [False], mask[3]
    gaussian = missing.Gaussian(rng.randn(5), A.T @ A + 0.1 * np.eye(5))
    return np.where(mask, np.nan, Y), mask, gaussian


def test_expectations_are_those_of_a_conditional_gaussian(problem):
    Y, mask, (mean, covariance) = problem
    found = missing.condition(Y, mask, missing.Gaussian(mean, covariance))
    residual = np.zeros_like(covariance)
    for n, row in enumerate(Y):
        g, h = np.flatnonzero(mask[n]), np.flatnonzero(~mask[n])
        gain = covariance[np.ix_(g, h)] @ np.linalg.inv(covariance[np.ix_(h, h)])
        wanted = row.copy()
        wanted[g] = mean[g] + gain @ (row[h] - mean[h])
        np.testing.assert_allclose(found.imputed[n], wanted)
        left = covariance[np.ix_(g, g)] - gain @ covariance[np.ix_(h, g)]
        residual[np.ix_(g, g)] += left
    np.testing.assert_allclose(found.residual_covariance(), residual, atol=1e-12)


def test_complete_rows_give_their_own_moments():
    Y = np.random.RandomState(0).randn(40, 3)
    found, covariance = missing.fit_gaussian(Y, np.ones(3, dtype=bool)), np.cov(Y.T, bias=True)
    np.testing.assert_allclose(found.mean, Y.mean(axis=0))
    ridge = missing.RIDGE / 40 * np.trace(covariance) * np.eye(3)
    np.testing.assert_allclose(found.covariance, covariance + ridge)
    np.testing.assert_array_equal(missing.impute(found, Y), Y)


def test_an_independent_column_predicts_nothing():
    random = np.random.RandomState(0)
    Y = random.randn(40, 3)
    Y[:5, 0] = np.nan
    coin = 1.0 * random.randint(0, 2, (40, 1))
    before = missing.fit_gaussian(Y, np.ones(3, dtype=bool))
    after = missing.fit_gaussian(np.c_[Y, coin], np.array([True, True, True, False]))
    imputed = missing.impute(after, np.c_[Y, coin])
    np.testing.assert_allclose(imputed[:, :3], missing.impute(before, Y))


def test_missing_values_hide_few_clusters(iris_model, gaps_model):
    assert adjusted_rand_score(iris_model.labels_, gaps_model.labels_) > 0.7


def test_the_mask_of_missing_values_has_the_order_of_the_rows(iris, iris_gaps):
    columns = np.arange(iris.shape[1])
    assert prepare_rows(iris, columns).mask is None
    prepared = prepare_rows(iris_gaps, columns)
    np.testing.assert_array_equal(prepared.mask, np.isnan(iris_gaps)[prepared.order])
    seen = ~prepared.mask
    np.testing.assert_array_equal(prepared.rows[seen], iris_gaps[prepared.order][seen])
