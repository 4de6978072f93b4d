import datetime as dt

import numpy as np
import pandas as pd
import pytest
from raw_tables import birds
from sklearn.utils.estimator_checks import parametrize_with_checks

from sgpmic_cli import TableEncoder
from sgpmic_cli.data import load


def test_encoder_does_what_the_command_line_does(here):
    frame = birds(60)
    frame.to_csv("t.csv", index=False)
    encoder = TableEncoder().set_output(transform="pandas")
    encoded = encoder.fit_transform(frame.set_index(frame.index[::-1]))
    data = load("t.csv")
    np.testing.assert_array_equal(encoded, data.Y)
    assert tuple(encoded.columns) == data.feature_names == tuple(encoder.get_feature_names_out())
    assert [role.taken_as for role in encoder.roles_] == [
        *("id", "categories", "numbers", "numbers", "numbers", "numbers", "categories")
    ]
    assert encoder.notes_[0].startswith("column 'bird' is left out")
    ones = data.Y[:, encoder.recipe_.levels > 0]
    assert set(ones[~np.isnan(ones)]) == {0.0, 1.0}


@parametrize_with_checks([TableEncoder()])
def test_encoder_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_row_without_values_stays_a_row_without_values():
    frame = pd.DataFrame({"a": [1, 2, 3, np.nan, np.nan], "b": ["x", None, "y", None, "x"]})
    Y = TableEncoder().fit_transform(frame)
    assert np.isnan(Y).all(axis=1).tolist() == [False, False, False, True, False]
    assert np.isnan(Y).sum() == 6


def test_names_that_are_no_texts_are_reported_as_unknown_columns():
    frame = pd.DataFrame({3: [1, 2, 9, 4], "b": [5, 1, 2, 2]})
    assert TableEncoder(drop=[3]).fit_transform(frame).shape == (4, 1)
    assert TableEncoder(columns=None, drop="b").fit_transform(frame).shape == (4, 1)
    with pytest.raises(ValueError, match=r"there is no column \"\['b'\]\" for drop"):
        TableEncoder(drop=[["b"]]).fit(frame)


COLUMNS = {
    "size": [1.5, None, 2.5, 7.0],
    "number": [3, 1, None, 1],
    "colour": ["red", "blue", None, "red"],
    "day": [dt.date(2024, 1, day) for day in (31, 3, 7, 7)],
    "ok": [True, None, False, True],
    "tags": [[1], [2], [3], [4]],
}


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frame_of_another_library_is_encoded_as_one_of_pandas(library):
    module = pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    make = module.DataFrame if library == "polars" else module.table
    encoder, plain = TableEncoder(), TableEncoder()
    Y = encoder.fit_transform(make(COLUMNS))
    np.testing.assert_array_equal(Y, plain.fit_transform(pd.DataFrame(COLUMNS)))
    assert encoder.recipe_ == plain.recipe_
    assert list(encoder.feature_names_in_) == list(COLUMNS)
    np.testing.assert_array_equal(plain.transform(make(COLUMNS)), Y)
    column = make(COLUMNS)["number"]  # has the Arrow interface as well
    with pytest.raises(ValueError, match=r"2-dim|2D array"):
        plain.fit(column)


def test_a_missing_cell_changes_no_category_of_whole_numbers():
    table = pd.DataFrame({"k": pd.Categorical([1, 2, 3] * 4), "x": np.arange(12.0) ** 2})
    encoder = TableEncoder().fit(table)
    known = encoder.transform(table)[1:]
    table.loc[0, "k"] = np.nan
    np.testing.assert_array_equal(encoder.transform(table)[1:], known)


def test_a_table_comes_back_from_its_numbers():
    table = pd.DataFrame(
        {
            "size": [1.5, 2.0, 4.0, 7.0] * 3,
            "kind": ["b", "a", "b", "c"] * 3,
            "day": ["2024-01-01", "2024-02-29", "2024-03-01"] * 4,
        }
    )
    encoder = TableEncoder().fit(table)
    back = encoder.inverse_transform(encoder.transform(table))
    pd.testing.assert_frame_equal(back.assign(day=back["day"].astype(str)), table)
