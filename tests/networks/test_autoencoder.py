import numpy as np
import pytest

from sgpmic_cli.networks import Autoencoder


def test_gradient_agrees_with_central_differences():
    rng = np.random.RandomState(0)
    network = Autoencoder([5, 6, 4, 2], rng)
    network.parameters += 0.1 * rng.standard_normal(network.parameters.size)
    Y = rng.standard_normal((6, 5))
    network.loss(Y)
    gradient = network.gradient.copy()
    step = 1e-6
    for i in range(gradient.size):
        kept = network.parameters[i]
        network.parameters[i] = kept + step
        above = network.loss(Y)
        network.parameters[i] = kept - step
        below = network.loss(Y)
        network.parameters[i] = kept
        assert gradient[i] == pytest.approx((above - below) / (2 * step), abs=1e-6)


def test_thirty_two_rows_are_learnt_by_heart():
    rng = np.random.RandomState(0)
    Y = rng.standard_normal((32, 4))
    network = Autoencoder([4, 64, 32, 4], rng)
    curve = network.fit(Y, rng, epochs=3000, batch_size=32, learning_rate=3e-3)
    assert curve[-1] < 1e-3 * curve[0]
    np.testing.assert_allclose(network.decoder.forward(network.encode(Y)), Y, atol=0.15)


def test_patience_ends_training_early():
    rng = np.random.RandomState(0)
    Y = np.tile(rng.standard_normal((1, 3)), (20, 1))  # one point: learnt at once
    curve = Autoencoder([3, 64, 32, 1], rng).fit(
        Y, rng, epochs=5000, batch_size=20, learning_rate=1e-2, patience=20
    )
    assert len(curve) < 5000


def test_divergence_is_reported_not_returned():
    rng = np.random.RandomState(0)
    network = Autoencoder([3, 64, 32, 1], rng)
    with pytest.raises(FloatingPointError, match="learning rate"):
        network.fit(rng.standard_normal((20, 3)), rng, epochs=50, batch_size=20, learning_rate=1e80)
