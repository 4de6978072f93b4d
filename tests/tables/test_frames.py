"""Frames and arrays as people have them in Python."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import GroupMap, TableEncoder
from sgpmic_cli.errors import UsageError

OTHER = [0.5, 2.5, 1.0, 4.0]


def encoded(cells, new=None):
    encoder = TableEncoder().fit(pd.DataFrame({"a": cells, "b": OTHER}))
    return encoder.transform(pd.DataFrame({"a": cells if new is None else new, "b": OTHER}))[:, :-1]


def test_fractions_are_numbers():
    assert encoded([Fraction(1, 2), Fraction(3, 4), 5, 2])[:, 0].tolist() == [0.5, 0.75, 5, 2]


def test_numbers_that_pandas_holds_as_categories_are_categories():
    for new in (None, [3, 1, 3, 1]):  # as plain numbers
        found = encoded(pd.Categorical([3, 1, 3, 1]), new)
        assert found.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]


def test_truth_values_of_new_rows_may_be_numbers():
    assert encoded([True, False, True, False], [1, 0, "true", None])[:3, 1].tolist() == [1, 0, 1]
    assert encoded([1, 0, 1.0, 0], [True, False, "1", None])[:3, 0].tolist() == [1, 0, 1]
    assert encoded(["Yes", "No", "1", 0], ["0", "Yes", 1, "No"])[:, 1].tolist() == [0, 1, 1, 0]


def test_a_last_row_of_sums_is_named_and_changes_nothing():
    X = np.random.RandomState(4).randn(30, 3) @ [[1.0, 2.0, 0.5], [0.0, 1.0, 3.0], [0.3, 0.0, 1.0]]
    alone = GroupMap(max_iter=1, n_resamples=0, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="The last row is the sum of the others"):
        model = GroupMap(max_iter=1, n_resamples=0, random_state=0).fit(np.r_[X, [X.sum(axis=0)]])
    assert np.array_equal(model.labels_[:-1], alone.labels_)
    assert np.array_equal(model.scale_, alone.scale_)


def test_unscaled_values_that_are_too_far_apart_for_a_map_are_refused():
    X = 1e18 * np.array([OTHER, [5.0, 1.0, 3.0, 2.0]]).T
    with pytest.raises(UsageError, match=r"too large.*multiply the data by a constant"):
        GroupMap(2, scale="none").fit(X)


def test_one_warning_names_the_texts_that_a_model_does_not_know():
    table = pd.DataFrame({"a": [*"xyxy"], "b": [*"uuvv"], "c": OTHER})
    model = GroupMap(2, max_iter=1, n_resamples=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table)
    known = r"^Column 'a' has 2 values that the model does not know, such as 'z' in row 3; counted"
    with pytest.warns(UserWarning, match=rf"{known} as missing\. Column 'b' has 1 value") as caught:
        model.predict(table.assign(a=[*"xyzz"], b=[*"uvvw"]))
    assert len(caught) == 1
    with pytest.raises(UsageError, match="X has 2 features, but GroupMap is expecting 3"):
        model.predict(table[["a", "b"]].to_numpy())


def test_a_decimal_separator_that_the_model_does_not_know_is_named():
    with pytest.raises(UsageError, match=r"'1,5' is not a number.*its decimal separator"):
        encoded([1.5, 2.5, 3.5, 1.0], ["1,5", "2,5", "3", "4"])


def test_masked_cells_are_missing():
    cells = np.ma.masked_equal(np.array([[1, 2], [7, 3], [5, 9], [2, 6]]), 7)
    assert np.isnan(TableEncoder().fit_transform(cells)).tolist() == cells.mask.tolist()


def test_records_and_columns_in_a_dictionary_are_tables():
    columns = {"a": [1, 5, 2, 3], "b": OTHER}
    expected = TableEncoder().fit_transform(pd.DataFrame(columns))
    records = [{"a": a, "b": b} for a, b in zip(*columns.values(), strict=True)]
    for table in (columns, records):
        assert np.array_equal(TableEncoder().fit_transform(table), expected)


@pytest.mark.parametrize("estimator", [TableEncoder(), GroupMap(2)])
def test_other_objects_are_no_tables(estimator):
    for given in (None, "table.csv", 5, [], {"a": 1}):
        with pytest.raises(UsageError, match="X is no table"):
            estimator.fit(given)
    with pytest.raises(UsageError, match="two columns named 'a'"):
        estimator.fit(pd.DataFrame(np.eye(4), columns=[*"aabc"]))


def test_rare_texts_are_one_category_and_so_are_unknown_ones():
    texts = [f"w{i:02}" for i in range(20)] * 4 + ["rare", "scarce"] * 2
    b = np.arange(len(texts)) ** 3 % 11
    encoder = TableEncoder().fit(pd.DataFrame({"a": texts, "b": b}))
    new = encoder.transform(pd.DataFrame({"a": ["w00", "rare", "unknown"], "b": [1, 2, 3]}))
    assert encoder.get_feature_names_out()[[0, 18, 19, 20]].tolist() == ["a=w00", *NAMES]
    assert new[:, :-1].argmax(axis=1).tolist() == [0, 20, 20]
    assert "the 20 most frequent texts are kept" in " ".join(encoder.notes_)


NAMES = ["a=w18", "a=w19", "a=other"]
