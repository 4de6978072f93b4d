"""The figures that only a fit has: profile, numbers tried, regions of probability."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse
from raw_tables import birds

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.figures.one_fit.convergence import draw_convergence_by_round
from sgpmic_cli.figures.one_fit.embedding import draw_embedding
from sgpmic_cli.figures.one_fit.numbers_tried import draw_numbers_tried
from sgpmic_cli.figures.one_fit.profile_heat_map import MOST_FEATURES, draw_profile
from sgpmic_cli.single_fit.profile import Profile


def profile(m, n_features):
    rng = np.random.RandomState(0)
    names = tuple(f"feature {j}" for j in range(n_features))
    means = rng.randn(m, n_features)
    return Profile(
        names,
        names,
        np.arange(n_features) % 2 == 1,
        np.full(m, 10),
        np.ones(m),
        means,
        np.ones((m, n_features)),
        -means,
        2 * means,
    )


@pytest.fixture
def texts(monkeypatch):
    """Everything that is written into a figure."""
    found = []
    write = Axes.text
    monkeypatch.setattr(
        Axes, "text", lambda self, x, y, s, **more: found.append(s) or write(self, x, y, s, **more)
    )
    return found


def test_the_map_writes_means_and_shares(tmp_path, texts):
    draw_profile(tmp_path / "p", profile(3, 4))
    assert len(texts) == 12
    assert sum(text.endswith("%") for text in texts) == 6
    assert (tmp_path / "p.png").exists()
    assert (tmp_path / "p.pdf").exists()


def test_the_map_shows_the_features_that_differ_most(tmp_path, texts):
    many = profile(2, MOST_FEATURES + 5)
    differences = np.zeros((2, MOST_FEATURES + 5))
    differences[0, 5:] = 1.0
    draw_profile(tmp_path / "p", replace(many, differences=differences))
    assert len(texts) == 2 * MOST_FEATURES


def test_clusters_without_rows_and_single_ones_can_be_drawn(tmp_path, texts):
    one = profile(1, 3)
    draw_profile(tmp_path / "one", replace(one, differences=np.full((1, 3), np.nan)))
    two = profile(2, 3)
    means = np.where(np.arange(2)[:, None] == 1, np.nan, two.means)
    draw_profile(
        tmp_path / "two", replace(two, sizes=np.array([9, 0]), means=means, differences=means)
    )
    assert len(texts) == 6


@pytest.mark.parametrize("q", [1, 2, 4])
def test_regions_hold_their_share_of_the_points(tmp_path, monkeypatch, q):
    drawn = []
    add = Axes.add_patch
    monkeypatch.setattr(
        Axes, "add_patch", lambda self, patch: drawn.append(patch) or add(self, patch)
    )
    rng = np.random.RandomState(0)
    labels = np.arange(4000) % 2
    mixing = np.tril(np.full((q, q), 0.6)) + np.eye(q)
    X = rng.randn(4000, q) @ mixing.T + 30.0 * labels[:, None]
    means = np.array([np.zeros(q), np.full(q, 30.0)])
    draw_embedding(
        tmp_path / "e", X, labels, means=means, covariances=np.array([mixing @ mixing.T] * 2)
    )
    ellipses = [patch for patch in drawn if isinstance(patch, Ellipse)]
    assert len(ellipses) == (0 if q == 1 else 4)
    if q == 2:
        for ellipse, share in zip(ellipses, (0.5, 0.9, 0.5, 0.9), strict=True):
            turn = np.radians(ellipse.angle)
            axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            inside = (
                ((X - ellipse.center) @ axes.T / [ellipse.width / 2, ellipse.height / 2]) ** 2
            ).sum(axis=1) <= 1
            assert inside.sum() / 2000 == pytest.approx(share, abs=0.03)


def test_numbers_tried_and_rounds(tmp_path):
    tried = [{"n_clusters": m, "silhouette": 0.5 / m, "reference": 0.3 / m} for m in range(1, 6)]
    draw_numbers_tried(tmp_path / "n", tried, 3)
    draw_convergence_by_round(tmp_path / "c", [-3.0, -2.0, -1.5, -1.5])
    assert {path.name for path in tmp_path.iterdir()} == {"n.png", "n.pdf", "c.png", "c.pdf"}


@pytest.mark.parametrize(("own", "setting"), [(True, "default"), (False, "paper")])
def test_files_of_ones_own_are_fitted_as_fit_does(own, setting, tmp_path, monkeypatch):
    from sgpmic_cli.figures.one_fit import any_dataset
    from sgpmic_cli.figures.plot_options import PlotOptions

    path = tmp_path / "birds.csv"
    birds(60).to_csv(path, index=False)
    seen = []

    def fit(data, **asked):
        seen.append((asked["setting"], bool(np.isnan(data.Y).any())))
        raise SgpmicError("seen enough")

    monkeypatch.setattr(any_dataset, "fit", fit)
    with pytest.raises(SgpmicError, match="seen enough"):
        any_dataset.embedding(tmp_path / "e", PlotOptions(data=str(path) if own else "iris"))
    assert seen == [(setting, own)]  # holes are left to the model


def test_the_latent_space_of_a_file_is_drawn(tmp_path):
    from sgpmic_cli.figures.one_fit.any_dataset import embedding
    from sgpmic_cli.figures.plot_options import PlotOptions

    birds(60).to_csv(tmp_path / "birds.csv", index=False)
    notes = embedding(tmp_path / "e", PlotOptions(data=str(tmp_path / "birds.csv"), clusters=2))
    assert (tmp_path / "e.png").stat().st_size > 1000
    assert any("left to the model" in note for note in notes)
