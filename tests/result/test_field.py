"""The process over the map: gradients, uncertainty, and the columns that drive a place."""

import numpy as np
import pytest

from sgpmic import GroupMap
from sgpmic_cli.result.fitting import fitted_of
from sgpmic_cli.result.map_data import (
    arrow_weights,
    field_at,
    predicted_fraction,
    strongest,
)


def planted(seed, kind):
    """Return rows with six columns that two hidden factors drive, and six columns of noise."""
    rng = np.random.RandomState(seed)
    u = rng.uniform(-2.0, 2.0, (300, 2))
    if isinstance(kind, int):  # clusters, in which the noise changes more than the driven columns
        u = 0.3 * u + 2.0 * rng.randn(kind, 2)[rng.randint(0, kind, 300)]
    driven = u @ rng.randn(2, 6)
    if kind == "regions":  # a column changes on one side only
        driven = np.c_[np.maximum(u, 0.0), np.minimum(u, 0.0), u]
    driven = driven / driven.std(axis=0) + 0.2 * rng.randn(300, 6)
    return np.c_[driven, rng.randn(300, 6)]


@pytest.fixture(scope="module")
def fitted():
    Y = planted(0, "regions")
    return fitted_of(GroupMap(2, max_iter=3, random_state=0).fit(Y), Y)


def test_the_gradient_is_that_of_the_mean(fitted):
    X = fitted.model.embedding_[:3]
    process = fitted.model._fitted.map
    gradient = field_at(process, X).gradient
    for q in range(2):
        step = np.zeros(2)
        step[q] = 1e-5
        ahead, back = field_at(process, X + step).mean, field_at(process, X - step).mean
        np.testing.assert_allclose(gradient[:, q], (ahead - back) / 2e-5, atol=1e-6)


def test_the_process_is_unknown_far_from_the_rows(fitted):
    process, X = fitted.model._fitted.map, fitted.model.embedding_
    assert field_at(process, X).unknown.mean() < 0.1
    assert field_at(process, X + 100.0).unknown == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "seed"), [("plane", 0), ("plane", 1), ("regions", 0), (2, 0), (3, 7), (4, 0), (6, 6)]
)
def test_the_columns_that_drive_a_place_are_named(seed, kind):
    """The tables (3, 7) and (6, 6) have a column of noise that the others predict by chance."""
    Y = planted(seed, kind)
    number = kind if isinstance(kind, int) else 2
    fitted = fitted_of(GroupMap(number, random_state=0).fit(Y), Y)
    found = field_at(fitted.model._fitted.map, fitted.model.embedding_)
    weight = arrow_weights(fitted, np.arange(12)) * fitted.model.scale_ / Y.std(axis=0)
    named = strongest(found.gradient * weight, np.arange(12))
    assert np.mean((named < 6).all(axis=1)) >= 0.95  # no column of noise in 95 % of the places
    assert (named[:, 0] >= 0).all()


def test_columns_that_no_other_predicts_are_not_named():
    Y = np.random.RandomState(0).randn(300, 2)
    fitted = fitted_of(GroupMap(1, random_state=0).fit(Y), Y)
    np.testing.assert_array_equal(predicted_fraction(fitted, np.arange(2)), 0.0)


def test_a_linear_column_is_predicted_as_by_regression():
    rng = np.random.RandomState(0)
    u = rng.randn(1000)
    Y = u[:, None] + 0.5 * rng.randn(1000, 6)
    fitted = fitted_of(GroupMap(1, random_state=0).fit(Y), Y)
    others = np.delete(Y, 0, axis=1)
    residuals = Y[:, 0] - others @ np.linalg.lstsq(others, Y[:, 0], rcond=None)[0]
    r2 = 1.0 - residuals.var() / Y[:, 0].var()
    assert predicted_fraction(fitted, np.arange(6))[0] == pytest.approx(r2, abs=0.05)
    # The features of one column do not predict each other.
    assert predicted_fraction(fitted, np.zeros(6, dtype=int)).max() == 0.0


def test_a_column_is_named_once_and_only_if_it_is_strong():
    gradient = np.array([[[4.0, 3.9, 1.0, 2.5], [0.0, 0.0, 0.0, 0.0]]])
    assert strongest(gradient, np.array([0, 0, 1, 2])).tolist() == [[0, 3, -1]]
