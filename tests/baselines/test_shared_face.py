"""What all competitors have in common: the argument X, the same sentences, and one thread."""

import re

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sgpmic_cli import baselines
from sgpmic_cli.baselines import _clusterer
from sgpmic_cli.data import load

QUICK = {
    "AEFCM": {"epochs": 2},
    "DEEPC": {"pretrain_epochs": 2, "max_steps": 5},
    "GPLVMFCM": {"max_iter": 2},
    "SDC": {"epochs": 2},
    "UNCA": {"rounds": 2},
    "VAEFCM": {"epochs": 2},
    "VAESoundFCM": {"epochs": 2},
}
ROWS = load("iris").Y[::5]  # (30, 4)


def small(name, **settings):
    return getattr(baselines, name)(
        **{"n_clusters": 3, "random_state": 0, **QUICK.get(name, {}), **settings}
    )


@pytest.mark.parametrize("name", baselines.__all__)
def test_the_argument_is_called_x_and_every_method_leaves_labels_and_an_embedding(name):
    model = small(name).fit(X=ROWS, y=None)
    assert model.labels_.shape == (30,)
    assert set(model.labels_) <= {0, 1, 2}
    assert model.embedding_.shape == (30, 2)
    assert model.n_features_in_ == 4
    assert np.array_equal(small(name).fit_predict(X=ROWS), model.labels_)


@pytest.mark.parametrize("name", baselines.__all__)
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_clusters": 2.5}, "n_clusters must be a whole number from 1, not 2.5."),
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1, not 0."),
        ({"n_clusters": 31}, "n_clusters=31 needs at least that many rows; n_samples=30."),
        ({"n_components": 0.95}, "n_components must be a whole number from 1, not 0.95."),
        ({"n_components": 5}, "n_components=5 needs at least that many columns; n_features=4."),
    ],
)
def test_what_no_method_can_do_is_refused_in_the_same_words(name, settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        small(name, **settings).fit(ROWS)


@pytest.mark.parametrize(
    ("name", "parameter", "wrong", "wanted"),
    [
        ("FGPLVMFCM", "max_iter", 0, "a whole number from 1"),
        ("GPLVMFCM", "max_iter", 0, "a whole number from 1"),
        ("GPLVMFCM", "memory", 3, "None, a folder or a joblib.Memory"),
        ("AML", "lam", float("nan"), "a number from 0"),
        ("DEC", "lam", float("inf"), "a number from 0"),
        ("UNCA", "lam", "1", "a number from 0"),
        ("AML", "max_outer", -1, "a whole number from 0"),
        ("UNCA", "rounds", 0, "a whole number from 1"),
        ("IsomapFCM", "components", "all", "'largest', 'joined' or 'auto'"),
        ("IsomapFCM", "unit_variance", 1, "True or False"),
        ("AEFCM", "hidden", (8, 0), "a list of whole numbers from 1"),
        ("AEFCM", "patience", 0, "None or a whole number from 1"),
        ("VAESoundFCM", "learning_rate", 0.0, "a positive number"),
        ("SDC", "cluster_factor", 0.5, "a number from 1"),
        ("DEEPC", "max_steps", 0, "a whole number from 1"),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_named(name, parameter, wrong, wanted):
    with pytest.raises(
        ValueError, match=re.escape(f"{parameter} must be {wanted}, not {wrong!r}.")
    ):
        small(name, **{parameter: wrong}).fit(ROWS)


@pytest.mark.parametrize("name", baselines.__all__)
def test_every_parameter_has_a_rule(name):
    model = small(name)
    ruled = {*_clusterer.SHARED_RULES, *model._rules, "random_state"}
    assert ruled == set(model.get_params())


def test_a_fit_runs_on_one_thread_and_gives_the_threads_back(monkeypatch):
    during = []

    class Watched(baselines.PCAFCM):
        def _embed(self, Y, rng):
            during.extend(library["num_threads"] for library in threadpool_info())
            return super()._embed(Y, rng)

    with threadpool_limits(limits=2):
        before = [library["num_threads"] for library in threadpool_info()]
        Watched(3, random_state=0).fit(ROWS)
        after = [library["num_threads"] for library in threadpool_info()]
    assert set(during) == {1}
    assert max(before) == 2
    assert after == before
