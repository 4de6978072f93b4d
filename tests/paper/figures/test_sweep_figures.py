import csv
from contextlib import contextmanager

import pandas as pd
import pytest
from matplotlib.figure import Figure

from sgpmic_cli.paper.figures import sweeps
from sgpmic_cli.paper.figures.panels import PlotOptions
from sgpmic_cli.paper.figures.sweeps import ahead, figure7, read_sweep


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


@pytest.mark.parametrize(("count", "shape"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 3))])
def test_panels_wrap_into_rows_of_three(tmp_path, figures, count, shape):
    # Only the last data set has the second method. The default model is not drawn.
    rows = [[f"d{i}", "pca-fcm", k, "acc", 50, 1, 10] for i in range(count) for k in (2, 4)]
    rows += [[f"d{count - 1}", name, 2, "acc", 50, 1, 10] for name in ("sgp-mic", "sgp-mic+")]
    _write(tmp_path / "sweep-clusters", "n_clusters", rows)
    figure7(tmp_path / "figure", PlotOptions(results=tmp_path))
    (figure,) = figures
    assert figure.axes[0].get_gridspec().get_geometry() == shape
    titles = [axes.get_title() for axes in figure.axes]
    assert len(set(titles)) == len(titles) == count
    assert titles[0] == "(a) D0"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["PCA-FCM", "SGP-MIC"]


def test_a_method_far_below_the_others_is_named_and_not_drawn(tmp_path, figures):
    rows = [["d", "pca-fcm", k, "acc", 50 + k, 1, 3] for k in (2, 4)]
    rows += [["d", "vae-fcm", k, "acc", 14 + k, 1, 3] for k in (2, 4)]
    _write(tmp_path / "sweep-clusters", "n_clusters", rows)
    figure7(tmp_path / "figure", PlotOptions(results=tmp_path))
    (axes,) = figures[0].axes
    assert len(axes.get_lines()) == 1
    label = "number of clusters (mean of 3 runs)\nVAE-FCM, 16 to 18 %, is below the axis"
    assert axes.get_xlabel() == label


def test_the_sweep_over_clusters_lists_where_sgp_mic_is_best():
    def sentence(**curves):
        wide = pd.DataFrame(curves, index=pd.Index([2.0, 6.0, 18.0], name="x"))
        wide.columns = [name.replace("_", "-") for name in wide]
        return ahead(
            wide.melt(var_name="method", value_name="mean", ignore_index=False).reset_index()
        )

    own = [60.0, 70.0, 80.0]
    best = sentence(sgp_mic=own, pca_fcm=[60.0, 71.0, 79.0])
    assert best == "\nSGP-MIC highest of the paper's methods at 2, 18"
    assert sentence(sgp_mic=own, pca_fcm=[90.0] * 3).endswith(" at none")
    assert sentence(sgp_mic=own) == sentence(pca_fcm=own) == ""


def test_points_without_a_run_are_left_out(tmp_path):
    rows = [
        ["d", "m", 9, "acc", "3.0", "0.1", 2],
        ["d", "m", 2, "acc", "1.0", "0.2", 2],
        ["d", "m", 4, "acc", "", "", 0],
    ]
    _write(tmp_path / "s", "n_clusters", rows)
    curve = read_sweep(tmp_path / "s", "n_clusters", "sweep-clusters")
    assert curve[["x", "mean", "std"]].to_numpy().tolist() == [[9.0, 3.0, 0.1], [2.0, 1.0, 0.2]]
