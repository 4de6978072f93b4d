import numpy as np
import pytest
from autograd import grad
from autograd import numpy as anp
from sklearn.datasets import load_iris

from sgpmic_cli.baselines.deep.sdc import SDC, orthonormality_loss, similarity_loss
from sgpmic_cli.scores import purity


def test_similarity_gradient_agrees_with_autograd():
    rng = np.random.RandomState(0)
    Z, clusters = rng.standard_normal((9, 2)), rng.randint(0, 3, 9)

    def loss(Z):
        squared = anp.sum((Z[:, None, :] - Z[None, :, :]) ** 2, axis=2)
        same = clusters[:, None] == clusters[None, :]
        weights = np.where(same, 1.0, 1.0 / (len(set(clusters)) - 1))
        return (
            anp.sum(weights * (anp.exp(-squared / 1.7**2) - np.where(same, 0.8, 0.2)) ** 2)
            / weights.sum()
        )

    value, gradient = similarity_loss(Z, clusters, 1.7, 0.8, 0.2)
    assert value == pytest.approx(loss(Z))
    np.testing.assert_allclose(gradient, grad(loss)(Z), atol=1e-12)


def test_orthonormality_gradient_agrees_with_autograd_and_vanishes_on_axes():
    W = np.random.RandomState(1).standard_normal((5, 3))
    value, gradient = orthonormality_loss(W)

    def loss(W):
        return anp.sum((anp.dot(W.T, W) - anp.eye(3)) ** 2) / 18.0

    assert value == pytest.approx(loss(W))
    np.testing.assert_allclose(gradient, grad(loss)(W), atol=1e-10)
    assert orthonormality_loss(np.eye(5)[:, :3])[0] == 0


def test_one_cluster_in_a_batch_leaves_only_pairs_within():
    value, gradient = similarity_loss(np.zeros((4, 2)), np.zeros(4, dtype=int), 1.0, 0.8, 0.2)
    assert value == pytest.approx(0.04)
    assert np.isfinite(gradient).all()


def test_thirty_two_rows_reach_their_targets():
    rng = np.random.RandomState(0)
    Y = np.repeat([[0.0, 0.0], [1.0, 0.3]], 16, axis=0)
    model = SDC(2, 1, epochs=2000, within=1.0, learning_rate=1e-3, random_state=rng).fit(Y)
    assert model.loss_curve_[-1] < 1e-3


def test_iris_comes_out_as_printed():
    iris = load_iris()
    for q, printed in ((1, 90.67), (2, 89.33), (3, 89.33)):
        model = SDC(3, q, random_state=0).fit(iris.data)
        assert purity(iris.target, model.labels_) == pytest.approx(printed, abs=0.01)
        assert np.abs(model.components_.T @ model.components_ - np.eye(q)).max() < 0.3
        assert len(model.loss_curve_) == 51


def test_a_seed_fixes_the_labels():
    Y = load_iris().data
    np.testing.assert_array_equal(
        SDC(3, 2, random_state=7).fit(Y).labels_, SDC(3, 2, random_state=7).fit(Y).labels_
    )


def test_more_components_than_axes_are_refused():
    with pytest.raises(ValueError, match="n_components=5"):
        SDC(3, 5).fit(load_iris().data)
