import numpy as np
import pytest

from sgpmic_cli import GroupMap
from sgpmic_cli.data import load


@pytest.fixture(scope="session")
def iris():
    return load("iris").Y


@pytest.fixture(scope="session")
def iris_gaps(iris):
    """Return iris with 20 % missing values."""
    mask = np.random.RandomState(0).random_sample(iris.shape) < 0.2
    mask[mask.all(axis=1), 0] = False
    return np.where(mask, np.nan, iris)


@pytest.fixture(scope="session")
def iris_model(iris):
    """Return a model of iris. Tests must not change it."""
    return GroupMap(3, random_state=0).fit(iris)


@pytest.fixture(scope="session")
def gaps_model(iris_gaps):
    """Return a model of iris with missing values. Tests must not change it."""
    return GroupMap(3, random_state=0).fit(iris_gaps)
