import numpy as np
import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.plan.methods import Method, resolve
from sgpmic_cli.figures import panels
from sgpmic_cli.figures.panels import _numbered, figure_cell, fit_panels, traces
from sgpmic_cli.figures.plot_options import PlotOptions


@pytest.fixture
def plot_options(tmp_path):
    return PlotOptions(results=tmp_path, store=tmp_path / "runs", repeats=2)


def test_a_panel_shows_the_first_repeat_and_the_mean_of_all(plot_options):
    (pca,) = resolve(["pca-fcm"])
    (panel,) = fit_panels([figure_cell(pca, "iris", plot_options)], plot_options)
    assert panel.X.shape == (150, 2)
    assert panel.outcome.repeats == 2
    assert round(panel.outcome.stats["acc"].mean, 2) == 88.67
    from sgpmic_cli.scores import purity

    assert purity(panel.classes, panel.clusters) == pytest.approx(panel.acc)


def test_the_second_call_fits_nothing(plot_options, monkeypatch):
    (pca,) = resolve(["pca-fcm"])
    wanted = [figure_cell(pca, "iris", plot_options)]
    before = fit_panels(wanted, plot_options)[0].X
    monkeypatch.setattr(panels, "_fitted", lambda run, memory: lambda: pytest.fail("fitted again"))
    np.testing.assert_array_equal(fit_panels(wanted, plot_options)[0].X, before)


def test_a_damaged_file_is_computed_again(plot_options):
    (pca,) = resolve(["pca-fcm"])
    wanted = [figure_cell(pca, "iris", plot_options)]
    before = fit_panels(wanted, plot_options)[0].X
    (kept,) = (plot_options.store / "panels").iterdir()
    kept.write_bytes(kept.read_bytes()[:100])
    np.testing.assert_array_equal(fit_panels(wanted, plot_options)[0].X, before)


def test_the_columns_are_those_of_the_printed_numbers(plot_options):
    (pca,) = resolve(["pca-fcm"])
    planned = figure_cell(pca, "wine", plot_options)
    assert planned.data.Y.shape == (178, 12)
    assert (planned.q, figure_cell(pca, "wine", plot_options, q=3).q) == (2, 3)


def test_no_successful_run_is_a_sentence(plot_options):
    broken = Method("broken", "sgpmic_cli.baselines.gplvm_fcm:GPLVMFCM", settings={"max_iter": "many"})
    with pytest.raises(SgpmicError, match="no run of broken on iris succeeded: ValueError"):
        fit_panels([figure_cell(broken, "iris", plot_options)], plot_options)


def test_clusters_take_the_numbers_of_their_classes():
    classes = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    clusters = np.array([7, 7, 7, 3, 3, 7, 5, 5])
    assert _numbered(clusters, classes).tolist() == [0, 0, 0, 1, 1, 0, 2, 2]
    more = np.array([7, 7, 6, 3, 3, 3, 5, 5])
    assert _numbered(more, classes).tolist() == [0, 0, 3, 1, 1, 1, 2, 2]
    fewer = np.array([4, 4, 4, 4, 4, 4, 1, 1])
    assert set(_numbered(fewer, classes)[6:]) == {2}


def test_a_trace_counts_e_and_m_updates(plot_options):
    (method,) = resolve(["sgp-mic"])
    quick = Method(**{**vars(method), "settings": {"max_iter": 3}})
    (trace,) = traces([figure_cell(quick, "iris", plot_options)], plot_options)
    assert trace["bound"].shape == trace["acc"].shape == (7,)  # three rounds and a last E-step
    assert trace["acc"][0] == trace["acc"][1]  # labels move in E-steps only
    assert np.all(np.diff(trace["bound"])[::2] >= 0)  # M-steps never lower the bound
