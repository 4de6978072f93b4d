"""Rules that hold for all baselines: scikit-learn's contract, public names, messages, threads."""

import re

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_info, threadpool_limits

from sgpmic_cli.data import load
from sgpmic_cli.paper import methods as baselines
from sgpmic_cli.paper.experiments.protocols import paper_suite
from sgpmic_cli.paper.fcm import FuzzyCMeans
from sgpmic_cli.paper.methods._clusterer import parameter_rules

QUICK = {
    "AEFCM": {"epochs": 2},
    "DEEPC": {"pretrain_epochs": 2, "max_steps": 5},
    "GPLVMFCM": {"max_iter": 1},
    "SDC": {"epochs": 2},
    "UNCA": {"n_iter": 3},
    "VAEFCM": {"epochs": 2},
}
REPRESENTATIVES = ("PCAFCM", "AML", "AEFCM")  # one embedding, one alternation, one network
OTHERS = [name for name in baselines.__all__ if name not in REPRESENTATIVES]
ROWS = load("iris").Y[::5]  # (30, 4)


def small(name, n_clusters=3, n_components=2, **settings):
    return getattr(baselines, name)(n_clusters, n_components, **QUICK.get(name, {}) | settings)


def expected_failures(estimator):
    if type(estimator) is baselines.VAEFCM:
        return {"check_clustering": "the codes are samples of the prior, as in the paper's table"}
    if isinstance(estimator, baselines.FGPLVMFCM | baselines.GPLVMFCM):
        return {"check_non_transformer_estimators_n_iter": "the optimiser does not count its steps"}
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([FuzzyCMeans(2), *(small(name, 2, 1) for name in REPRESENTATIVES)])
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [small(name, 2, 1) for name in OTHERS], expected_failed_checks=expected_failures
)
def test_estimator_checks_of_all_others(estimator, check):
    check(estimator)


def test_public_names_are_the_classes_of_the_registry():
    targets = {
        method.target for method in paper_suite().methods.values() if method.group != "peers"
    }
    ours = sorted(target for target in targets if target.startswith("sgpmic_cli.paper.methods."))
    assert dir(baselines) == sorted({target.partition(":")[2] for target in ours})
    for target in ours:
        module, _, name = target.partition(":")
        assert getattr(baselines, name).__module__ == module
    with pytest.raises(ImportError, match="NoSuchMethod"):
        from sgpmic_cli.paper.methods import NoSuchMethod  # noqa: F401


@pytest.mark.parametrize("name", baselines.__all__)
def test_fit_sets_labels_and_embedding_and_repeats_with_a_seed(name):
    model, again = (small(name, random_state=0).fit(X=ROWS, y=None) for _ in range(2))
    assert model.labels_.shape == (30,)
    assert set(model.labels_) <= {0, 1, 2}
    assert model.embedding_.shape == (30, 2)
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_clusters": 2.5}, "n_clusters must be an integer of at least 1, not 2.5."),
        ({"n_clusters": 31}, "n_clusters=31 needs at least that many rows; n_samples=30."),
        ({"n_components": 0.95}, "n_components must be an integer of at least 1, not 0.95."),
        ({"n_components": 5}, "n_components=5 needs at least that many columns; n_features=4."),
    ],
)
def test_shared_parameters_are_checked(settings, message):
    for name in baselines.__all__:
        with pytest.raises(ValueError, match=re.escape(message)):
            small(name, **settings).fit(ROWS)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "expected"),
    [
        ("FGPLVMFCM", "max_iter", 0, "an integer of at least 1"),
        ("GPLVMFCM", "memory", 3, "None, a folder or a joblib.Memory"),
        ("AML", "lam", float("nan"), "a number of at least 0"),
        ("UNCA", "lam", "1", "a number of at least 0"),
        ("AML", "max_outer", -1, "an integer of at least 0"),
        ("IsomapFCM", "components", "all", "'largest', 'joined' or 'auto'"),
        ("IsomapFCM", "unit_variance", 1, "True or False"),
        ("AEFCM", "hidden", (8, 0), "a list of integers of at least 1"),
        ("VAEFCM", "learning_rate", 0.0, "a positive number"),
        ("SDC", "cluster_factor", 0.5, "a number of at least 1"),
    ],
)
def test_own_parameters_are_checked(name, parameter, value, expected):
    message = re.escape(f"{parameter} must be {expected}, not {value!r}.")
    with pytest.raises(ValueError, match=message):
        small(name, **{parameter: value}).fit(ROWS)


def test_every_parameter_has_a_rule():
    for name in baselines.__all__:
        model = small(name)
        ruled = {*parameter_rules(type(model)), "random_state"}
        assert ruled == set(model.get_params()), name


def test_a_fit_uses_one_thread_and_restores_the_limit():
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
