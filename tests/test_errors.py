import numpy as np
import pytest

from sgpmic_cli import SGPMIC, GroupMap
from sgpmic_cli.errors import UsageError


@pytest.mark.parametrize("estimator", [GroupMap, SGPMIC])
@pytest.mark.parametrize(
    ("parameters", "X", "words"),
    [
        ({}, [[1.0, np.inf], [2.0, 3.0]], "^Input X contains infinity"),  # of scikit-learn
        ({}, np.ones((5, 2)), "^All rows are equal"),
        ({}, [[1e200, 0.0], [0.0, 1.0]], "too large or too small"),
    ],
)
def test_checks_of_input_are_usage_errors(estimator, parameters, X, words):
    with pytest.raises(UsageError, match=words):
        estimator(n_clusters=2).set_params(**parameters).fit(X)
