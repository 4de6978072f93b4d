from dataclasses import replace

import numpy as np
import pytest
from standard_bound import standard_bound

from sgpmic_cli.experiments.studies.two_bounds import bounds_by_round, posterior, standard_value
from sgpmic_cli.model.paper.bound import Bound, Parameters, observe
from sgpmic_cli.model.paper.em import Schedule
from sgpmic_cli.model.paper.kernels import RBF, start_parameters
from sgpmic_cli.model.paper.mixture import mixture

SCHEDULE = Schedule(
    iterations=4,
    steps=3,
    optimizer="lbfgs",
    covariance_type="spherical",
    covariance_floor=0.05,
    learn_weights=False,
    learn_noise=False,
    tol=0.0,
)


@pytest.fixture
def model():
    """Twelve rows of three columns, two components, five inducing inputs."""
    rng = np.random.RandomState(0)
    data = observe(rng.randn(12, 3))
    prior = mixture(np.full(2, 0.5), rng.randn(2, 2), np.stack([np.eye(2), 0.5 * np.eye(2)]))
    theta = start_parameters(RBF(), 2, 2) + 0.1 * rng.randn(2, 4)
    S = rng.uniform(0.1, 0.9, size=12)
    return (
        data,
        Parameters(rng.randn(12, 2), rng.randn(5, 2), theta, 0.3, prior),
        np.column_stack([S, 1.0 - S]),
    )


def test_at_its_optimum_the_standard_bound_is_the_corrected_one(model):
    data, p, S = model
    q = [posterior(data, p, s, theta) for s, theta in zip(S.T, p.natural, strict=True)]
    entropy = -np.sum(S * np.log(S))
    value = standard_value(data, p, S, q)[0] + entropy
    assert value == pytest.approx(Bound(RBF(), data, S, active=0.0).value(p)[0], rel=1e-9)
    assert value == pytest.approx(standard_bound(RBF(), data, p, S, S), rel=1e-9)


def test_with_q_held_its_gradient_is_that_of_central_differences(model):
    data, p, S = model
    q = [posterior(data, p, s, theta) for s, theta in zip(S.T, p.natural, strict=True)]
    moved = replace(p, X=p.X + 0.1, Z=p.Z - 0.05)
    slopes = standard_value(data, moved, S, q)[1:]
    for name, slope in zip(("X", "Z", "theta"), slopes, strict=True):
        direction = np.random.RandomState(1).randn(*slope.shape)
        sides = [
            standard_value(
                data, replace(moved, **{name: getattr(moved, name) + h * direction}), S, q
            )[0]
            for h in (-1e-5, 1e-5)
        ]
        assert np.vdot(slope, direction) == pytest.approx((sides[1] - sides[0]) / 2e-5, rel=1e-5)


def test_both_ways_start_from_one_place_and_one_is_ahead_after_a_round(model):
    data, p, S = model
    found = bounds_by_round(data, p, S, SCHEDULE, rounds=4)
    assert [len(bounds) for bounds in found.values()] == [4, 4]
    # With q(u) taken along an M-step can go further than with q(u) held.
    assert found["KL-corrected"][0] > found["standard"][0]
