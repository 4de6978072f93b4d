import numpy as np
import pytest
from sklearn.cluster import KMeans

from sgpmic_cli.baselines import PCAFCM
from sgpmic_cli.data import entry, load
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.scores import purity


@pytest.mark.parametrize("name", [*GENERATORS, "digits"])
def test_registered_seed_gives_registered_values(name):
    assert load(name).sha256 == entry(name).values_sha256


def test_spiral_winds_outwards_one_turn_per_class():
    dataset = load("spiral")
    radius = np.hypot(dataset.Y[:, 0], dataset.Y[:, 1])
    # The cone r = z holds up to the noise (sd 0.1 in each coordinate).
    assert np.abs(radius - dataset.Y[:, 2]).max() < 0.8
    assert np.all(np.diff(dataset.labels) >= 0)
    for turn in range(3):
        ends = dataset.Y[dataset.labels == turn, 2]
        assert ends.min() > 2 * np.pi * turn - 0.5
        assert ends.max() < 2 * np.pi * (turn + 1) + 0.5


def test_arcs_are_unit_half_circles_that_k_means_cuts():
    dataset = load("arcs")
    assert np.bincount(dataset.labels).tolist() == [50] * 5
    for k in range(5):
        inside = dataset.Y[dataset.labels == k]
        centre = np.array([1.2 * k, 0.5 if k % 2 else 0.0])
        assert np.abs(np.linalg.norm(inside - centre, axis=1) - 1).max() < 0.25
        # No point is nearer to another arc than to its own neighbours: the eye follows each arc.
        gap = np.linalg.norm(inside[:, None] - dataset.Y[dataset.labels != k][None], axis=2).min()
        assert gap > 0.1
    for clusterer in (KMeans(5, n_init=10, random_state=0), PCAFCM(5, 2, random_state=0)):
        assert purity(dataset.labels, clusterer.fit_predict(dataset.Y)) < 75.0


@pytest.mark.parametrize(
    ("name", "gap"), [("semicircles", 0.3), ("circles", 0.4), ("spirals", 1.0)]
)
def test_curved_shapes_have_gaps(name, gap):
    dataset = load(name)
    apart = np.linalg.norm(dataset.Y[:, None] - dataset.Y[None], axis=2)
    assert apart[dataset.labels[:, None] != dataset.labels].min() > gap
