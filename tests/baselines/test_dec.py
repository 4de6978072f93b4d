"""DEC: its objective, its published cells, and P > N."""

import numpy as np
import pytest

from sgpmic_cli.baselines.dec import DEC
from sgpmic_cli.data import load
from sgpmic_cli.scores import purity


@pytest.mark.parametrize("q", [1, 2, 4])
def test_objective_never_decreases(q):
    Y = load("wine").without(["proline"]).Y
    for seed in range(3):
        values = np.array(DEC(3, q, random_state=seed).fit(Y).objectives_)
        assert len(values) > 1
        assert np.all(np.diff(values) >= -1e-9 * np.abs(values[:-1]))


@pytest.mark.parametrize(
    ("name", "q", "published"),
    [("iris", 2, 95.33), ("iris", 3, 96.00), ("wdbc", 2, 62.74), ("bc", 7, 96.19)],
)
def test_published_cells(name, q, published):
    data = load(name)
    for seed in range(2):
        labels = DEC(data.n_classes, q, random_state=seed).fit_predict(data.Y)
        assert purity(data.labels, labels) == pytest.approx(published, abs=0.3)


def test_projection_is_the_optimum_for_its_labels():
    Y = load("iris").Y
    model = DEC(3, 2, random_state=0).fit(Y)
    Yc = Y - Y.mean(axis=0)
    residuals = (
        Yc - np.stack([Yc[model.labels_ == m].mean(axis=0) for m in range(3)])[model.labels_]
    )
    values = np.linalg.eigvalsh(Yc.T @ Yc - 6.0 * residuals.T @ residuals)
    assert model.objectives_[-1] == pytest.approx(values[-2:].sum())


def test_more_columns_than_rows_keeps_to_directions_with_variance():
    rng = np.random.RandomState(0)
    centres = 10 * rng.standard_normal((3, 200))
    Y = np.repeat(centres, 10, axis=0) + rng.standard_normal((30, 200))
    model = DEC(3, 2, random_state=0).fit(Y)
    assert model.embedding_.shape == (30, 2)
    assert [len(set(model.labels_[k : k + 10])) for k in (0, 10, 20)] == [1, 1, 1]
    assert len(set(model.labels_)) == 3


def test_same_seed_same_labels():
    Y = load("wine").Y
    assert np.array_equal(
        DEC(3, 2, random_state=4).fit_predict(Y), DEC(3, 2, random_state=4).fit_predict(Y)
    )
