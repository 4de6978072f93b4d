"""The full and the sparse GP-LVM against dense densities and central differences."""

import numpy as np
import pytest
from central_differences import central_differences
from reference import dtc_covariance, kernel_matrix
from scipy.stats import multivariate_normal

from sgpmic_cli.data import load
from sgpmic_cli.paper.isomap import isomap
from sgpmic_cli.paper.methods import gplvm_fcm
from sgpmic_cli.paper.methods.gplvm_fcm import FGPLVMFCM, GPLVMFCM, MAX_ROWS
from sgpmic_cli.paper.model import kernels

PARAMS = {"variance": 1.3, "gamma": 0.8, "bias": 0.4, "white": 0.2}


def full_problem(p=3):
    rng = np.random.RandomState(0)
    Y = rng.standard_normal((25, p)) - 2.0
    return Y, gplvm_fcm.log_posterior(Y), (rng.randn(25, 2), np.log([*PARAMS.values()]))


def density(Y, X, covariance):
    likelihood = multivariate_normal(np.zeros(len(X)), covariance).logpdf((Y - Y.mean(axis=0)).T)
    return likelihood.sum() + multivariate_normal(np.zeros(2), np.eye(2)).logpdf(X).sum()


@pytest.mark.parametrize("p", [3, 40])  # a factor of Y Y' replaces 40 columns
def test_full_objective_is_the_dense_density(p):
    Y, objective, (X, theta) = full_problem(p)
    covariance = kernel_matrix("rbf", PARAMS, X, X) + PARAMS["white"] * np.eye(len(X))
    assert objective(X, theta)[0] == pytest.approx(density(Y, X, covariance), rel=1e-9)


def test_gradient_agrees_with_central_differences():
    _, objective, point = full_problem()
    _, gradients = objective(*point)
    for array, gradient in zip(point, gradients, strict=True):
        numeric = central_differences(lambda: objective(*point)[0], array)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("p", [4, 50])
def test_sparse_objective_is_the_dense_density(p, monkeypatch):
    """Without a step, the points are those of ISOMAP; `test_paper_bound.py` checks gradients."""
    Y, starts = np.random.RandomState(0).standard_normal((30, p)) + 3.0, []
    monkeypatch.setattr(gplvm_fcm, "m_step", lambda bound, p, _: (starts.append(p) or p, 0.0))
    model = FGPLVMFCM(2, 2, n_inducing=7, random_state=0).fit(Y)
    (at,) = starts
    np.testing.assert_array_equal(model.embedding_, isomap(Y, 2))
    params = dict(zip(PARAMS, np.exp(at.theta[0]), strict=True))
    covariance = dtc_covariance("rbf", params, at.X, at.Z) + np.exp(-at.log_beta) * np.eye(30)
    assert model.objective_ == pytest.approx(density(Y, at.X, covariance), rel=1e-9)


@pytest.mark.parametrize("kind", [GPLVMFCM, FGPLVMFCM])
def test_more_steps_never_lower_the_objective(kind):
    Y = load("iris").Y
    models = [kind(3, 2, max_iter=steps, random_state=0).fit(Y) for steps in (1, 4, 7, 20)]
    values = [model.objective_ for model in models]
    assert np.all(np.diff(values) >= 0)
    assert values[-1] > values[0] + 50


@pytest.mark.parametrize("kind", [GPLVMFCM, FGPLVMFCM])
def test_a_start_without_a_finite_value_is_refused(kind, monkeypatch):
    def undefined(self, theta, Z, X, weights=1.0, out=None):
        return np.full((len(Z), len(X)), np.nan)

    monkeypatch.setattr(kernels.RBF, "cross", undefined)
    with pytest.raises(FloatingPointError, match="no finite value at the start"):
        kind(3, 2, random_state=0).fit(load("iris").Y)


@pytest.mark.parametrize(
    ("model", "Y", "message"),
    [
        (FGPLVMFCM(2, 1), np.ones((20, 3)), "All rows are equal"),
        (GPLVMFCM(2, 1), np.zeros((MAX_ROWS + 1, 2)), f"fgplvm-fcm.*at most {MAX_ROWS}"),
        (GPLVMFCM(3, 2), 1e160 * load("iris").Y, "divide the columns by a common unit"),
    ],
)
def test_unusable_data_are_refused(model, Y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(Y)
