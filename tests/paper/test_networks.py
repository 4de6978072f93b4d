"""Layers, losses, optimisers and autoencoders against central differences and their definitions."""

import numpy as np
import pytest
from central_differences import central_differences

from sgpmic_cli.paper.networks import (
    LOGIT_LIMIT,
    MAX_LOG_VARIANCE,
    Adam,
    Autoencoder,
    Dense,
    VariationalAutoencoder,
    binary_cross_entropy,
    gaussian_divergence,
    mean_squared_error,
    train,
)


def dense(sizes, rng, method="glorot"):
    network = Dense(sizes, *np.zeros((2, Dense.count(sizes))))
    network.initialise(rng, method)
    return network


@pytest.mark.parametrize("sizes", [[4, 2], [4, 6, 5, 2]])
def test_output_and_gradients_of_layers(sizes):
    rng = np.random.RandomState(0)
    network = dense(sizes, rng)
    network.parameters += 0.1 * rng.standard_normal(network.parameters.size)
    X, weights = rng.standard_normal((7, 4)), rng.standard_normal((7, 2))

    def loss():
        return float(np.sum(weights * network.forward(X)))

    expected = central_differences(loss, network.parameters)
    expected_inputs = central_differences(loss, X)
    output = network.forward(X)
    network.backward(weights)
    h = X
    for W, b in network.layers[:-1]:
        h = np.maximum(h @ W + b, 0)
    W, b = network.layers[-1]
    np.testing.assert_allclose(output, h @ W + b)
    np.testing.assert_allclose(network.gradient, expected, atol=1e-6)
    np.testing.assert_allclose(network.input_gradient(), expected_inputs, atol=1e-6)


@pytest.mark.parametrize("loss", [mean_squared_error, binary_cross_entropy])
def test_gradients_of_losses(loss):
    rng = np.random.RandomState(0)
    output, target = rng.randn(5, 3), rng.uniform(0, 2, (5, 3))
    expected = central_differences(lambda: loss(output, target)[0], output)
    np.testing.assert_allclose(loss(output, target)[1], expected, atol=1e-6)


@pytest.mark.parametrize("offset", [0.0, MAX_LOG_VARIANCE + 5])
def test_gradients_of_the_divergence(offset):
    rng = np.random.RandomState(1)
    mean, log_variance = rng.standard_normal((4, 2)), rng.standard_normal((4, 2)) + offset
    _, *gradients = gaussian_divergence(mean, log_variance)
    for array, gradient in zip((mean, log_variance), gradients, strict=True):
        if offset and array is mean:
            continue  # differences of a value of 1e22 have no digits for the mean
        expected = central_differences(lambda: gaussian_divergence(mean, log_variance)[0], array)
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


def test_divergence_agrees_with_its_integral():
    assert gaussian_divergence(np.zeros((1, 1)), np.zeros((1, 1)))[0] == 0
    m, v = 0.7, -0.4
    x = np.linspace(-12, 12, 200001)
    density = np.exp(-0.5 * (x - m) ** 2 / np.exp(v)) / np.sqrt(2 * np.pi * np.exp(v))
    ratio = -0.5 * (x - m) ** 2 / np.exp(v) - 0.5 * v + 0.5 * x**2
    value, _, _ = gaussian_divergence(np.full((1, 1), m), np.full((1, 1), v))
    assert value == pytest.approx(np.sum(density * ratio) * (x[1] - x[0]), abs=1e-9)


def test_cross_entropy_of_large_logits():
    """Beyond the limit, value and gradient are those of a constant."""
    logits, target = np.array([[20.0, 1.0, -1e6]]), np.array([[300.0, 300.0, 0.5]])
    value, gradient = binary_cross_entropy(logits, target)
    expected = [LOGIT_LIMIT * -299.0, np.log1p(np.e) - 300.0, 0.5 * LOGIT_LIMIT]
    assert value == pytest.approx(np.mean(expected), rel=1e-6)
    assert gradient[0, 0] == gradient[0, 2] == 0
    assert gradient[0, 1] < 0


def test_adam_takes_the_steps_of_its_definition():
    rng = np.random.RandomState(0)
    theta, g = rng.standard_normal(4), np.empty(4)
    expected, m, v = theta.copy(), np.zeros(4), np.zeros(4)
    optimiser = Adam(theta, g, 0.05)
    for t in range(1, 8):
        g[:] = rng.standard_normal(4)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        expected -= 0.05 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        optimiser.step()
    np.testing.assert_allclose(theta, expected, rtol=1e-12)


def test_an_epoch_visits_every_row_once_and_reports_nan():
    seen, settings = [], {"epochs": 2, "batch_size": 4, "rng": np.random.RandomState(0)}
    assert train(lambda rows: seen.append(rows) or float(len(rows)), 5, **settings) == [17 / 5] * 2
    assert [len(rows) for rows in seen] == [4, 1, 4, 1]
    assert sorted(np.concatenate(seen[:2])) == sorted(np.concatenate(seen[2:])) == [0, 1, 2, 3, 4]
    losses = iter([1.0, np.nan])
    with pytest.raises(FloatingPointError, match="epoch 2"):
        train(lambda rows: next(losses), 4, **settings)


@pytest.mark.parametrize("kind", [Autoencoder, VariationalAutoencoder])
def test_gradients_of_autoencoders(kind):
    rng = np.random.RandomState(0)
    Y, network = rng.uniform(size=(6, 5)), kind([5, 6, 4, 2], rng)
    network.parameters += 0.1 * rng.standard_normal(network.parameters.size)

    def loss():
        return network.loss(Y, np.random.RandomState(1))  # the same noise in every call

    expected = central_differences(loss, network.parameters)
    loss()
    np.testing.assert_allclose(network.gradient, expected, atol=1e-6)
