"""A component beside dense algebra, its gradients beside central differences, its errors beside the bound's slope."""

import dense_oracle
import numpy as np
import pytest

from sgpmic_cli.model.variational.component import Rows, Task, posteriors, values_and_slopes
from sgpmic_cli.model.variational.features import Kernel
from sgpmic_cli.model.variational.process import Process, square_errors


@pytest.fixture
def problem():
    r = np.random.RandomState(1)
    kernel = Kernel(r.randn(5, 2), 0.6, np.array([1.1, 0.5]), 0.9)
    rows = weighed(r.randn(12, 3), r.uniform(0.2, 1.0, 12))
    return kernel, rows, r.randn(12, 2), np.exp(0.3 * r.randn(12, 2) - 2.0)


def weighed(Y, w):
    return Rows(np.arange(len(Y)), w[:, None] * Y, np.sum(Y**2, axis=1), w, Y.shape[1])


def test_known_points_give_the_dense_bound(problem):
    kernel, rows, mu, _ = problem
    value, _ = values_and_slopes([Task(rows, kernel, 3.0, mu, np.zeros_like(mu))])[0]
    Y = rows.weighted_Y / rows.w[:, None]
    assert value == pytest.approx(
        dense_oracle.bound_at_points(Y, mu, rows.w, kernel, 3.0), rel=1e-9
    )


def test_gradients_are_central_differences(problem):
    kernel, rows, mu, s = problem
    _, slopes = values_and_slopes([Task(rows, kernel, 3.0, mu, s)])[0]
    start = np.concatenate(
        [
            mu.ravel(),
            s.ravel(),
            kernel.Z.ravel(),
            np.log([kernel.variance, *kernel.widths, kernel.linear, 3.0]),
        ]
    )

    def at(v):
        Z = v[48:58].reshape(5, 2)
        variance, linear, beta = np.exp(v[[58, 61, 62]])
        moved = Kernel(Z, variance, np.exp(v[59:61]), linear)
        task = Task(rows, moved, beta, v[:24].reshape(12, 2), v[24:48].reshape(12, 2))
        return values_and_slopes([task])[0][0]

    step = 1e-6
    numeric = [
        (at(start + step * e) - at(start - step * e)) / (2 * step) for e in np.eye(len(start))
    ]
    exact = [slopes.mu.ravel(), slopes.s.ravel(), slopes.Z.ravel(), [slopes.log_v, *slopes.log_g]]
    exact = np.concatenate([*exact, [slopes.log_a, slopes.log_beta]])
    np.testing.assert_allclose(exact, numeric, rtol=2e-6, atol=2e-6)


def test_the_expected_error_is_the_slope_of_the_bound_by_a_weight(problem):
    """dL/dw_n = P/2 log(beta / 2 pi) - beta/2 <|y_n - f_n|^2>: what makes the E-step exact."""
    kernel, rows, mu, s = problem
    beta, step, Y = 3.0, 1e-6, rows.weighted_Y / rows.w[:, None]
    known = posteriors([Task(rows, kernel, beta, mu, s)])[0]
    process = Process(kernel, known, 3)
    at = process.means(mu.T, s.T)
    error = square_errors(Y.T, at.f) + process.spread(at)
    for n in range(3):
        up, down = rows.w.copy(), rows.w.copy()
        up[n] += step
        down[n] -= step
        tasks = [Task(weighed(Y, w), kernel, beta, mu, s) for w in (up, down)]
        values = [moved.value for moved in posteriors(tasks)]
        slope = (values[0] - values[1]) / (2 * step)
        assert slope == pytest.approx(
            1.5 * np.log(beta / (2 * np.pi)) - 0.5 * beta * error[n], rel=1e-5
        )
