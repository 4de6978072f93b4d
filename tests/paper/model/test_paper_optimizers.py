"""Both optimisers on functions with known minima, some of which cannot be evaluated everywhere."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.gp import ascend, lbfgs
from sgpmic_cli.paper.model.em import scg

OPTIMIZERS = [scg, lbfgs]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_rosenbrock(optimizer):
    _, value = optimizer(
        lambda x: (rosen(x), rosen_der(x)), np.array([-1.2, 1.0, 0.5]), 2000, tol=1e-12
    )
    assert value < 1e-3


def restricted_parabola(x):
    """Return -x^2 for x >= 0, NaN below, and raise an error below -1."""
    if x[0] < -1.0:
        raise np.linalg.LinAlgError("no factor here")
    return (np.nan if x[0] < 0.0 else -float(x[0] ** 2)), [-2.0 * x]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_points_that_cannot_be_evaluated_are_rejected(optimizer):
    (x,), first, last = ascend(restricted_parabola, [np.array([5.0])], optimizer, 50)
    assert 0.0 <= x[0] < 1.0
    assert (first, last) == (-25.0, -float(x[0] ** 2))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("start", [-0.5, -5.0])
def test_a_start_that_cannot_be_evaluated_is_returned(optimizer, start):
    (x,), first, last = ascend(restricted_parabola, [np.array([start])], optimizer, 5)
    assert x == np.array([start])
    assert (first, last) == (-np.inf, -np.inf)
