import inspect

import pytest

from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.plan import methods


def test_every_built_in_method_is_a_clusterer_with_the_common_face():
    for method in methods.known().values():
        if (
            not method.peer
        ):  # scikit-learn's own have no latent space, and not all of them can be told a number
            assert {"n_clusters", "n_components", "random_state"} <= method.accepts()
        assert (
            set(method.settings) | set(method.grid) | set(method.as_run) | set(method.as_stated)
            <= method.accepts()
        )


def test_parameters_read_from_the_source_are_those_of_the_class():
    for method in methods._BUILT_IN:
        assert constructor(*method.target.split(":")) == frozenset(
            inspect.signature(method.load()).parameters
        )
        assert callable(method.load().fit_predict)


def test_all_stands_for_the_methods_of_the_paper_in_its_order():
    columns = [
        method for *row, method in table2() if row == ["acc", "iris", 95]
    ]  # a row without dashes
    assert len(columns) == 12
    names = [method.name for method in methods.resolve(["all"])]
    assert names == columns


def test_peers_are_the_clusterers_of_everyday_use_and_the_new_default_is_nobody_elses_column():
    assert [method.name for method in methods.resolve(["peers"])] == [
        "k-means",
        "gmm",
        "spectral",
        "ward",
        "hdbscan",
    ]
    (ours,) = methods.resolve(["sgp-mic+"])
    assert "ours" in ours.label
    assert not ours.in_paper
    assert not ours.variant_of  # so that no printed number is put beside it


def test_an_unknown_name_gives_the_nearest_and_all_valid_ones():
    with pytest.raises(
        UsageError, match=r"did you mean 'isomap-fcm'\?.*valid: pca-fcm, .*module:Class"
    ):
        methods.resolve(["isomap-fmc"])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no_such_module:Thing", "cannot import 'no_such_module'"),
        (
            "broken_module:Thing",
            "cannot import 'broken_module': ZeroDivisionError: division by zero.",
        ),
        ("broken_syntax:Thing", "cannot import 'broken_syntax': SyntaxError: "),
        (":Thing", "cannot import ''"),
        (".relative:Thing", "cannot import '.relative'"),
        ("toy_methods:Nothing", "'toy_methods' has no 'Nothing'"),
        ("toy_methods:NoClusterer", "no fit_predict"),
    ],
)
def test_a_target_that_is_no_clusterer_is_refused(name, sentence, tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("1 / 0\n")
    (tmp_path / "broken_syntax.py").write_text("class Thing(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=sentence):
        methods.resolve([name])


def test_anybodys_class_and_entry_points_are_methods(monkeypatch):
    from importlib import metadata

    point = metadata.EntryPoint("halves", "toy_methods:Halves", methods.ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    by_name, by_path = methods.resolve(["halves", "toy_methods:Halves"])
    assert by_name.load() is by_path.load()
    assert not by_name.in_paper
    assert "halves" not in [method.name for method in methods.resolve(["all"])]


def test_a_method_named_twice_stands_once():
    assert len(methods.resolve(["pca-fcm", "all", "pca-fcm"])) == len(methods.resolve(["all"]))
