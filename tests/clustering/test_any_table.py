"""Any table with two different rows is fitted: every stage takes what the stage before returns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli import GroupMap, load

KINDS = {
    "flags": lambda random, n, p: random.randint(0, 2, (n, p)),
    "grades": lambda random, n, p: random.randint(1, 6, (n, p)),
    "rounded": lambda random, n, p: np.round(random.standard_normal((n, p)), 1),
    "ties": lambda random, n, p: np.maximum(random.standard_normal((n, p)), 0.0),
    "duplicates": lambda random, n, p: random.standard_normal((4, p))[random.randint(0, 4, n)],
    "missing": lambda random, n, p: np.where(random.rand(n, p) < 0.4, np.nan, random.randn(n, p)),
    "constant and empty": lambda random, n, p: np.tile([3.0, np.nan], (n, 1)),
    "numbers": lambda random, n, p: random.standard_normal((n, p)),
    "nearly square": lambda random, n, p: random.standard_normal((n, n - 1)),
    "wide": lambda random, n, p: random.standard_normal((n, n + 1)),
    "identity": lambda random, n, p: np.eye(n),
    "grid": lambda random, n, p: np.column_stack([np.arange(n) // p, np.arange(n) % p]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4, derandomize=True)
@given(st.sampled_from(list(KINDS)), st.integers(3, 16), st.integers(1, 4), st.integers(0, 2**16))
def test_a_table_of_any_two_kinds_is_fitted_and_assigned(tmp_path_factory, kind, other, n, p, seed):
    random = np.random.RandomState(seed)
    X = np.column_stack([1.0 * KINDS[name](random, n, p) for name in dict.fromkeys([kind, other])])
    if seed % 2:
        X = pd.DataFrame(X).add_prefix("x").assign(text=random.choice(["u", "v"], n))
    known = ~pd.DataFrame(X).isna().all(axis=1).to_numpy()
    if len(pd.DataFrame(X)[known].dropna(axis=1, how="all").drop_duplicates()) < 2:
        return  # there is nothing to cluster
    quick = {"max_iter": 1, "optimizer_steps": 1, "n_resamples": 2 * (n % 2), "random_state": 0}
    model = GroupMap(**quick).fit(X)
    np.testing.assert_array_equal(model.labels_ >= 0, known)
    assert (model.cluster_sizes_ > 0).all()
    for values in (model.responsibilities_, model.embedding_, model.transform(X)):
        assert np.isfinite(values[known]).all()
    np.testing.assert_array_equal(model.predict(X[::-1])[::-1], model.predict(X))
    path = tmp_path_factory.mktemp("model") / "m.npz"
    model.save(path)
    np.testing.assert_array_equal(load(path).predict(X), model.predict(X))
