import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from raw_tables import clouds
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sgpmic import SGPMIC, GroupMap, plot_map, plot_profiles, plot_selection


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


def test_the_selection_shows_the_numbers_tried(model, rows):
    axes = plot_selection(model, ax=Figure().subplots())
    found = model.selection_["silhouette"].tolist()[1:]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), found)
    with pytest.raises(ValueError, match="no other number was tried"):
        plot_selection(GroupMap(2, max_iter=1).fit(rows))


def test_without_axes_a_figure_of_pyplot_is_created(model, monkeypatch):
    with matplotlib.rc_context():
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        assert plot_selection(model).figure is plt.gcf()
        plt.close("all")


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
    assert plot_selection(scaled, ax=Figure().subplots()).lines
    assert plot_profiles(make_pipeline(model), scaled[0].transform(table), ax=Figure().subplots())


@pytest.mark.filterwarnings("ignore:Rows without any value")
def test_rows_without_any_value_are_not_drawn(rows):
    table = rows.to_numpy(copy=True)
    table[3] = np.nan
    model = GroupMap(2, max_iter=1, random_state=0).fit(table)
    for classes in (None, np.arange(40) % 2):
        axes = plot_map(model, classes=classes, ax=Figure().subplots())
        assert sum(len(drawn.get_offsets()) for drawn in axes.collections[:2]) == 39
    axes = plot_profiles(model, table, ax=Figure().subplots())
    first = np.nanmean(table[model.labels_ == 0, 0])
    assert float(axes.texts[0].get_text()) == pytest.approx(first, rel=0.01)


@pytest.mark.parametrize("plot", [plot_map, plot_selection])
def test_a_model_that_is_not_fitted_is_refused(plot):
    with pytest.raises(NotFittedError):
        plot(GroupMap())
