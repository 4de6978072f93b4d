"""Data frames of other libraries are encoded as those of pandas."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli import TableEncoder

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
