from dataclasses import replace

import numpy as np
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.plan import methods
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.pipeline import RunOptions
from sgpmic_cli.experiments.run.records import Store
from sgpmic_cli.figures import panels
from sgpmic_cli.figures.panels import _numbered, fit_panels, in_two_dimensions, traces
from sgpmic_cli.figures.paper.latent_spaces import crowded
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import purity


@pytest.fixture
def plot_options(tmp_path):
    running = RunOptions(tmp_path / "runs", n_jobs=1)
    return PlotOptions(results=tmp_path, repeats=2, running=running)


def test_the_run_shown_is_the_one_nearest_to_the_mean(plot_options):
    options = replace(plot_options, repeats=4)
    (panel,) = fit_panels(options.study(["wine"], ["vae-fcm"], _short), options)
    store = Store(options.results / "runs")
    accs = np.array([store.read(run.key).scores["acc"] for run in panel.result.runs])
    assert len(set(accs)) > 1
    shown = purity(panel.classes, panel.clusters)
    assert shown == pytest.approx(accs[np.abs(accs - accs.mean()).argmin()])


def _short(cell):
    return [replace(cell, q=2, settings={"epochs": 1})]


def test_stored_points_are_read_and_damaged_ones_computed_again(plot_options, monkeypatch):
    study = plot_options.study(["iris"], ["pca-fcm"])
    before = fit_panels(study, plot_options)[0].X
    (kept,) = (plot_options.results / "runs" / "panels").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(panels, "_fitted", lambda run, memory: pytest.fail("fitted again"))
        np.testing.assert_array_equal(fit_panels(study, plot_options)[0].X, before)
    kept.write_bytes(kept.read_bytes()[:100])
    np.testing.assert_array_equal(fit_panels(study, plot_options)[0].X, before)


def test_the_columns_are_those_of_the_printed_numbers(plot_options):
    study = plot_options.study(["wine", "iris"], ["pca-fcm"], in_two_dimensions)
    wine, iris = fit_panels(study, plot_options)
    assert wine.data.Y.shape == (178, 12)
    assert (wine.X.shape, iris.X.shape) == ((178, 2), (150, 2))
    assert iris.result.repeats == 2
    assert round(iris.result.mean("acc"), 2) == 88.67


def test_a_cell_without_a_successful_run_is_refused(plot_options, monkeypatch):
    broken = Method(
        "broken", "sgpmic_cli.baselines.gplvm_fcm:GPLVMFCM", settings={"max_iter": "many"}
    )
    monkeypatch.setattr(methods, "_BUILT_IN", (broken,))
    with pytest.raises(SgpmicError, match="no run of broken on iris succeeded: ValueError"):
        fit_panels(plot_options.study(["iris"], ["broken"]), plot_options)


def test_clusters_take_the_numbers_of_their_classes():
    classes = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    clusters = np.array([7, 7, 7, 3, 3, 7, 5, 5])
    assert _numbered(clusters, classes).tolist() == [0, 0, 0, 1, 1, 0, 2, 2]
    more = np.array([7, 7, 6, 3, 3, 3, 5, 5])
    assert _numbered(more, classes).tolist() == [0, 0, 3, 1, 1, 1, 2, 2]
    fewer = np.array([4, 4, 4, 4, 4, 4, 1, 1])
    assert set(_numbered(fewer, classes)[6:]) == {2}


def test_a_trace_counts_e_and_m_updates(plot_options):
    study = plot_options.study(
        ["iris"],
        ["sgp-mic"],
        lambda cell: [replace(cell, settings={**cell.settings, "max_iter": 3})],
    )
    ((cell, trace),) = traces(study, plot_options)
    assert cell.q == 2
    assert trace["bound"].shape == trace["acc"].shape == (7,)  # three rounds and a last E-step
    assert trace["acc"][0] == trace["acc"][1]  # labels move in E-steps only
    assert np.all(np.diff(trace["bound"])[::2] >= 0)  # M-steps never lower the bound


def test_a_trace_leaves_out_no_responsibility():
    Y = load("iris").Y
    usual, exact = (
        kind(3, max_iter=2, random_state=0).fit(Y).responsibilities_
        for kind in (PaperSGPMIC, panels._WithoutTruncation)
    )
    assert (usual == 0).any()
    assert (exact > 0).sum() > (usual > 0).sum()


def test_a_place_with_many_points_is_labelled_with_their_number():
    points = np.vstack([np.zeros((30, 2)), np.random.RandomState(0).randn(70, 2)])
    ((place, count),) = crowded(points)
    assert count >= 30
    assert np.abs(place).max() < 0.1
    assert crowded(np.random.RandomState(0).randn(100, 2)) == []
