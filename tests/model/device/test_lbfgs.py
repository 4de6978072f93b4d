"""The L-BFGS of a device takes the steps of SciPy's, trial by trial."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

torch = pytest.importorskip("torch")

from sgpmic_cli.model.device.lbfgs import minimise  # noqa: E402


def valley(x):
    return float(rosen(x)), rosen_der(x)


def waves(x):
    mix = np.random.RandomState(len(x)).randn(len(x), len(x))
    value = np.sum(np.log(np.cosh(mix @ x))) + 0.5 * np.sum((x - 1.0) ** 2) + 10.0 * np.sin(x[0])
    slope = mix.T @ np.tanh(mix @ x) + x - 1.0
    slope[0] += 10.0 * np.cos(x[0])
    return float(value), slope


@pytest.mark.parametrize("steps", [3, 8, 20])
@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("function", [valley, waves])
def test_same_trials_as_scipy(function, size, steps):
    start = size * np.random.RandomState(0).randn(12)
    theirs, ours = [], []

    def recorded(x):
        theirs.append(x.copy())
        return function(x)

    def on_device(x):
        ours.append(x.numpy().copy())
        value, slope = function(x.numpy())
        return value, torch.from_numpy(slope)

    options = {"maxiter": steps, "maxls": 20, "ftol": 1e-9, "gtol": 1e-5}
    expected = minimize(recorded, start, jac=True, method="L-BFGS-B", options=options)
    found = minimise(on_device, torch.from_numpy(start), steps, ftol=1e-9, gtol=1e-5)
    assert len(ours) == len(theirs)
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.x.numpy(), expected.x, rtol=1e-6, atol=1e-6)
    assert found.value == pytest.approx(expected.fun, rel=1e-6)


def test_a_wall_on_the_way_leaves_the_start():
    def walled(x):
        return (float(x @ x), 2.0 * x) if float(x[0]) == 1.0 else (np.inf, torch.zeros_like(x))

    found = minimise(walled, torch.ones(3, dtype=torch.float64), 5)
    assert found.value == 3.0
    assert found.x.tolist() == [1.0, 1.0, 1.0]
