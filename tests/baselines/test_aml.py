"""AML against the trace it maximises, written out densely, and against DisKmeans."""

import numpy as np
import pytest

from sgpmic_cli.baselines import _scatter
from sgpmic_cli.baselines.aml import AML
from sgpmic_cli.data import load
from sgpmic_cli.scores import purity


def published_trace(Y, labels, q, lam):
    """max over W of tr{[W'(St + lam I) W]^-1 W' Yc' L L' Yc W}: the q largest generalised eigenvalues."""
    Yc = Y - Y.mean(axis=0)
    L = _scatter.indicator(labels, labels.max() + 1)
    values = np.linalg.eigvals(np.linalg.solve(Yc.T @ Yc + lam * np.eye(Y.shape[1]), Yc.T @ L @ L.T @ Yc))
    return np.sort(values.real)[-q:].sum()


@pytest.mark.parametrize("q", [1, 2, 4])
@pytest.mark.parametrize("lam", [0.001, 100.0])
def test_objective_never_decreases_and_is_the_published_trace(q, lam):
    Y = load("wine").without(["proline"]).Y
    for seed in range(3):
        model = AML(3, q, lam=lam, random_state=seed).fit(Y)
        assert np.all(np.diff(model.objectives_) >= -1e-9)
        assert model.objectives_[-1] == pytest.approx(published_trace(Y, model.labels_, q, lam), rel=1e-8)


def test_diskmeans_identity():
    """With every direction kept the kernel is I - (I + Yc Yc' / lam)^-1, and the trace is that of DisKmeans."""
    Y, lam = load("iris").Y, 10.0
    Yc = Y - Y.mean(axis=0)
    kernel = np.eye(len(Y)) - np.linalg.inv(np.eye(len(Y)) + Yc @ Yc.T / lam)
    model = AML(3, 4, lam=lam, random_state=0).fit(Y)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, kernel, atol=1e-10)
    L = _scatter.indicator(model.labels_, 3)
    assert model.objectives_[-1] == pytest.approx(np.trace(L.T @ kernel @ L))


def test_first_iterate_is_kmeans_on_whitened_scores():
    Y, lam = load("bc").Y, 10.0
    model = AML(2, 3, lam=lam, max_outer=0, random_state=0).fit(Y)
    Yc = Y - Y.mean(axis=0)
    values, axes = np.linalg.eigh(Yc.T @ Yc)
    scores = Yc @ axes[:, ::-1][:, :3] / np.sqrt(values[::-1][:3] + lam)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(scores), atol=1e-10)
    assert model.objectives_ == []


@pytest.mark.parametrize(("name", "published"), [("iris", 91.60), ("bc", 96.19), ("wdbc", 85.24)])
def test_first_iterate_gives_the_published_cell(name, published):
    data = load(name)
    labels = AML(data.n_classes, 1, max_outer=0, random_state=0).fit_predict(data.Y)
    assert purity(data.labels, labels) == pytest.approx(published, abs=0.3)


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
