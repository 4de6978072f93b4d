import pytest

from sgpmic_cli.benchmark.methods import import_class, resolve
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.experiments.protocols import PaperMethod, paper_suite, table2

METHODS = paper_suite().methods


def test_every_built_in_method_is_a_clusterer_that_accepts_its_settings():
    for method in METHODS.values():
        assert callable(import_class(method.target).fit_predict)
        assert {"n_clusters", "n_components", "random_state"} <= method.accepts()
        assert set(method.settings) <= method.accepts()
        if isinstance(method, PaperMethod):
            assert {*method.as_run, *method.as_stated} <= method.accepts()


def test_all_selects_the_methods_of_the_paper_in_its_order():
    row = table2().query("metric == 'acc' and dataset == 'iris' and explained_variance == 95")
    columns = row["method"].tolist()
    assert len(columns) == 12
    assert list(resolve(["all"], METHODS)) == columns
    assert len(resolve(["pca-fcm", "all", "pca-fcm"], METHODS)) == len(columns)


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
        resolve([name], METHODS)
