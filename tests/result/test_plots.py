"""Maps in files, and plots of fitted models on axes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image
from raw_tables import clouds
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sgpmic import SGPMIC, GroupMap, plot_map, plot_profiles, plot_selection
from sgpmic_cli.data import Rows
from sgpmic_cli.result.plots import draw_embedding, plot_mixture
from sgpmic_cli.result.result import Result
from sgpmic_cli.style import COLOURS, DPI, PAGE
from sgpmic_cli.tables.rows import RowResults


def colours_in(path):
    """Return the colours that cover more than a few pixels."""
    with Image.open(path) as image:
        found = image.convert("RGB").getcolors(maxcolors=2**24)
    return {f"#{r:02X}{g:02X}{b:02X}" for count, (r, g, b) in found if count > 20}


def size_of(path):
    with Image.open(path) as image:
        return image.size


def drawn_points(X, clusters, m, classes=None, class_names=()):
    """Return a result of points X in m clusters."""
    q, n = X.shape[1], len(X)
    rows = Rows("t", np.zeros((n, 1)), classes, tuple(class_names), ("a",))
    results = RowResults(clusters, np.eye(m)[clusters], X, X, np.zeros(n), np.zeros(n, dtype=bool))
    return Result(rows, results, mixture=(np.zeros((m, q)), np.array([np.eye(q)] * m)))


@pytest.mark.parametrize(("q", "m"), [(1, 3), (5, 3), pytest.param(2, 20, marks=pytest.mark.slow)])
def test_every_cluster_and_class_is_drawn(tmp_path, q, m):
    labels = np.arange(120) % m
    X = np.random.RandomState(0).randn(120, q) + 4.0 * labels[:, None]
    names = [f"a rather long class name {n}" for n in range(m)]
    draw_embedding(drawn_points(X, labels, m, (labels + 1) % m, names), tmp_path / "both")
    assert colours_in(tmp_path / "both.png") >= set(COLOURS[:m])
    assert size_of(tmp_path / "both.png")[0] == PAGE * DPI


@pytest.mark.parametrize("q", [1, 2])
def test_regions_contain_their_probability_of_the_points(q):
    labels = np.arange(4000) % 2
    mixing = np.tril(np.full((q, q), 0.6)) + np.eye(q)
    X = np.random.RandomState(0).randn(4000, q) @ mixing.T + 30.0 * labels[:, None]
    means = np.array([np.zeros(q), np.full(q, 30.0)])
    covariances = np.array([mixing @ mixing.T] * 2)
    axes = Figure().subplots()
    plot_mixture(axes, X, means, covariances, np.array([0, 1]))
    assert len(axes.patches) == (0 if q == 1 else 4)
    for ellipse, probability in zip(axes.patches, (0.5, 0.9, 0.5, 0.9), strict=False):
        turn = np.radians(ellipse.angle)
        turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        scaled = (X - ellipse.center) @ turned.T / [ellipse.width / 2, ellipse.height / 2]
        inside = (scaled**2).sum(axis=1) <= 1
        assert inside.sum() / 2000 == pytest.approx(probability, abs=0.03)


@pytest.fixture(scope="module")
def rows():
    return pd.DataFrame(clouds(0, 6, columns=3), columns=["length", "width", "height"])


@pytest.fixture(scope="module")
def model(rows):
    return GroupMap(n_clusters=(1, 3), max_iter=2, random_state=0).fit(rows)


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_the_map_shows_every_row_in_the_colour_of_its_cluster(model):
    axes = Figure().subplots()
    assert plot_map(model, ax=axes) is axes
    points = [np.asarray(drawn.get_offsets()) for drawn in axes.collections]
    assert legend_of(axes) == ["0 (20 rows)", "1 (20 rows)"]
    for m in range(2):
        np.testing.assert_allclose(points[m], model.embedding_[model.labels_ == m])
    np.testing.assert_allclose(points[2], model.means_)
    assert len(axes.patches) == 4  # two regions of each cluster


def test_classes_replace_the_clusters_and_have_their_colours(model):
    classes = np.array(["a", "b"])[1 - model.labels_]
    clusters, known = Figure().subplots(1, 2)
    plot_map(model, ax=clusters)
    plot_map(model, classes=classes, ax=known)
    assert legend_of(known) == ["a", "b"]
    colours = [
        [tuple(drawn.get_facecolor()[0]) for drawn in axes.collections[:2]]
        for axes in (clusters, known)
    ]
    assert colours[0] == colours[1][::-1]
    with pytest.raises(ValueError, match="one entry for each of 40 rows"):
        plot_map(model, classes=classes[:5])


@pytest.mark.parametrize("columns", [1, 3])
def test_one_dimension_is_drawn_as_histograms(rows, columns):
    model = SGPMIC(2, columns, n_inducing=5, max_iter=1, random_state=0).fit(rows)
    axes = plot_map(model, ax=Figure().subplots())
    assert axes.get_ylabel().startswith("rows" if columns == 1 else "latent principal axis 2")


def test_profiles_are_the_means_of_the_rows_of_each_cluster(model, rows):
    axes = plot_profiles(model, rows, ax=Figure().subplots())
    assert [text.get_text() for text in axes.get_yticklabels()] == list(rows.columns)
    first = rows["length"][model.labels_ == 0].mean()
    assert float(axes.texts[0].get_text()) == pytest.approx(first, rel=0.01)
    some = plot_profiles(model, rows[model.labels_ == 1], ax=Figure().subplots())  # not all rows
    assert [text.get_text() for text in some.get_xticklabels()] == ["0\n0 rows", "1\n20 rows"]


def test_the_selection_shows_the_numbers_tried(rows):
    cloud = GroupMap((1, 4), max_iter=1, random_state=0).fit(rows[:20])
    axes = plot_selection(make_pipeline(cloud), ax=Figure().subplots())
    found = cloud.selection_["silhouette"].tolist()[1:]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), found)


@pytest.mark.parametrize("n_clusters", ["auto", 2])
def test_groups_and_given_numbers_have_no_plot_of_numbers(rows, n_clusters):
    model = GroupMap(n_clusters, max_iter=1, random_state=0).fit(rows)
    assert model.n_clusters_ == 2
    with pytest.raises(ValueError, match="no other number was tried"):
        plot_selection(model)


def test_a_pipeline_is_drawn_with_the_raw_table(rows):
    table = rows.assign(length=rows["length"].where(np.arange(40) != 3))
    scaled = make_pipeline(StandardScaler(), GroupMap((1, 3), max_iter=1, random_state=0)).fit(
        table
    )
    model = scaled[-1]
    assert legend_of(plot_map(scaled, ax=Figure().subplots())) == ["0 (20 rows)", "1 (20 rows)"]
    axes = plot_profiles(scaled, table, ax=Figure().subplots())
    assert [text.get_text() for text in axes.get_yticklabels()] == list(table.columns)
    first = table["length"][model.labels_ == 0].mean()
    assert float(axes.texts[0].get_text()) == pytest.approx(first, rel=0.01)
    assert plot_profiles(make_pipeline(model), scaled[0].transform(table), ax=Figure().subplots())
