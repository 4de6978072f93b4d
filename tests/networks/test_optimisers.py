import numpy as np
import pytest

from sgpmic_cli.networks import Adam, Momentum


def test_adam_takes_the_steps_of_its_definition():
    rng = np.random.RandomState(0)
    theta, g = rng.standard_normal(4), np.empty(4)
    expected, m, v = theta.copy(), np.zeros(4), np.zeros(4)
    optimiser = Adam(theta, g, learning_rate=0.05)
    for t in range(1, 8):
        g[:] = rng.standard_normal(4)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        expected -= 0.05 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        optimiser.step()
    np.testing.assert_allclose(theta, expected, rtol=1e-12)


def test_momentum_takes_the_steps_of_its_definition():
    theta, g = np.array([1.0, -2.0]), np.array([0.5, 0.25])
    optimiser = Momentum(theta, g, learning_rate=0.1, momentum=0.5)
    optimiser.step()
    optimiser.step()
    np.testing.assert_allclose(theta, [1.0 - 0.05 - 0.075, -2.0 - 0.025 - 0.0375])


@pytest.mark.parametrize(("kind", "rate"), [(Adam, 0.05), (Momentum, 0.05)])
def test_a_quadratic_is_minimised_in_place(kind, rate):
    theta, g = np.array([3.0, -2.0]), np.zeros(2)
    optimiser = kind(theta, g, rate)
    for _ in range(2000):
        g[:] = np.array([1.0, 4.0]) * (theta - 1.0)
        optimiser.step()
    np.testing.assert_allclose(theta, 1.0, atol=1e-3)
