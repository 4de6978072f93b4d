from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from sgpmic_cli.data import Rows
from sgpmic_cli.result.plots import (
    MOST_FEATURES,
    draw_embedding,
    plot_mixture,
    plot_profile,
)
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.result.result import Result
from sgpmic_cli.style import COLOURS, COLUMN, DPI, PAGE
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


@pytest.mark.parametrize(("q", "m"), [(1, 3), (5, 3), (2, 20)])
def test_every_cluster_and_class_is_drawn(tmp_path, q, m):
    labels = np.arange(120) % m
    X = np.random.RandomState(0).randn(120, q) + 4.0 * labels[:, None]
    names = [f"a rather long class name {n}" for n in range(m)]
    draw_embedding(drawn_points(X, labels, m, (labels + 1) % m, names), tmp_path / "both")
    assert colours_in(tmp_path / "both.png") >= set(COLOURS[:m])
    assert size_of(tmp_path / "both.png")[0] == PAGE * DPI


@pytest.mark.parametrize("q", [1, 3])
def test_equal_points_and_empty_clusters_are_drawn(tmp_path, q):
    draw_embedding(drawn_points(np.ones((5, q)), np.zeros(5, dtype=int), 3), tmp_path / "flat")
    assert size_of(tmp_path / "flat.png")[0] == COLUMN * DPI


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


def profile(m, n_features):
    names = tuple(f"feature {j}" for j in range(n_features))
    means = np.random.RandomState(0).randn(m, n_features)
    is_category, sizes = np.arange(n_features) % 2 == 1, np.full(m, 10)
    ones = np.ones((m, n_features))
    spread = np.ones(n_features)
    return Profile(
        *(names, names, is_category, np.zeros(n_features, bool), sizes, np.ones(m), means),
        *(spread, ones, -means, 2 * means),
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
