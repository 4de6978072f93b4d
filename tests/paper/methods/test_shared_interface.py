"""What holds for all baselines: results of a fit, one-sentence errors."""

import re

import numpy as np
import pytest

from sgpmic_cli.benchmark.methods import import_class
from sgpmic_cli.data import load
from sgpmic_cli.paper.experiments.protocols import paper_suite

QUICK = {
    "AEFCM": {"epochs": 2},
    "DEEPC": {"pretrain_epochs": 2, "max_steps": 5},
    "SDC": {"epochs": 2},
    "UNCA": {"n_iter": 3},
    "VAEFCM": {"epochs": 2},
}
TARGETS = {method.target for method in paper_suite().methods.values()}
BASELINES = {
    target.partition(":")[2]: import_class(target)
    for target in sorted(TARGETS)
    if target.startswith("sgpmic_cli.paper.methods.")
}
ROWS = load("iris").Y[::5]  # (30, 4)


def small(name, n_clusters=3, n_components=2, **settings):
    return BASELINES[name](n_clusters, n_components, **QUICK.get(name, {}) | settings)


@pytest.mark.parametrize("name", BASELINES)
def test_fit_sets_labels_and_embedding_and_repeats_with_a_seed(name):
    model, again = (small(name, random_state=0).fit(X=ROWS, y=None) for _ in range(2))
    assert set(model.labels_) <= {0, 1, 2}
    assert model.embedding_.shape == (30, 2)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("PCAFCM", {"n_clusters": 2.5}, "'n_clusters' parameter of PCAFCM must be an int"),
        ("AML", {"n_clusters": 31}, "n_clusters=31 needs at least that many rows; n_samples=30."),
        ("SDC", {"n_components": 5}, "n_components=5 needs at least that many columns"),
        ("AML", {"lam": float("nan")}, "'lam' parameter of AML must be a float in the range [0"),
        ("AML", {"max_outer": -1}, "'max_outer' parameter of AML must be an int in the range [0"),
        ("IsomapFCM", {"components": "all"}, "'components' parameter of IsomapFCM must be a str"),
    ],
)
def test_parameters_are_checked(name, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(name, **settings).fit(ROWS)


def test_coincident_centres_give_a_warning():
    with pytest.warns(UserWarning, match="coincident"):
        BASELINES["PCAFCM"](3, 40, random_state=0).fit(np.random.RandomState(0).randn(100, 40))
