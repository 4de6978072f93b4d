"""Changes of a table that mean nothing."""

import numpy as np
import pandas as pd

from benchmarks import invariance


def test_changes_keep_what_the_table_says():
    random = np.random.RandomState(0)
    frame = pd.DataFrame(
        {
            "x": random.randn(30),
            "flag": random.randint(0, 2, 30),
            "truth": random.randint(0, 2, 30) == 1,
            "text": random.choice(["a", "b", None], 30),
        }
    )
    seen = {}
    for name, changed, rows in invariance.changes(frame):
        assert len(rows) == len(frame)
        same = changed.iloc[rows].reset_index(drop=True)
        for column, values in frame.round(6).items():
            codes = pd.factorize(same.round(6)[column])[0]
            np.testing.assert_array_equal(codes, pd.factorize(values)[0])
        seen.setdefault(name, changed)
    assert set(seen["0/1 as yes/no"]["truth"]) == {"yes", "no"}
    assert set(seen["categories renamed"]["text"].dropna()) == {"name 1", "name 2"}
    assert len(seen["rows twice"]) == 60
    assert seen["column doubled"].shape[1] == seen["independent flag"].shape[1] == 5
    assert 0.0 < np.abs(seen["jitter"]["x"] - frame["x"]).max() < 1e-8
