import numpy as np
import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.methods import Method, resolve
from sgpmic_cli.figures import shown as module
from sgpmic_cli.figures.request import Request
from sgpmic_cli.figures.shown import _numbered, cell, shown, traces


@pytest.fixture
def request_(tmp_path):
    return Request(results=tmp_path, store=tmp_path / "runs", repeats=2)


def test_a_panel_shows_the_first_repeat_and_the_mean_of_all(request_):
    (pca,) = resolve(["pca-fcm"])
    (panel,) = shown([cell(pca, "iris", request_)], request_)
    assert panel.X.shape == (150, 2)
    assert panel.outcome.repeats == 2
    assert round(panel.outcome.stats["acc"].mean, 2) == 88.67
    from sgpmic_cli.scores import purity

    assert purity(panel.classes, panel.clusters) == pytest.approx(panel.acc)


def test_the_second_call_fits_nothing(request_, monkeypatch):
    (pca,) = resolve(["pca-fcm"])
    wanted = [cell(pca, "iris", request_)]
    before = shown(wanted, request_)[0].X
    monkeypatch.setattr(module, "_fitted", lambda run, memory: lambda: pytest.fail("fitted again"))
    np.testing.assert_array_equal(shown(wanted, request_)[0].X, before)


def test_a_damaged_file_is_computed_again(request_):
    (pca,) = resolve(["pca-fcm"])
    wanted = [cell(pca, "iris", request_)]
    before = shown(wanted, request_)[0].X
    (kept,) = (request_.store / "shown").iterdir()
    kept.write_bytes(kept.read_bytes()[:100])
    np.testing.assert_array_equal(shown(wanted, request_)[0].X, before)


def test_the_columns_are_those_of_the_printed_numbers(request_):
    (pca,) = resolve(["pca-fcm"])
    planned = cell(pca, "wine", request_)
    assert planned.data.Y.shape == (178, 12)
    assert (planned.q, cell(pca, "wine", request_, q=3).q) == (2, 3)


def test_no_successful_run_is_a_sentence(request_):
    broken = Method("broken", "sgpmic_cli.baselines.gplvm_fcm:GPLVMFCM", settings={"max_iter": "many"})
    with pytest.raises(SgpmicError, match="no run of broken on iris succeeded: TypeError"):
        shown([cell(broken, "iris", request_)], request_)


def test_clusters_take_the_numbers_of_their_classes():
    classes = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    clusters = np.array([7, 7, 7, 3, 3, 7, 5, 5])
    assert _numbered(clusters, classes).tolist() == [0, 0, 0, 1, 1, 0, 2, 2]
    more = np.array([7, 7, 6, 3, 3, 3, 5, 5])
    assert _numbered(more, classes).tolist() == [0, 0, 3, 1, 1, 1, 2, 2]
    fewer = np.array([4, 4, 4, 4, 4, 4, 1, 1])
    assert set(_numbered(fewer, classes)[6:]) == {2}


def test_a_trace_counts_e_and_m_updates(request_):
    (method,) = resolve(["sgp-mic"])
    quick = Method(**{**vars(method), "settings": {"max_iter": 3}})
    (trace,) = traces([cell(quick, "iris", request_)], request_)
    assert trace["bound"].shape == trace["acc"].shape == (7,)  # three rounds and a last E-step
    assert trace["acc"][0] == trace["acc"][1]  # labels move in E-steps only
    assert np.all(np.diff(trace["bound"])[::2] >= 0)  # M-steps never lower the bound
