"""The figures: the runs they show, drawings of small runs, and the files of sweeps."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from sgpmic_cli.benchmark.run import RunOptions
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.paper.figures import PlotOptions, drawings, fits
from sgpmic_cli.paper.figures.fits import fit_panels, typical_runs
from sgpmic_cli.paper.figures.sweeps import read_sweep
from sgpmic_cli.scores import purity


@pytest.fixture
def options(tmp_path):
    running = RunOptions(tmp_path / "runs", n_jobs=1)
    return PlotOptions(results=tmp_path, repeats=2, running=running)


def test_the_run_shown_is_the_one_nearest_to_the_mean(options):
    options = replace(options, repeats=4)
    quick = {"q": 2, "settings": {"epochs": 1}}
    study = options.study(["wine"], ["vae-fcm"], lambda cell: [replace(cell, **quick)])
    (panel,) = fit_panels(study, options)
    accs = panel.run.score("acc")
    assert len(set(accs)) > 1
    shown = purity(panel.run.classes, panel.clusters)
    assert shown == pytest.approx(accs[np.abs(accs - accs.mean()).argmin()])


def test_a_cell_without_a_successful_run_is_refused(options):
    def broken(cell):
        return [replace(cell, settings={"max_iter": "many"})]

    with pytest.raises(SgpmicError, match="no run of gplvm-fcm on iris succeeded: UsageError"):
        fit_panels(options.study(["iris"], ["gplvm-fcm"], broken), options)


def test_a_trace_counts_e_and_m_updates(options):
    study = options.study(
        ["iris"],
        ["sgp-mic"],
        lambda cell: [replace(cell, settings={**cell.settings, "max_iter": 3})],
    )
    (run,) = typical_runs(study, options)
    bound, acc = fits.traced(run)
    assert bound.shape == acc.shape == (7,)  # three iterations and a last E-step
    assert acc[0] == acc[1]  # labels move in E-steps only
    assert np.all(np.diff(bound)[::2] >= 0)  # M-steps never lower the bound


def test_all_means_the_figures_that_need_no_data_set():
    assert list(drawings(["all", "figure1"])) == [f"figure{i}" for i in range(1, 9)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["figure1", "figure2", "figure4", "figure5", "figure6"])
def test_figures_are_drawn(options, monkeypatch, name):
    monkeypatch.setattr(fits, "METHODS", {"ppca-fcm": "PPCA", "aml": "AML"})
    monkeypatch.setattr(fits, "CONVERGENCE", ["iris", "wine"])
    drawings([name])[name](options.results / name, options)
    assert (options.results / f"{name}.png").stat().st_size > 10_000


def _write(folder, column, rows):
    folder.mkdir(parents=True)
    with (folder / "sweep.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dataset", "method", column, "metric", "mean", "std", "n"])
        writer.writerows(rows)


def test_points_without_a_run_are_left_out(tmp_path):
    rows = [
        ["d", "m", 9, "acc", "3.0", "0.1", 2],
        ["d", "m", 2, "acc", "1.0", "0.2", 2],
        ["d", "m", 4, "acc", "", "", 0],
    ]
    _write(tmp_path / "s", "n_clusters", rows)
    curve = read_sweep(tmp_path / "s", "n_clusters", "sweep-clusters")
    assert curve[["x", "mean", "std"]].to_numpy().tolist() == [[9.0, 3.0, 0.1], [2.0, 1.0, 0.2]]
