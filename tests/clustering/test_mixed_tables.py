"""Tables of columns of any kind: one rule of weights, and invariances."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli import GroupMap, estimators
from sgpmic_cli.scaling import offset_and_scale

N = 200
GROUPS = np.arange(N) % 2


def fit(X, n_clusters="auto", seed=0, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GroupMap(n_clusters, max_iter=1, random_state=seed, **parameters).fit(X)


def mixed(seed=0):
    """Return two groups in two numbers, two flags and two texts."""
    random = np.random.RandomState(seed)
    wrong = random.random_sample((N, 4)) < 0.15
    own = np.where(wrong, 1 - GROUPS[:, None], GROUPS[:, None])
    numbers = random.standard_normal((N, 2)) + 3.0 * GROUPS[:, None]
    return pd.DataFrame(
        {
            "width": numbers[:, 0],
            "height": numbers[:, 1],
            "paid": own[:, 0],
            "member": own[:, 1],
            "size": np.array(["small", "large"], dtype=object)[own[:, 2]],
            "colour": np.where(own[:, 3] == 1, "red", random.choice(["blue", "grey"], N)),
        }
    )


@cache
def unchanged(n_clusters):
    return fit(mixed(), n_clusters)


def test_every_column_has_variance_one_whatever_its_kind():
    model = unchanged(2)
    scaled = estimators.scaled(model, model.encode(mixed()))
    totals = np.bincount(model.encoder_.recipe_.column_of_feature, scaled.var(axis=0, ddof=1))
    np.testing.assert_allclose(totals, 1.0, rtol=0.01)


@pytest.mark.parametrize(("scale", "variance"), [("standard", 1.0), ("global", 1.0), ("none", 4.0)])
def test_a_category_has_the_mean_variance_of_the_numbers(scale, variance):
    random = np.random.RandomState(0)
    numbers = 2.0 * random.standard_normal((N, 1))
    Y = np.c_[numbers / numbers.std(ddof=1) * 2.0, np.eye(3)[random.randint(0, 3, N)]]
    offset, found = offset_and_scale(Y, scale, np.array([0, 3, 3, 3]))
    scaled = (Y - offset) / found
    variances = scaled.var(axis=0, ddof=1)
    assert variances[0] == pytest.approx(variance)
    assert variances[1:].sum() == pytest.approx(variance)


CHANGES = {
    "flags as texts": lambda X: X.assign(paid=X["paid"].map({0: "no", 1: "yes"})),
    "text as flags": lambda X: X.assign(size=(X["size"] == "large") * 1.0),
    "renamed": lambda X: X.assign(colour=X["colour"].map({"red": "a", "blue": "c", "grey": "b"})),
    "columns permuted": lambda X: X[X.columns[[3, 0, 5, 1, 4, 2]]],
    "column doubled": lambda X: X.assign(again=X["paid"]),
    "text doubled": lambda X: X.assign(again=X["colour"]),
    "jitter": lambda X: X.assign(paid=X["paid"] + 1e-9 * np.random.RandomState(0).randn(N)),
    "independent flag": lambda X: X.assign(coin=np.random.RandomState(7).randint(0, 2, N)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("n_clusters", ["auto", pytest.param(2, marks=pytest.mark.slow)])
def test_the_clusters_do_not_depend_on_the_form_of_the_table(change, n_clusters):
    before, after = unchanged(n_clusters), fit(change(mixed()), n_clusters)
    assert before.n_clusters_ == 2
    assert adjusted_rand_score(before.labels_, after.labels_) >= 0.98


def test_rows_permuted_and_other_seeds_give_the_same_number():
    frame = mixed()
    order = np.random.RandomState(0).permutation(N)
    model = unchanged("auto")
    again = fit(frame.iloc[order].reset_index(drop=True), seed=3)
    pd.testing.assert_frame_equal(model.selection_, again.selection_, atol=1e-12)
    assert adjusted_rand_score(model.labels_[order], again.labels_) >= 0.98


def test_the_same_number_gives_the_same_clusters():
    frame = mixed()
    chosen = fit(frame, n_resamples=2)
    given = fit(frame, chosen.n_clusters_, n_resamples=2)
    np.testing.assert_array_equal(chosen.responsibilities_, given.responsibilities_)


def test_new_rows_follow_the_same_columns():
    frame = mixed()
    frame.loc[3, "colour"] = None
    model = fit(frame, 2, n_resamples=2)
    assert (model.predict(frame) == model.labels_).all()
    new = mixed(1)
    assert adjusted_rand_score(model.predict(new), GROUPS) > 0.7


def test_no_cluster_is_empty():
    random = np.random.RandomState(0)
    model = fit(random.standard_normal((60, 2)), 14)
    assert model.empty_clusters_ == []
