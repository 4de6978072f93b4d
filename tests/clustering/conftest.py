from functools import cache

import numpy as np
import pytest

from sgpmic_cli import GroupMap
from sgpmic_cli.data import load


@pytest.fixture(scope="session")
def bundled_model():
    """Return a function that fits a bundled table with its number of classes, once for all tests.

    Tests must not change the models.
    """

    @cache
    def fitted(name):
        rows = load(name)
        return GroupMap(len(np.unique(rows.classes)), random_state=0).fit(rows.Y)

    return fitted


@pytest.fixture(scope="session")
def iris():
    return load("iris").Y


@pytest.fixture(scope="session")
def iris_model(bundled_model):
    return bundled_model("iris")


@pytest.fixture(scope="session")
def iris_gaps(iris):
    """Return iris with 20 % missing values."""
    mask = np.random.RandomState(0).random_sample(iris.shape) < 0.2
    mask[mask.all(axis=1), 0] = False
    return np.where(mask, np.nan, iris)


@pytest.fixture(scope="session")
def gaps_model(iris_gaps):
    """Return a model of iris with missing values. Tests must not change it."""
    return GroupMap(3, random_state=0).fit(iris_gaps)
