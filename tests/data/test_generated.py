import numpy as np
import pytest

from sgpmic_cli.data import entry, load
from sgpmic_cli.data.generated import arcs, spiral


@pytest.mark.parametrize("name", ["spiral", "arcs"])
def test_the_registered_seed_gives_the_registered_values(name):
    assert load(name).sha256 == entry(name).values_sha256


@pytest.mark.parametrize("generate", [spiral, arcs])
def test_another_seed_gives_other_values(generate):
    assert np.any(generate(100, 5, 0)[0] != generate(100, 5, 1)[0])


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


def test_arcs_are_five_separate_pieces_of_unit_circles():
    dataset = load("arcs")
    assert np.bincount(dataset.labels).tolist() == [30] * 5
    for k in range(5):
        centre = 2.2 * np.array([np.cos(2 * np.pi * k / 5), np.sin(2 * np.pi * k / 5)])
        inside = dataset.labels == k
        assert np.abs(np.linalg.norm(dataset.Y[inside] - centre, axis=1) - 1).max() < 0.25
        gap = np.linalg.norm(dataset.Y[inside][:, None] - dataset.Y[~inside][None], axis=2).min()
        assert gap > 0.5
