import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sgpmic_cli.model.variational.nearest_row import FEW_COLUMNS, NearestRow


@pytest.mark.parametrize("columns", [3, FEW_COLUMNS, FEW_COLUMNS + 1, 40])
def test_new_rows_find_the_nearest_and_known_ones_themselves(columns):
    random = np.random.RandomState(0)
    rows = random.normal(size=(200, columns))
    rows[7] = rows[3]
    asked = np.vstack([rows, random.normal(size=(50, columns)), rows[3] + 1e-12])
    trained = NearestRow(rows)
    nearest, known = trained.find(asked)
    assert (trained.knows(asked) == known).all()
    assert known.tolist() == [True] * 200 + [False] * 51
    assert nearest[:200].tolist() == [3 if n == 7 else n for n in range(200)]
    assert (rows[nearest[200:250]] == rows[cdist(asked[200:250], rows).argmin(axis=1)]).all()
    assert (rows[nearest[250]] == rows[3]).all()


def test_a_negative_zero_is_zero():
    rows = np.array([[0.0, 1.0], [2.0, 3.0]])
    assert NearestRow(rows).find(np.array([[-0.0, 1.0]]))[1].all()
