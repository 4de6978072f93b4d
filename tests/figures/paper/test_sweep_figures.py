import csv
import re
from contextlib import contextmanager
from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.figures.catalogue import known
from sgpmic_cli.figures.paper import sweep_figures
from sgpmic_cli.figures.paper.sweep_figures import (
    Curve,
    ahead,
    figure7,
    figure8,
    label_ends,
    read_sweep,
)
from sgpmic_cli.figures.plot_options import PlotOptions


def _write(folder, column, rows):
    folder.mkdir(parents=True)
    with (folder / "sweep.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dataset", "method", column, "metric", "mean", "std", "n"])
        writer.writerows(rows)


@pytest.fixture
def sweeps(tmp_path):
    counts = [2, 6, 18, 54]
    names, methods = ("australian", "segment"), ("pca-fcm", "sgp-mic")
    places = product(names, methods, counts, ("acc", "nmi"))
    rows = [[*place, 50 + place[2] / 2, 1.5, 10] for place in places]
    _write(tmp_path / "sweep-clusters", "n_clusters", rows)
    places = product(("wine", "sonar"), ["sgp-mic"], counts, ("acc", "nmi", "seconds"))
    rows = [[*place, 10 + place[2] / 2, 0.5, 10] for place in places]
    _write(tmp_path / "sweep-inducing", "n_inducing", rows)
    return tmp_path


@pytest.mark.parametrize("draw", [figure7, figure8])
@pytest.mark.slow
def test_two_drawings_are_equal_byte_by_byte(sweeps, draw):
    for name in ("first", "second"):
        assert draw(sweeps / name, PlotOptions(results=sweeps)) == []
    for ending in (".png", ".pdf"):
        assert (sweeps / f"first{ending}").read_bytes() == (sweeps / f"second{ending}").read_bytes()


@pytest.mark.parametrize(("count", "shape"), [(1, (1, 1)), (3, (1, 3)), (7, (3, 3)), (30, (10, 3))])
def test_panels_wrap_into_rows_of_three(tmp_path, monkeypatch, count, shape):
    # Only the last data set has the second method, whose name stands at the end of its curve.
    rows = [[f"d{i}", "pca-fcm", k, "acc", 50, 1, 10] for i in range(count) for k in (2, 4)]
    rows.append([f"d{count - 1}", "sgp-mic", 2, "acc", 50, 1, 10])
    _write(tmp_path / "sweep-clusters", "n_clusters", rows)
    drawn = []

    @contextmanager
    def canvas(stem, *, width, height):
        figure = Figure(figsize=(width, height))
        yield figure
        drawn.append(figure)

    monkeypatch.setattr(sweep_figures, "canvas", canvas)
    figure7(tmp_path / "figure", PlotOptions(results=tmp_path))
    (figure,) = drawn
    assert figure.axes[0].get_gridspec().get_geometry() == shape
    titles = [axes.get_title() for axes in figure.axes]
    assert len(set(titles)) == len(titles) == count
    assert titles[0] == "(a) D0"
    assert sorted(text.get_text() for text in figure.axes[-1].texts) == ["PCA-FCM", "SGP-MIC"]


def test_the_sweep_over_clusters_lists_where_sgp_mic_is_best():
    def curve(*means):
        return Curve(np.array([2.0, 6.0, 18.0]), np.array(means), np.zeros(3))

    own = curve(60.0, 70.0, 80.0)
    said = ahead({"sgp-mic": own, "pca-fcm": curve(60.0, 71.0, 79.0)})
    assert said == "\nSGP-MIC highest of the paper's methods at 2, 18"
    assert ahead({"sgp-mic": own, "pca-fcm": curve(90.0, 90.0, 90.0)}).endswith(" at none")
    assert ahead({"sgp-mic": own}) == ahead({"pca-fcm": own}) == ""


def test_names_at_the_ends_of_curves_keep_apart_and_inside_the_panel():
    axes = Figure().subplots()
    for i in range(5):
        axes.plot([1, 2], [0.0, 10.0 - 0.01 * i], label=str(i))
    axes.plot([1, 2], [0.0, 0.0], label="low")
    label_ends(axes)
    places = sorted(text.get_position()[1] for text in axes.texts)
    assert np.diff(places).min() > 0.05
    assert places[-1] <= 1.0


def test_captions_claim_no_range_and_say_what_the_run_times_are():
    captions = {name: figure.caption for name, figure in known().items()}
    assert not re.search(r"\d+ times", captions["figure7"])
    assert "processes side by side" in captions["figure8"]
    assert "ISOMAP start is computed once per data set" in captions["figure8"]


def test_curves_are_sorted_and_points_without_a_run_left_out(tmp_path):
    rows = [
        ["d", "m", 9, "acc", "3.0", "0.1", 2],
        ["d", "m", 2, "acc", "1.0", "0.2", 2],
        ["d", "m", 4, "acc", "", "", 0],
    ]
    _write(tmp_path / "s", "n_clusters", rows)
    (curve,) = read_sweep(tmp_path / "s", "n_clusters", "sweep-clusters").values()
    assert (curve.x.tolist(), curve.mean.tolist(), curve.std.tolist()) == (
        [2.0, 9.0],
        [1.0, 3.0],
        [0.2, 0.1],
    )


@pytest.mark.parametrize(
    ("draw", "command"), [(figure7, "sweep-clusters"), (figure8, "sweep-inducing")]
)
def test_a_missing_sweep_names_the_command_that_makes_it(tmp_path, draw, command):
    with pytest.raises(UsageError, match=f"run `sgpmic {command} --out .*first"):
        draw(tmp_path / "figure", PlotOptions(results=tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_a_sweep_is_refused(tmp_path):
    _write(tmp_path / "s", "n_inducing", [["d", "m", 2, "acc", 1.0, 0.0, 1]])
    with pytest.raises(SgpmicError, match="is not a table of `sgpmic sweep-clusters`"):
        read_sweep(tmp_path / "s", "n_clusters", "sweep-clusters")
