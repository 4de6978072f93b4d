import numpy as np
import pytest

from sgpmic_cli.networks import VariationalAutoencoder, binary_cross_entropy, gaussian_likelihood


@pytest.mark.parametrize("likelihood", [binary_cross_entropy, gaussian_likelihood])
def test_gradient_agrees_with_central_differences(likelihood):
    rng = np.random.RandomState(0)
    network = VariationalAutoencoder([5, 6, 4, 2], likelihood, rng)
    network.parameters += 0.1 * rng.standard_normal(network.parameters.size)
    Y, noise = rng.uniform(size=(6, 5)), rng.standard_normal((6, 2))
    network.loss(Y, noise)
    gradient = network.gradient.copy()
    step = 1e-6
    for i in range(gradient.size):
        kept = network.parameters[i]
        network.parameters[i] = kept + step
        above = network.loss(Y, noise)
        network.parameters[i] = kept - step
        below = network.loss(Y, noise)
        network.parameters[i] = kept
        assert gradient[i] == pytest.approx((above - below) / (2 * step), abs=1e-6)


def test_thirty_two_rows_are_reconstructed_when_the_divergence_is_light():
    rng = np.random.RandomState(0)
    Y = rng.standard_normal((32, 4))

    def sharp(
        output, target, gradient
    ):  # a likelihood of tiny variance makes the divergence negligible
        loss = 1e4 * gaussian_likelihood(output, target, gradient)
        gradient *= 1e4
        return loss

    network = VariationalAutoencoder([4, 64, 32, 4], sharp, rng)
    network.fit(Y, rng, epochs=4000, batch_size=32, learning_rate=3e-3)
    error = network.decoder.forward(network.encode(Y)) - Y
    assert np.mean(error**2) < 0.02 * np.mean(Y**2)


def test_draws_scatter_about_the_mean_code():
    rng = np.random.RandomState(0)
    network = VariationalAutoencoder([3, 4, 2], gaussian_likelihood, rng)
    Y = rng.standard_normal((5, 3))
    draws = np.array([network.sample(Y, rng) for _ in range(4000)])
    log_variance = network.encoder.forward(Y)[:, 2:]
    np.testing.assert_allclose(draws.mean(axis=0), network.encode(Y), atol=0.1)
    np.testing.assert_allclose(draws.var(axis=0), np.exp(log_variance), rtol=0.15)
    assert not np.array_equal(draws[0], draws[1])


def test_large_inputs_do_not_overflow():
    rng = np.random.RandomState(0)
    Y = rng.uniform(0, 1e5, (40, 3))
    network = VariationalAutoencoder([3, 64, 32, 1], gaussian_likelihood, rng)
    curve = network.fit(Y, rng, epochs=20, batch_size=40, learning_rate=1e-3)
    assert np.isfinite(curve).all()
    assert np.isfinite(network.encode(Y)).all()


def test_single_precision_stays_single_and_holds_nothing_back():
    rng = np.random.RandomState(0)
    network = VariationalAutoencoder(
        [3, 64, 32, 1], gaussian_likelihood, rng, single_precision=True
    )
    Y = rng.uniform(size=(40, 3))
    network.fit(Y, rng, epochs=2, batch_size=16, learning_rate=1e-3)
    assert (
        network.parameters.dtype
        == network.encode(Y).dtype
        == network.sample(Y, rng).dtype
        == np.float32
    )
    with pytest.raises(FloatingPointError):
        network.fit(1e5 * Y, rng, epochs=20, batch_size=40, learning_rate=1e-3)
