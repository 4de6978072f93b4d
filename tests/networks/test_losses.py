import numpy as np
import pytest

from sgpmic_cli.networks import (
    binary_cross_entropy,
    gaussian_divergence,
    gaussian_likelihood,
    mean_squared_error,
)
from sgpmic_cli.networks.losses import STEEPEST

STEP = 1e-6


def differences(function, x):
    gradient = np.empty_like(x)
    for index in np.ndindex(x.shape):
        kept = x[index]
        x[index] = kept + STEP
        above = function(x)
        x[index] = kept - STEP
        below = function(x)
        x[index] = kept
        gradient[index] = (above - below) / (2 * STEP)
    return gradient


@pytest.mark.parametrize("loss", [mean_squared_error, gaussian_likelihood, binary_cross_entropy])
def test_gradient_agrees_with_central_differences(loss):
    rng = np.random.RandomState(0)
    output, target, gradient = (
        rng.standard_normal((5, 3)),
        rng.uniform(0, 2, (5, 3)),
        np.empty((5, 3)),
    )
    loss(output, target, gradient)
    expected = differences(lambda o: loss(o, target, np.empty_like(o)), output)
    np.testing.assert_allclose(gradient, expected, atol=1e-6)


def test_divergence_gradients_agree_with_central_differences_on_both_sides_of_the_bound():
    rng = np.random.RandomState(1)
    mean, log_variance = rng.standard_normal((4, 2)), rng.standard_normal((4, 2))
    slopes = np.empty((2, 4, 2))
    gaussian_divergence(mean, log_variance, *slopes)
    other = np.empty((2, 4, 2))
    np.testing.assert_allclose(
        slopes[0],
        differences(lambda m: gaussian_divergence(m, log_variance, *other), mean),
        atol=1e-6,
    )
    np.testing.assert_allclose(
        slopes[1],
        differences(lambda v: gaussian_divergence(mean, v, *other), log_variance),
        atol=1e-6,
    )
    log_variance += STEEPEST + 5
    gaussian_divergence(mean, log_variance, *slopes)
    expected = differences(lambda v: gaussian_divergence(mean, v, *other), log_variance)
    np.testing.assert_allclose(slopes[1], expected, rtol=1e-6)


def test_divergence_is_zero_at_the_prior_and_matches_its_integral():
    slopes = np.empty((2, 1, 1))
    assert gaussian_divergence(np.zeros((1, 1)), np.zeros((1, 1)), *slopes) == 0
    m, v = 0.7, -0.4
    x = np.linspace(-12, 12, 200001)
    density = np.exp(-0.5 * (x - m) ** 2 / np.exp(v)) / np.sqrt(2 * np.pi * np.exp(v))
    ratio = -0.5 * (x - m) ** 2 / np.exp(v) - 0.5 * v + 0.5 * x**2
    expected = np.sum(density * ratio) * (x[1] - x[0])
    assert gaussian_divergence(np.full((1, 1), m), np.full((1, 1), v), *slopes) == pytest.approx(
        expected, abs=1e-9
    )


def test_cross_entropy_is_that_of_the_sigmoid():
    logits, target = np.array([[0.3, -2.0]]), np.array([[1.0, 0.25]])
    p = 1 / (1 + np.exp(-logits))
    expected = -np.mean(target * np.log(p) + (1 - target) * np.log(1 - p))
    assert binary_cross_entropy(logits, target, np.empty((1, 2))) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("logit", "target", "expected"), [(1e4, 0.0, 1e4), (1e4, 1.0, 0.0), (-1e4, 1.0, 1e4)]
)
def test_cross_entropy_of_certainty_neither_overflows_nor_loses_its_slope(logit, target, expected):
    gradient = np.empty((1, 1))
    assert binary_cross_entropy(np.array([[logit]]), np.array([[target]]), gradient) == expected
    assert gradient[0, 0] == (logit > 0) - target


def test_cross_entropy_has_no_slope_past_its_limit_and_stays_finite():
    gradient = np.empty((1, 3))
    value = binary_cross_entropy(
        np.array([[20.0, 1.0, -1e6]]), np.array([[300.0, 300.0, 0.0]]), gradient, limit=16.0
    )
    assert np.isfinite(value)
    assert gradient[0, 0] == gradient[0, 2] == 0
    assert gradient[0, 1] < 0
