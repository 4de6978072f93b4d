"""Figures of one fit: latent space, convergence, profile, numbers of clusters tried."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse
from PIL import Image
from raw_tables import birds

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.figures import one_fit
from sgpmic_cli.figures.fit_plots import (
    MOST_FEATURES,
    draw_convergence,
    draw_numbers_tried,
    draw_profile,
)
from sgpmic_cli.figures.latent_space import draw_embedding
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.style import COLOURS, COLUMN, DPI, FAINT, PAGE
from sgpmic_cli.single_fit.profile import Profile


def colours_in(path):
    """Return the colours that cover more than a few pixels."""
    with Image.open(path) as image:
        found = image.convert("RGB").getcolors(maxcolors=2**24)
    return {f"#{r:02X}{g:02X}{b:02X}" for count, (r, g, b) in found if count > 20}


def size_of(path):
    with Image.open(path) as image:
        return image.size


def groups(n, q, m=3):
    labels = np.arange(n) % m
    return np.random.RandomState(0).randn(n, q) + 4.0 * labels[:, None], labels


@pytest.mark.parametrize("q", [1, 5])
def test_every_cluster_and_class_is_drawn(tmp_path, q):
    X, labels = groups(60, q)
    means = np.array([X[labels == m].mean(axis=0) for m in range(3)])
    classes = {"classes": (labels + 1) % 3, "class_names": ["x", "y", "z"]}
    draw_embedding(tmp_path / "both", X, labels, means=means, **classes)
    assert colours_in(tmp_path / "both.png") >= set(COLOURS[:3])
    assert size_of(tmp_path / "both.png")[0] == PAGE * DPI
    assert (tmp_path / "both.pdf").stat().st_size > 0


def test_more_groups_than_colours_and_empty_clusters(tmp_path):
    X, labels = groups(100, 2, m=20)
    names = [f"a rather long class name {n}" for n in range(20)]
    clusters, means = np.zeros(100, dtype=int), np.zeros((3, 2))
    draw_embedding(tmp_path / "many", X, clusters, means=means, classes=labels, class_names=names)
    assert colours_in(tmp_path / "many.png") >= set(COLOURS)


@pytest.mark.parametrize("q", [1, 3])
def test_equal_points_are_drawn(tmp_path, q):
    draw_embedding(tmp_path / "flat", np.ones((5, q)), np.zeros(5, dtype=int))
    assert size_of(tmp_path / "flat.png")[0] == COLUMN * DPI


@pytest.mark.parametrize("q", [1, 2])
def test_regions_contain_their_probability_of_the_points(tmp_path, monkeypatch, q):
    drawn = []
    add = Axes.add_patch
    monkeypatch.setattr(
        Axes, "add_patch", lambda self, patch: drawn.append(patch) or add(self, patch)
    )
    labels = np.arange(4000) % 2
    mixing = np.tril(np.full((q, q), 0.6)) + np.eye(q)
    X = np.random.RandomState(0).randn(4000, q) @ mixing.T + 30.0 * labels[:, None]
    means = np.array([np.zeros(q), np.full(q, 30.0)])
    covariances = np.array([mixing @ mixing.T] * 2)
    draw_embedding(tmp_path / "e", X, labels, means=means, covariances=covariances)
    ellipses = [patch for patch in drawn if isinstance(patch, Ellipse)]
    assert len(ellipses) == (0 if q == 1 else 4)
    if q == 2:
        for ellipse, probability in zip(ellipses, (0.5, 0.9, 0.5, 0.9), strict=True):
            turn = np.radians(ellipse.angle)
            axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            scaled = (X - ellipse.center) @ axes.T / [ellipse.width / 2, ellipse.height / 2]
            inside = (scaled**2).sum(axis=1) <= 1
            assert inside.sum() / 2000 == pytest.approx(probability, abs=0.03)


@pytest.mark.parametrize(("steps", "last"), [(1, 6.0), (2, 3.0)])
def test_convergence_is_drawn_against_the_iteration(tmp_path, monkeypatch, steps, last):
    drawn = []
    plot = Axes.plot
    monkeypatch.setattr(Axes, "plot", lambda *a, **k: drawn.append(a[1:3]) or plot(*a, **k))
    bounds = [-3.0, -2.0, -1.5, -1.2, -1.1, -1.0]
    draw_convergence(tmp_path / "c", bounds, [50.0] * 6, steps)
    (x, y), (_, accs) = drawn
    assert (x[0], x[-1]) == (1.0 / steps, last)
    assert (y, accs) == (bounds, [50.0] * 6)


def test_the_numbers_tried_are_drawn_beside_the_reference(tmp_path):
    tried = [{"n_clusters": m, "silhouette": 0.5 / m, "reference": 0.3 / m} for m in range(1, 6)]
    draw_numbers_tried(tmp_path / "n", tried, 3)
    assert colours_in(tmp_path / "n.png") >= {COLOURS[0], COLOURS[3], FAINT.upper()}


def profile(m, n_features):
    names = tuple(f"feature {j}" for j in range(n_features))
    means = np.random.RandomState(0).randn(m, n_features)
    is_category, sizes = np.arange(n_features) % 2 == 1, np.full(m, 10)
    ones = np.ones((m, n_features))
    spread = np.ones(n_features)
    return Profile(
        names, names, is_category, sizes, np.ones(m), means, spread, ones, -means, 2 * means
    )


@pytest.fixture
def texts(monkeypatch):
    """Collect everything that is written into a figure."""
    found = []
    write = Axes.text
    monkeypatch.setattr(
        Axes, "text", lambda self, x, y, s, **more: found.append(s) or write(self, x, y, s, **more)
    )
    return found


def test_the_profile_shows_means_and_percentages(tmp_path, texts):
    draw_profile(tmp_path / "p", profile(3, 4))
    assert len(texts) == 12
    assert sum(text.endswith("%") for text in texts) == 6


def test_the_profile_shows_the_features_that_differ_most(tmp_path, texts):
    differences = np.zeros((2, MOST_FEATURES + 5))
    differences[0, 5:] = 1.0
    draw_profile(tmp_path / "p", replace(profile(2, MOST_FEATURES + 5), differences=differences))
    assert len(texts) == 2 * MOST_FEATURES


def test_profiles_of_empty_and_single_clusters(tmp_path, texts):
    draw_profile(tmp_path / "one", replace(profile(1, 3), differences=np.full((1, 3), np.nan)))
    two = profile(2, 3)
    means = np.where(np.arange(2)[:, None] == 1, np.nan, two.means)
    empty = replace(two, sizes=np.array([9, 0]), means=means, differences=means)
    draw_profile(tmp_path / "two", empty)
    assert len(texts) == 6


@pytest.mark.parametrize(("own", "setting"), [(True, "default"), (False, "paper")])
def test_files_are_fitted_with_the_default_model(own, setting, tmp_path, monkeypatch):
    birds(60).to_csv(tmp_path / "birds.csv", index=False)
    seen = []

    def fit(data, **asked):
        seen.append((asked["setting"], bool(np.isnan(data.Y).any())))
        raise SgpmicError("seen enough")

    monkeypatch.setattr(one_fit, "fit", fit)
    data = str(tmp_path / "birds.csv") if own else "iris"
    with pytest.raises(SgpmicError, match="seen enough"):
        one_fit.embedding(tmp_path / "e", PlotOptions(data=data))
    assert seen == [(setting, own)]  # missing values are left to the model
