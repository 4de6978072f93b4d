"""Rows to look at."""

import numpy as np
from made_results import made_result

from sgpmic_cli.data import Rows
from sgpmic_cli.result.notable_rows import doubtful_rows, typical_rows


def test_typical_and_doubtful_rows():
    rows = Rows("t", np.zeros((4, 2)), None, (), ("a", "b"), ids=tuple("pqrs"))
    S = [[1.0, 0.0], [0.6, 0.4], [0.995, 0.005], [0.3, 0.7]]
    result = made_result([0, 0, 0, 1], rows=rows, S=S, density=[-2, -3, -1, 0])
    assert typical_rows(result, result.results.labels == 0, 3) == [2, 0]
    assert doubtful_rows(result, 10) == [("q", 0, 0.6, 1, 0.4), ("s", 1, 0.7, 0, 0.3)]


def test_a_row_of_a_rare_category_is_not_typical():
    Y = [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    result = made_result([0] * 4, Y=Y, density=[4, 3, 2, 1])
    result.profile.is_category[:] = True
    assert typical_rows(result, np.ones(4, dtype=bool), 3) == [1, 2, 3]
