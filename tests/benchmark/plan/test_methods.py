import pytest

from sgpmic_cli.benchmark.compare.paper import table2
from sgpmic_cli.benchmark.plan import methods
from sgpmic_cli.benchmark.plan.third_party import import_class
from sgpmic_cli.errors import UsageError


def test_every_built_in_method_is_a_clusterer_that_accepts_its_settings():
    for method in methods._BUILT_IN:
        assert callable(import_class(method.target).fit_predict)
        if not method.peer:
            assert {"n_clusters", "n_components", "random_state"} <= method.accepts()
        for settings in (method.settings, method.as_run, method.as_stated):
            assert set(settings) <= method.accepts()


def test_all_selects_the_methods_of_the_paper_in_its_order():
    columns = [method for *row, method in table2() if row == ["acc", "iris", 95]]
    assert len(columns) == 12
    assert [method.name for method in methods.resolve(["all"])] == columns
    assert len(methods.resolve(["pca-fcm", "all", "pca-fcm"])) == len(columns)


def test_peers_are_the_general_clusterers_and_the_default_model_is_not_in_the_paper():
    names = [method.name for method in methods.resolve(["peers"])]
    assert names == ["k-means", "gmm", "spectral", "ward", "hdbscan"]
    (ours,) = methods.resolve(["sgp-mic+"])
    assert not ours.in_paper


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no_such_module:Thing", "cannot import 'no_such_module'"),
        ("broken_module:Thing", "'broken_module': ZeroDivisionError: division by zero."),
        ("broken_syntax:Thing", "cannot import 'broken_syntax': SyntaxError: "),
        (":Thing", "cannot import ''"),
        (".relative:Thing", "cannot import '.relative'"),
        ("toy_methods:Nothing", "'toy_methods' has no 'Nothing'"),
        ("toy_methods:NoClusterer", "no fit_predict"),
    ],
)
def test_a_target_that_is_not_a_clusterer_is_refused(name, sentence, tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("1 / 0\n")
    (tmp_path / "broken_syntax.py").write_text("class Thing(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=sentence):
        methods.resolve([name])


def test_third_party_classes_and_entry_points_are_methods(monkeypatch):
    from importlib import metadata

    point = metadata.EntryPoint("halves", "toy_methods:Halves", methods.ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    by_name, by_path = methods.resolve(["halves", "toy_methods:Halves"])
    assert by_name.target == by_path.target
    assert by_name.accepts() == {"n_clusters", "random_state"}
    assert not by_name.in_paper
