"""AML against the trace it maximises, written out densely, and against DisKmeans."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sgpmic_cli.baselines import _scatter
from sgpmic_cli.baselines.aml import AML
from sgpmic_cli.data import load
from sgpmic_cli.scores import nmi_clusters, purity


def published_trace(Y, labels, q, lam):
    """max over W of tr{[W'(St + lam I) W]^-1 W' Yc' L L' Yc W}: the q largest generalised eigenvalues."""
    Yc = Y - Y.mean(axis=0)
    L = _scatter.indicator(labels, labels.max() + 1)
    values = np.linalg.eigvals(
        np.linalg.solve(Yc.T @ Yc + lam * np.eye(Y.shape[1]), Yc.T @ L @ L.T @ Yc)
    )
    return np.sort(values.real)[-q:].sum()


@pytest.mark.parametrize("q", [1, 2, 4])
@pytest.mark.parametrize("lam", [0.001, 100.0])
def test_objective_never_decreases_and_is_the_published_trace(q, lam):
    Y = load("wine").without(["proline"]).Y
    for seed in range(3):
        model = AML(3, q, lam=lam, random_state=seed).fit(Y)
        assert np.all(np.diff(model.objectives_) >= -1e-9)
        assert model.objectives_[-1] == pytest.approx(
            published_trace(Y, model.labels_, q, lam), rel=1e-8
        )


def test_diskmeans_identity():
    """With every direction kept the kernel is I - (I + Yc Yc' / lam)^-1, and the trace is that of DisKmeans."""
    Y, lam = load("iris").Y, 10.0
    Yc = Y - Y.mean(axis=0)
    kernel = np.eye(len(Y)) - np.linalg.inv(np.eye(len(Y)) + Yc @ Yc.T / lam)
    model = AML(3, 4, lam=lam, random_state=0).fit(Y)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, kernel, atol=1e-10)
    L = _scatter.indicator(model.labels_, 3)
    assert model.objectives_[-1] == pytest.approx(np.trace(L.T @ kernel @ L))


def test_first_iterate_are_whitened_scores_clustered_from_the_labels_of_the_data():
    Y, lam = load("bc").Y, 10.0
    model = AML(2, 3, lam=lam, max_outer=0, random_state=0).fit(Y)
    Yc = Y - Y.mean(axis=0)
    values, axes = np.linalg.eigh(Yc.T @ Yc)
    scores = Yc @ axes[:, ::-1][:, :3] / np.sqrt(values[::-1][:3] + lam)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(scores), atol=1e-10)
    assert model.objectives_ == []
    centres = (
        KMeans(2, init="random", n_init=1, random_state=np.random.RandomState(0)).fit(Y).labels_
    )
    centres = np.array([scores[centres == m].mean(axis=0) for m in range(2)])
    expected = KMeans(2, init=centres, n_init=1).fit_predict(scores)
    assert purity(expected, model.labels_) == 100


@pytest.mark.parametrize(
    ("name", "q", "acc", "nmi"),
    [
        ("iris", 2, 77.33, 58.73),
        ("sonar", 17, 53.37, 0.0),
        ("wdbc", 2, 85.06, 45.92),
        ("bc", 1, 96.19, 75.46),
    ],
)
def test_first_iterate_gives_the_published_cell(name, q, acc, nmi):
    """Printed to the last digit and with no spread (but Sonar's NMI, printed as 0.00, comes out at up to 0.02)."""
    data = load(name)
    for seed in range(3):
        labels = AML(data.n_classes, q, max_outer=0, random_state=seed).fit_predict(data.Y)
        assert purity(data.labels, labels) == pytest.approx(acc, abs=0.006)
        assert nmi_clusters(data.labels, labels) == pytest.approx(
            nmi, abs=0.03 if name == "sonar" else 0.006
        )


def test_columns_past_the_rank_of_the_means_are_orthonormal_in_the_metric():
    Y, lam = load("bc").Y, 1.0
    model = AML(2, 5, lam=lam, random_state=0).fit(Y)
    Yc = Y - Y.mean(axis=0)
    W = np.linalg.lstsq(Yc, model.embedding_, rcond=None)[0]  # (P, Q)
    np.testing.assert_allclose(W.T @ (Yc.T @ Yc + lam * np.eye(9)) @ W, np.eye(5), atol=1e-8)


def test_more_columns_than_rows():
    Y = np.random.RandomState(0).standard_normal((20, 100))
    model = AML(2, 3, random_state=0).fit(Y)
    assert model.embedding_.shape == (20, 3)
    assert np.all(np.diff(model.objectives_) >= -1e-9)
