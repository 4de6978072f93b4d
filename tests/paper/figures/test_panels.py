from dataclasses import replace

import numpy as np
import pytest

from sgpmic_cli.benchmark.methods import Method
from sgpmic_cli.benchmark.run import RunOptions
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.paper.experiments import methods
from sgpmic_cli.paper.figures import panels
from sgpmic_cli.paper.figures.panels import PlotOptions, fit_panels, traces
from sgpmic_cli.scores import purity


@pytest.fixture
def plot_options(tmp_path):
    running = RunOptions(tmp_path / "runs", n_jobs=1)
    return PlotOptions(results=tmp_path, repeats=2, running=running)


def test_the_run_shown_is_the_one_nearest_to_the_mean(plot_options):
    options = replace(plot_options, repeats=4)
    quick = {"q": 2, "settings": {"epochs": 1}}
    study = options.study(["wine"], ["vae-fcm"], lambda cell: [replace(cell, **quick)])
    (panel,) = fit_panels(study, options)
    accs = panel.score("acc")
    assert len(set(accs)) > 1
    shown = purity(panel.classes, panel.clusters)
    assert shown == pytest.approx(accs[np.abs(accs - accs.mean()).argmin()])


def test_stored_points_are_read(plot_options, monkeypatch):
    study = plot_options.study(["iris"], ["pca-fcm"])
    before = fit_panels(study, plot_options)[0].X
    monkeypatch.setattr(panels, "_fitted", lambda run, memory: pytest.fail("fitted again"))
    np.testing.assert_array_equal(fit_panels(study, plot_options)[0].X, before)


def test_a_cell_without_a_successful_run_is_refused(plot_options, monkeypatch):
    broken = Method(
        "broken", "sgpmic_cli.paper.methods.gplvm_fcm:GPLVMFCM", settings={"max_iter": "many"}
    )
    monkeypatch.setattr(methods, "_registered", lambda: {"broken": broken})
    with pytest.raises(SgpmicError, match="no run of broken on iris succeeded: UsageError"):
        fit_panels(plot_options.study(["iris"], ["broken"]), plot_options)


def test_a_trace_counts_e_and_m_updates(plot_options):
    study = plot_options.study(
        ["iris"],
        ["sgp-mic"],
        lambda cell: [replace(cell, settings={**cell.settings, "max_iter": 3})],
    )
    ((cell, trace),) = traces(study, plot_options)
    assert cell.q == 2
    assert trace["bound"].shape == trace["acc"].shape == (7,)  # three iterations and a last E-step
    assert trace["acc"][0] == trace["acc"][1]  # labels move in E-steps only
    assert np.all(np.diff(trace["bound"])[::2] >= 0)  # M-steps never lower the bound
