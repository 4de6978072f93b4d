import numpy as np
import pytest
from PIL import Image

from sgpmic_cli.figures.one_fit.embedding import draw_embedding, matched_looks
from sgpmic_cli.figures.style import COLOURS


def colours_in(path):
    """The colours that cover more than a few pixels."""
    with Image.open(path) as image:
        found = image.convert("RGB").getcolors(maxcolors=2**24)
    return {f"#{r:02X}{g:02X}{b:02X}" for count, (r, g, b) in found if count > 20}


def groups(n, q, m=3):
    rng = np.random.RandomState(0)
    labels = np.arange(n) % m
    return rng.randn(n, q) + 4.0 * labels[:, None], labels


@pytest.mark.parametrize("q", [1, 2, 5])
@pytest.mark.slow
def test_every_cluster_and_class_is_drawn(tmp_path, q):
    X, labels = groups(60, q)
    means = np.array([X[labels == m].mean(axis=0) for m in range(3)])
    draw_embedding(tmp_path / "clusters", X, labels, means=means)
    assert colours_in(tmp_path / "clusters.png") >= set(COLOURS[:3])
    draw_embedding(
        tmp_path / "both",
        X,
        labels,
        means=means,
        classes=(labels + 1) % 3,
        class_names=["x", "y", "z"],
    )
    assert colours_in(tmp_path / "both.png") >= set(COLOURS[:3])
    with Image.open(tmp_path / "both.png") as both, Image.open(tmp_path / "clusters.png") as one:
        assert both.size[0] > 1.9 * one.size[0]
    assert (tmp_path / "both.pdf").stat().st_size > 0


def test_more_groups_than_colours_and_empty_clusters(tmp_path):
    X, labels = groups(100, 2, m=20)
    draw_embedding(
        tmp_path / "many",
        X,
        np.zeros(100, dtype=int),
        means=np.zeros((3, 2)),
        classes=labels,
        class_names=[f"a rather long class name {n}" for n in range(20)],
    )
    assert colours_in(tmp_path / "many.png") >= set(COLOURS)


def test_equal_points_are_no_trouble(tmp_path):
    for q in (1, 2, 3):
        draw_embedding(tmp_path / "flat", np.ones((5, q)), np.zeros(5, dtype=int))
    assert (tmp_path / "flat.png").exists()


def test_classes_take_the_look_of_the_cluster_that_stands_for_them():
    clusters = np.array([0, 0, 1, 1, 2, 2, 2])
    classes = np.array([2, 2, 0, 0, 1, 1, 3])
    assert matched_looks(classes, clusters, n_classes=4, n_clusters=3) == [1, 2, 0, 3]
