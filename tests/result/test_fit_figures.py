from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import sgpmic
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from raw_tables import birds

from sgpmic import GroupMap, load
from sgpmic_cli.figure_style import COLOURS, COLUMN, DPI, PAGE
from sgpmic_cli.result import figures
from sgpmic_cli.result.figures import draw_convergence, draw_embedding
from sgpmic_cli.result.plots import MOST_FEATURES, plot_mixture, plot_profile
from sgpmic_cli.result.profile import Profile


def colours_in(path):
    """Return the colours that cover more than a few pixels."""
    with Image.open(path) as image:
        found = image.convert("RGB").getcolors(maxcolors=2**24)
    return {f"#{r:02X}{g:02X}{b:02X}" for count, (r, g, b) in found if count > 20}


def size_of(path):
    with Image.open(path) as image:
        return image.size


def fitted(X, clusters, m, classes=None, class_names=(), **model):
    """Return a fit of points X to m clusters."""
    q = X.shape[1]
    model = {"means_": np.zeros((m, q)), "covariances_": np.array([np.eye(q)] * m), **model}
    sizes = np.bincount(clusters, minlength=m)
    estimator = SimpleNamespace(labels_=clusters, cluster_sizes_=sizes, **model)
    data = SimpleNamespace(labels=classes, class_names=class_names)
    prediction = SimpleNamespace(embedding=X, labels=clusters)
    return SimpleNamespace(model=estimator, data=data, prediction=prediction)


@pytest.mark.parametrize(("q", "m"), [(1, 3), (5, 3), (2, 20)])
def test_every_cluster_and_class_is_drawn(tmp_path, q, m):
    labels = np.arange(120) % m
    X = np.random.RandomState(0).randn(120, q) + 4.0 * labels[:, None]
    names = [f"a rather long class name {n}" for n in range(m)]
    draw_embedding(fitted(X, labels, m, (labels + 1) % m, names), tmp_path / "both")
    assert colours_in(tmp_path / "both.png") >= set(COLOURS[:m])
    assert size_of(tmp_path / "both.png")[0] == PAGE * DPI
    assert (tmp_path / "both.pdf").stat().st_size > 0


@pytest.mark.parametrize("q", [1, 3])
def test_equal_points_and_empty_clusters_are_drawn(tmp_path, q):
    draw_embedding(fitted(np.ones((5, q)), np.zeros(5, dtype=int), 3), tmp_path / "flat")
    assert size_of(tmp_path / "flat.png")[0] == COLUMN * DPI


@pytest.mark.parametrize("q", [1, 2])
def test_regions_contain_their_probability_of_the_points(q):
    labels = np.arange(4000) % 2
    mixing = np.tril(np.full((q, q), 0.6)) + np.eye(q)
    X = np.random.RandomState(0).randn(4000, q) @ mixing.T + 30.0 * labels[:, None]
    means = np.array([np.zeros(q), np.full(q, 30.0)])
    covariances = np.array([mixing @ mixing.T] * 2)
    axes = Figure().subplots()
    model = fitted(X, labels, 2, means_=means, covariances_=covariances).model
    plot_mixture(axes, model, X)
    assert len(axes.patches) == (0 if q == 1 else 4)
    for ellipse, probability in zip(axes.patches, (0.5, 0.9, 0.5, 0.9), strict=False):
        turn = np.radians(ellipse.angle)
        turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        scaled = (X - ellipse.center) @ turned.T / [ellipse.width / 2, ellipse.height / 2]
        inside = (scaled**2).sum(axis=1) <= 1
        assert inside.sum() / 2000 == pytest.approx(probability, abs=0.03)


@pytest.mark.parametrize(
    ("updates", "classes", "last"),
    [(["EM"], None, 6.0), (["E", "M"], None, 3.0), (["E", "M"], [0, 1], 3.0)],
)
def test_convergence_is_drawn_against_the_iteration(tmp_path, monkeypatch, updates, classes, last):
    drawn = []
    plot = Axes.plot
    monkeypatch.setattr(Axes, "plot", lambda *a, **k: drawn.append(a[1:3]) or plot(*a, **k))
    bounds, accs = [-3.0, -2.0, -1.5, -1.2, -1.1, -1.0], [50.0] * 6
    found = SimpleNamespace(
        model=SimpleNamespace(lower_bounds_=bounds, updates=updates),
        data=SimpleNamespace(labels=classes),
        trace=lambda: {"acc": accs},
    )
    draw_convergence(found, tmp_path / "c")
    assert [y for _, y in drawn] == [bounds] if classes is None else [bounds, accs]
    assert drawn[0][0][-1] == last


def profile(m, n_features):
    names = tuple(f"feature {j}" for j in range(n_features))
    means = np.random.RandomState(0).randn(m, n_features)
    is_category, sizes = np.arange(n_features) % 2 == 1, np.full(m, 10)
    ones = np.ones((m, n_features))
    spread = np.ones(n_features)
    return Profile(
        names, names, is_category, sizes, np.ones(m), means, spread, ones, -means, 2 * means
    )


def texts_of(found):
    axes = Figure().subplots()
    plot_profile(axes, found)
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("n_features", [4, MOST_FEATURES + 6])
def test_the_profile_shows_means_and_percentages_of_the_first_features(n_features):
    texts, n_shown = texts_of(profile(3, n_features)), min(n_features, MOST_FEATURES)
    assert len(texts) == 3 * n_shown
    assert n_features > 4 or sum(text.endswith("%") for text in texts) == 6


def test_profiles_of_empty_and_single_clusters():
    assert len(texts_of(replace(profile(1, 3), differences=np.full((1, 3), np.nan)))) == 3
    two = profile(2, 3)
    means = np.where(np.arange(2)[:, None] == 1, np.nan, two.means)
    empty = replace(two, sizes=np.array([9, 0]), means=means, differences=means)
    assert len(texts_of(empty)) == 3


@pytest.mark.parametrize("name", ["birds.csv", "iris"])
def test_the_figures_of_plot_show_the_model_of_fit(name, here, monkeypatch):
    birds(60).to_csv("birds.csv", index=False)
    drawn = []
    monkeypatch.setattr(figures, "draw_embedding", lambda fit, *_, **__: drawn.append(fit))
    sgpmic(f"plot embedding --data {name} --clusters 2")
    sgpmic(f"fit {name} --clusters 2 --out fitted")
    assert type(drawn[0].model) is GroupMap
    np.testing.assert_array_equal(drawn[0].model.labels_, load("fitted/model.npz").labels_)
