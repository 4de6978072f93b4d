import numpy as np
import pytest

from sgpmic_cli.networks import Dense


def numeric_gradient(function, x, step=1e-6):
    """Central differences of a scalar function of the flat array x, which it reads in place."""
    gradient = np.empty_like(x)
    for i in range(x.size):
        kept = x[i]
        x[i] = kept + step
        above = function()
        x[i] = kept - step
        below = function()
        x[i] = kept
        gradient[i] = (above - below) / (2 * step)
    return gradient


@pytest.mark.parametrize(
    "activations", [["linear"], ["relu"], ["relu", "linear"], ["relu", "relu", "linear"]]
)
def test_gradients_of_parameters_and_inputs_agree_with_central_differences(activations):
    rng = np.random.RandomState(0)
    sizes = [*[4, 6, 5][: len(activations)], 2]
    network = Dense(sizes, activations)
    network.initialise(rng)
    network.parameters += 0.1 * rng.standard_normal(
        network.parameters.size
    )  # biases away from zero
    X, weights = rng.standard_normal((7, 4)), rng.standard_normal((7, 2))

    def loss():
        return float(np.sum(weights * network.forward(X)))

    expected = numeric_gradient(loss, network.parameters)
    expected_inputs = numeric_gradient(loss, X.reshape(-1)).reshape(X.shape)
    network.forward(X)
    network.backward(weights)
    np.testing.assert_allclose(network.gradient, expected, atol=1e-6)
    np.testing.assert_allclose(network.input_gradient(), expected_inputs, atol=1e-6)


def test_forward_is_the_chain_of_layers():
    rng = np.random.RandomState(1)
    network = Dense([3, 4, 2], ["relu", "linear"])
    network.initialise(rng)
    network.biases[0][:] = rng.standard_normal(4)
    X = rng.standard_normal((5, 3))
    hidden = np.maximum(X @ network.weights[0] + network.biases[0], 0)
    np.testing.assert_allclose(network.forward(X), hidden @ network.weights[1] + network.biases[1])


def test_two_networks_share_one_vector():
    flat = np.zeros(Dense.count([2, 3]) + Dense.count([3, 2]))
    first = Dense([2, 3], ["linear"], flat[:9], np.zeros(9))
    Dense([3, 2], ["linear"], flat[9:], np.zeros(8)).initialise(np.random.RandomState(0))
    assert not first.parameters.any()
    assert flat[9:15].all()


def test_initial_weights_stay_within_glorots_limit():
    network = Dense([30, 20], ["relu"])
    network.initialise(np.random.RandomState(0))
    limit = np.sqrt(6 / 50)
    assert np.abs(network.weights[0]).max() <= limit
    assert np.abs(network.weights[0]).max() > 0.95 * limit
    assert not network.biases[0].any()


def test_pytorchs_weights_and_biases_stay_within_their_limit():
    network = Dense([30, 200], ["relu"])
    network.initialise(np.random.RandomState(0), "pytorch")
    for part in (network.weights[0], network.biases[0]):
        assert 0.95 / np.sqrt(30) < np.abs(part).max() <= 1.0 / np.sqrt(30)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([2, 3], ["relu", "relu"]), "1 activations"),
        (([2, 3], ["tanh"]), "'tanh'"),
        (([2, 3], ["relu"], np.zeros(4)), "9 parameters"),
    ],
)
def test_misfits_are_named(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Dense(*arguments)
