import csv
from contextlib import contextmanager

import pytest
from matplotlib.figure import Figure

from sgpmic_cli.paper.figures import PlotOptions, sweeps
from sgpmic_cli.paper.figures.sweeps import figure7, read_sweep


def _write(folder, column, rows):
    folder.mkdir(parents=True)
    with (folder / "sweep.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dataset", "method", column, "metric", "mean", "std", "n"])
        writer.writerows(rows)


@pytest.fixture
def figures(monkeypatch):
    """Collect the figures that are drawn instead of writing them."""
    drawn = []

    @contextmanager
    def canvas(stem, *, width, height):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        drawn.append(figure)

    monkeypatch.setattr(sweeps, "canvas", canvas)
    return drawn


@pytest.mark.parametrize("count", [1, 3])
def test_a_panel_of_each_data_set_and_one_legend(tmp_path, figures, count):
    # Only the last data set has the second method.
    rows = [[f"d{i}", "pca-fcm", k, "acc", 50, 1, 10] for i in range(count) for k in (2, 4)]
    rows.append([f"d{count - 1}", "sgp-mic", 2, "acc", 50, 1, 10])
    _write(tmp_path / "sweep-clusters", "n_clusters", rows)
    figure7(tmp_path / "figure", PlotOptions(results=tmp_path))
    (figure,) = figures
    titles = [axes.get_title() for axes in figure.axes]
    assert len(set(titles)) == len(titles) == count
    assert titles[0] == "(a) D0"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["PCA-FCM", "SGP-MIC"]


def test_points_without_a_run_are_left_out(tmp_path):
    rows = [
        ["d", "m", 9, "acc", "3.0", "0.1", 2],
        ["d", "m", 2, "acc", "1.0", "0.2", 2],
        ["d", "m", 4, "acc", "", "", 0],
    ]
    _write(tmp_path / "s", "n_clusters", rows)
    curve = read_sweep(tmp_path / "s", "n_clusters", "sweep-clusters")
    assert curve[["x", "mean", "std"]].to_numpy().tolist() == [[9.0, 3.0, 0.1], [2.0, 1.0, 0.2]]
