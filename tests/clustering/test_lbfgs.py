"""L-BFGS finds the maxima that SciPy finds, and never lowers the value."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from sgpmic_cli.clustering.map.backend import NUMPY, Workspace, torch_backend
from sgpmic_cli.clustering.map.lbfgs import PAIRS, _InverseHessian, climb

A = np.random.RandomState(0).randn(8, 8)
A = A @ A.T + 0.1 * np.eye(8)


def quadratic(x):
    return float(-0.5 * x @ (A @ x) + x.sum()), np.ones(8) - A @ x


def banana(x):
    return -float(rosen(x)), -rosen_der(x)


@pytest.mark.parametrize("function", [quadratic, banana])
def test_the_maximum_is_that_of_scipy(function):
    x0 = 0.5 * np.random.RandomState(1).randn(8)
    theirs = minimize(
        lambda x: tuple(-part for part in function(x)), x0, jac=True, method="L-BFGS-B"
    )
    found = climb(function, x0, 300, Workspace(NUMPY))
    assert function(found)[0] >= -theirs.fun - 1e-6
    np.testing.assert_allclose(found, theirs.x, atol=1e-2)


@pytest.mark.parametrize("function", [quadratic, banana])
def test_more_steps_never_lower_the_value(function):
    x0 = np.random.RandomState(2).randn(8)
    values = [function(climb(function, x0, steps, Workspace(NUMPY)))[0] for steps in range(20)]
    assert values[0] == function(x0)[0]
    assert np.diff(values).min() >= 0.0
    assert values[-1] > values[0]


def test_points_without_a_value_are_rejected():
    def walled(x):
        return (quadratic(x)) if x[0] < 0.1 else (float("nan"), x)

    found = climb(walled, np.zeros(8), 50, Workspace(NUMPY))
    assert 0.0 < quadratic(found)[0] < np.inf
    assert found[0] < 0.1
    start = np.ones(8)
    space = Workspace(NUMPY)
    assert climb(lambda x: (0.0 if x is start else float("nan"), x), start, 5, space) is start


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("count", [1, 4, PAIRS, PAIRS + 3])
def test_the_compact_form_is_the_recursion_over_the_pairs(count, backend):
    """The two-loop recursion (Nocedal and Wright 2006, Algorithm 7.4) is the oracle."""
    if backend == "torch":
        pytest.importorskip("torch")
    own = NUMPY if backend == "numpy" else torch_backend("cpu")
    own = own._replace(block_rows=1)  # so that eight of eleven entries are a block
    rng, B = np.random.RandomState(count), np.diag(np.arange(1.0, 12.0))
    steps = rng.randn(count + 2, 11)
    steps[-1] *= -1.0
    points = np.cumsum(np.vstack([rng.randn(11), steps]), axis=0)
    gradients = -points @ B
    gradients[1:] += 1e-3 * rng.randn(count + 2, 11)
    gradients[-1] = gradients[-2] + steps[-1]  # has no positive curvature
    hessian = _InverseHessian(Workspace(own), 11)
    for i in range(count + 2):
        hessian.add(*map(own.asarray, (points[i], points[i + 1], gradients[i], gradients[i + 1])))
    pairs = [(steps[i], gradients[i] - gradients[i + 1]) for i in range(count + 1)]
    expected, weights = gradients[-1].copy(), []
    for step, change in pairs[: -PAIRS - 1 : -1]:
        weights.append(step @ expected / (step @ change))
        expected -= weights[-1] * change
    step, change = pairs[-1]
    expected *= step @ change / (change @ change)
    for step, change in pairs[-PAIRS:]:
        expected += (weights.pop() - change @ expected / (step @ change)) * step
    direction, slope = hessian.times(own.asarray(gradients[-1]))
    np.testing.assert_allclose(own.to_numpy(direction), expected, rtol=1e-8)
    assert slope == pytest.approx(expected @ gradients[-1])
