"""Any table with two different rows is fitted: every stage takes what the stage before returns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli import SGPMIC, load

SIZES = st.integers(3, 16), st.integers(1, 4), st.integers(0, 2**16)


def flags(rng, n, p):
    return rng.integers(0, 2, (n, p)) * 1.0


def whole_numbers(rng, n, p):
    return rng.integers(1, 6, (n, p)) * 1.0


def rounded(rng, n, p):
    return rng.normal(size=(n, p)).round(1)


def duplicates(rng, n, p):
    return rng.normal(size=(4, p))[rng.integers(0, 4, n)]


def missing(rng, n, p):
    return np.where(rng.random((n, p)) < 0.4, np.nan, whole_numbers(rng, n, p))


def constant_plus_one(rng, n, p):
    return np.column_stack([np.full((n, p), 3.0), np.full(n, np.nan), rng.normal(size=n)])


def one_row_more_than_columns(rng, n, p):
    return rng.normal(size=(n, n - 1))


def identity(rng, n, p):
    return np.eye(n)


def grid(rng, n, p):
    return np.stack(np.meshgrid(np.arange(n), np.arange(p)), axis=-1).reshape(-1, 2) * 1.0


def mixed(rng, n, p):
    columns = {"a": flags(rng, n, 1)[:, 0], "b": rng.normal(size=n), "c": rng.choice(["u", "v"], n)}
    return pd.DataFrame(columns)


KINDS = [
    *(flags, whole_numbers, rounded, duplicates, missing, constant_plus_one),
    *(one_row_more_than_columns, identity, grid, mixed),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(*SIZES)
def test_a_table_of_any_kind_is_fitted_and_assigned(tmp_path_factory, kind, n, p, seed):
    X = kind(np.random.default_rng(seed), n, p)
    known = ~pd.DataFrame(X).isna().all(axis=1).to_numpy()
    if len(pd.DataFrame(X)[known].dropna(axis=1, how="all").drop_duplicates()) < 2:
        return  # there is nothing to cluster
    model = SGPMIC(max_iter=1, optimizer_steps=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_ >= 0, known)
    for values in (model.responsibilities_, model.embedding_, model.transform(X)):
        assert np.isfinite(values[known]).all()
    np.testing.assert_array_equal(model.predict(X[::-1])[::-1], model.predict(X))
    path = tmp_path_factory.mktemp("model") / "m.npz"
    model.save(path)
    np.testing.assert_array_equal(load(path).predict(X), model.predict(X))
