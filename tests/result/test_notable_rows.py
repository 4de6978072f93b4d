"""Typical, doubtful and unusual rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from made_results import made_result

from sgpmic_cli import GroupMap, load
from sgpmic_cli.data import Rows
from sgpmic_cli.data.loading import load as load_table
from sgpmic_cli.data.loading import rows_for
from sgpmic_cli.fitting import assign_rows, fit_rows, recipe_of
from sgpmic_cli.result.notable_rows import doubtful_rows, typical_rows
from sgpmic_cli.result.tables import write_tables
from sgpmic_cli.result.words import advice


def test_typical_and_doubtful_rows():
    rows = Rows("t", np.zeros((4, 2)), None, (), ("a", "b"), ids=tuple("pqrs"))
    S = [[1.0, 0.0], [0.55, 0.45], [0.995, 0.005], [0.49, 0.51]]
    result = made_result([0, 0, 0, 1], rows=rows, S=S, density=[-2, -3, -1, 0])
    assert typical_rows(result, result.results.labels == 0, 3) == [2, 0]
    assert doubtful_rows(result, 1) == (2, [("s", 1, 0.51, 0, 0.49)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A fit of two blobs, in which row 5 is absurd and some values are missing."""
    folder = tmp_path_factory.mktemp("fit")
    rng = np.random.RandomState(0)
    values = rng.randn(80, 4) + 8.0 * (np.arange(80) % 2)[:, None]
    values[5] = [60.0, -60.0, 60.0, -60.0]
    values[10:20, 0] = np.nan
    frame = pd.DataFrame(values, columns=list("abcd"))
    frame.to_csv(folder / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = load_table(str(folder / "t.csv"))
        model = GroupMap(2, max_iter=2, random_state=0)
        result = fit_rows(model, data)
    model.save(folder / "model.npz")
    write_tables(result, folder)
    return folder, result


def test_absurd_rows_of_the_table_are_unusual(folder):
    path, result = folder
    assert np.flatnonzero(result.results.unusual).tolist() == [5]
    assert "1 of 80 rows is unlike most rows of the table" in advice(result)[-1]
    assert np.flatnonzero(pd.read_csv(path / "labels.csv")["unusual"]).tolist() == [5]


def test_absurd_new_rows_are_unusual(folder, tmp_path):
    (tmp_path / "new.csv").write_text("a,b,c,d\n0,0,0,0\n8,8,8,8\n4e3,-4e3,5e3,9e3\n,0,0,0\n")
    model = load(folder[0] / "model.npz")
    recipe = recipe_of(model)
    rows = rows_for(recipe, str(tmp_path / "new.csv"), format=recipe.format)
    summary = assign_rows(model, rows, tmp_path)
    assert pd.read_csv(tmp_path / "labels.csv")["unusual"].tolist() == [0, 0, 1, 0]
    assert summary["unusual_rows"] == 1
    assert "1 of 4 rows is unlike most rows of the model" in summary["notes"][-1]
