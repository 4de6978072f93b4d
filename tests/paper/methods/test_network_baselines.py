"""AE-FCM, VAE-FCM, SDC and DEEPC: losses against autograd, and properties of a fit."""

import numpy as np
import pytest
from autograd import grad
from autograd import numpy as anp
from sklearn.datasets import load_iris

from sgpmic_cli.paper.methods.ae_fcm import AEFCM, VAEFCM
from sgpmic_cli.paper.methods.deepc import DEEPC, divergence, target_distribution
from sgpmic_cli.paper.methods.sdc import SDC, orthonormality_loss, similarity_loss
from sgpmic_cli.scores import purity

IRIS = load_iris()


@pytest.fixture
def blobs():
    rng = np.random.RandomState(0)
    centers = np.array([[0, 0, 0, 0], [9, 9, 0, 0], [0, 9, 9, 9]])
    classes = np.repeat([0, 1, 2], 60)
    return centers[classes] + 0.5 * rng.standard_normal((180, 4)), classes


@pytest.mark.parametrize(
    "model",
    [
        AEFCM(3, 2, learning_rate=1e80, random_state=0),
        VAEFCM(3, 2, learning_rate=1e80, random_state=0),
        DEEPC(3, 2, pretrain_epochs=5, pretrain_learning_rate=1e80, random_state=0),
        DEEPC(3, 2, pretrain_epochs=5, learning_rate=1e200, random_state=0),
    ],
)
def test_divergence_raises_with_advice(model):
    with pytest.raises(FloatingPointError, match="learning rate"):
        model.fit(IRIS.data)


def test_vae_of_large_columns_overflows_in_single_precision(blobs):
    Y = 1000 * blobs[0]
    double = VAEFCM(3, 2, epochs=5, random_state=0).fit(Y)
    single = VAEFCM(3, 2, epochs=5, single_precision=True, random_state=0).fit(Y)
    assert np.isfinite(double.embedding_).all()
    assert len(np.unique(double.labels_)) > 1
    assert np.isnan(single.embedding_).all()
    assert set(single.labels_) == {0}
    assert single.loss_curve_ == []


def test_similarity_gradient_agrees_with_autograd():
    rng = np.random.RandomState(0)
    Z, clusters = rng.standard_normal((9, 2)), rng.randint(0, 3, 9)
    same = clusters[:, None] == clusters[None, :]
    weights = np.where(same, 1.0, 1.0 / (len(set(clusters)) - 1))

    def loss(Z):
        squared = anp.sum((Z[:, None, :] - Z[None, :, :]) ** 2, axis=2)
        residual = anp.exp(-squared / 1.7**2) - np.where(same, 0.8, 0.2)
        return anp.sum(weights * residual**2) / weights.sum()

    value, gradient = similarity_loss(Z, clusters, 1.7, 0.8, 0.2)
    assert value == pytest.approx(loss(Z))
    np.testing.assert_allclose(gradient, grad(loss)(Z), atol=1e-12)
    one_cluster, gradient = similarity_loss(np.zeros((4, 2)), np.zeros(4, int), 1.0, 0.8, 0.2)
    assert one_cluster == pytest.approx(0.04)
    assert np.isfinite(gradient).all()


def test_orthonormality_gradient_agrees_with_autograd():
    W = np.random.RandomState(1).standard_normal((5, 3))
    value, gradient = orthonormality_loss(W)

    def loss(W):
        return anp.sum((anp.dot(W.T, W) - anp.eye(3)) ** 2) / 18.0

    assert value == pytest.approx(loss(W))
    np.testing.assert_allclose(gradient, grad(loss)(W), atol=1e-10)
    assert orthonormality_loss(np.eye(5)[:, :3])[0] == 0


@pytest.mark.parametrize(("q", "printed"), [(1, 90.67), (2, 89.33), (3, 89.33)])
def test_sdc_reproduces_the_printed_cells_of_iris(q, printed):
    model = SDC(3, q, random_state=0).fit(IRIS.data)
    assert purity(IRIS.target, model.labels_) == pytest.approx(printed, abs=0.01)
    assert np.abs(model.components_.T @ model.components_ - np.eye(q)).max() < 0.3
    assert len(model.loss_curve_) == 51


def test_divergence_gradients_agree_with_autograd():
    rng = np.random.RandomState(1)
    Z, centers = rng.standard_normal((7, 2)), rng.standard_normal((3, 2))
    p = target_distribution(rng.dirichlet(np.ones(3), 7))

    def loss(Z, centers):
        t = 1 / (1 + anp.sum((Z[:, None, :] - centers[None, :, :]) ** 2, axis=2))
        q = t / anp.sum(t, axis=1, keepdims=True)
        return anp.sum(p * anp.log(p / q)) / 7

    value, dZ, dcenters = divergence(Z, centers, p)
    assert value == pytest.approx(loss(Z, centers))
    np.testing.assert_allclose(dZ, grad(loss, 0)(Z, centers), atol=1e-12)
    np.testing.assert_allclose(dcenters, grad(loss, 1)(Z, centers), atol=1e-12)
