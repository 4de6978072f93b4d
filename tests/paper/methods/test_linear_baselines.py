"""AML and DEC: objectives against dense algebra, printed cells, and their projections."""

import numpy as np
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.paper.methods.linear_projections import AML, DEC, indicator
from sgpmic_cli.scores import nmi_clusters, purity


def published_trace(Y, labels, q, lam):
    """Return the maximum over W of the trace, the sum of the q largest generalised eigenvalues."""
    Yc = Y - Y.mean(axis=0)
    L = indicator(labels, labels.max() + 1)
    total = Yc.T @ Yc + lam * np.eye(Y.shape[1])
    values = np.linalg.eigvals(np.linalg.solve(total, Yc.T @ L @ L.T @ Yc))
    return np.sort(values.real)[-q:].sum()


@pytest.mark.parametrize("q", [1, 4])
@pytest.mark.parametrize("lam", [0.001, 100.0])
def test_aml_objective_never_decreases_and_is_the_published_trace(q, lam):
    Y = load("wine").without(["proline"]).Y
    for seed in range(3):
        model = AML(3, q, lam=lam, random_state=seed).fit(Y)
        assert np.all(np.diff(model.objectives_) >= -1e-9)
        expected = published_trace(Y, model.labels_, q, lam)
        assert model.objectives_[-1] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("name", "q", "acc", "nmi"),
    [
        ("iris", 2, 77.33, 58.73),
        ("sonar", 17, 53.37, 0.0),
        ("wdbc", 2, 85.06, 45.92),
        ("bc", 1, 96.19, 75.46),
    ],
)
def test_aml_start_gives_the_printed_cells(name, q, acc, nmi):
    """The NMI of Sonar is printed as 0.00 and computed as at most 0.02."""
    data = load(name)
    for seed in range(3):
        labels = AML(data.n_classes, q, max_outer=0, random_state=seed).fit_predict(data.Y)
        assert purity(data.labels, labels) == pytest.approx(acc, abs=0.006)
        tolerance = 0.03 if name == "sonar" else 0.006
        assert nmi_clusters(data.labels, labels) == pytest.approx(nmi, abs=tolerance)


@pytest.mark.parametrize(
    ("name", "q", "printed"),
    [("iris", 2, 95.33), ("iris", 3, 96.00), ("wdbc", 2, 62.74), ("bc", 7, 96.19)],
)
def test_dec_gives_the_printed_cells(name, q, printed):
    data = load(name)
    labels = DEC(data.n_classes, q, random_state=0).fit_predict(data.Y)
    assert purity(data.labels, labels) == pytest.approx(printed, abs=0.3)


def test_dec_objective_never_decreases_and_its_projection_is_optimal():
    Y = load("wine").without(["proline"]).Y
    model = DEC(3, 2, random_state=0).fit(Y)
    values = np.array(model.objectives_)
    assert len(values) > 1
    assert np.all(np.diff(values) >= -1e-9 * np.abs(values[:-1]))
    Yc = Y - Y.mean(axis=0)
    means = np.stack([Yc[model.labels_ == m].mean(axis=0) for m in range(3)])
    residuals = Yc - means[model.labels_]
    values = np.linalg.eigvalsh(Yc.T @ Yc - 6.0 * residuals.T @ residuals)
    assert model.objectives_[-1] == pytest.approx(values[-2:].sum())


@pytest.mark.parametrize("kind", [AML, DEC])
def test_more_columns_than_rows(kind):
    rng = np.random.RandomState(0)
    centres = 10 * rng.standard_normal((3, 200))
    Y = np.repeat(centres, 10, axis=0) + rng.standard_normal((30, 200))
    model = kind(3, 2, random_state=0).fit(Y)
    assert np.all(np.diff(model.objectives_) >= -1e-9)
    assert model.embedding_.shape == (30, 2)
    assert purity(np.repeat([0, 1, 2], 10), model.labels_) == 100
