"""The sparse GP-LVM against dense algebra, central differences, and the full GP-LVM that it becomes at K = N."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sgpmic_cli.baselines import fgplvm_fcm, gplvm_fcm
from sgpmic_cli.baselines._ascent import climb
from sgpmic_cli.baselines.fgplvm_fcm import FGPLVMFCM, log_posterior
from sgpmic_cli.baselines.isomap_fcm import IsomapFCM
from sgpmic_cli.data import load
from sgpmic_cli.model.paper.cholesky import NotPositiveDefinite
from sgpmic_cli.scores import purity


def example(n=30, p=4, q=2, k=7, seed=0):
    """Data, and where to evaluate the objective: X, Z, the logs of variance, gamma, bias and white, and log beta."""
    rng = np.random.RandomState(seed)
    theta = np.log([[1.3, 0.8, 0.4, 0.05]])
    return rng.standard_normal((n, p)) + 3.0, (
        rng.randn(n, q),
        rng.randn(k, q),
        theta,
        np.array([0.7]),
    )


def rbf(A, B, theta):
    variance, gamma, bias = np.exp(theta[:3])
    return variance * np.exp(-0.5 * gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2)) + bias


def dense(Y, X, Z, theta, log_beta):
    K_uu = rbf(Z, Z, theta[0]) + np.exp(theta[0, -1]) * np.eye(len(Z))
    K_fu = rbf(X, Z, theta[0])
    covariance = K_fu @ np.linalg.solve(K_uu, K_fu.T) + np.exp(-log_beta[0]) * np.eye(len(X))
    likelihood = (
        multivariate_normal(np.zeros(len(X)), covariance).logpdf((Y - Y.mean(axis=0)).T).sum()
    )
    return (
        likelihood + multivariate_normal(np.zeros(X.shape[1]), np.eye(X.shape[1])).logpdf(X).sum()
    )


@pytest.mark.parametrize("p", [4, 50])
def test_objective_is_the_dense_normal_density(p):
    """Fifty columns of thirty rows enter through a factor of Y Y'; the density must not notice."""
    Y, point = example(p=p)
    value, _ = log_posterior(Y, point[1].shape[1])(*point)
    assert value == pytest.approx(dense(Y, *point), rel=1e-9)


def test_gradient_is_that_of_central_differences():
    Y, point = example()
    objective = log_posterior(Y, point[1].shape[1])
    _, gradients = objective(*point)
    for array, gradient in zip(point, gradients, strict=True):
        numeric = np.empty_like(array)
        for index in np.ndindex(array.shape):
            here = array[index]
            array[index] = here + 1e-5
            above, _ = objective(*point)
            array[index] = here - 1e-5
            below, _ = objective(*point)
            array[index] = here
            numeric[index] = (above - below) / 2e-5
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


def test_an_inducing_input_on_every_point_gives_the_full_gplvm():
    """With Z = X and next to no white, K_fu K_uu^-1 K_uf + 1/beta is the covariance whose white part is 1/beta."""
    rng = np.random.RandomState(1)
    Y, X = rng.randn(25, 3), 4.0 * rng.randn(25, 2)
    theta = np.log([[1.3, 0.8, 0.4, 1e-10]])
    sparse, _ = log_posterior(Y, 2)(X, X, theta, np.log([1.0 / 0.2]))
    full, _ = gplvm_fcm.log_posterior(Y)(X, np.log([1.3, 0.8, 0.4, 0.2]))
    assert sparse == pytest.approx(full, rel=1e-8)


def test_more_steps_never_lower_the_objective():
    Y = load("iris").Y
    reached = [
        FGPLVMFCM(3, 2, max_iter=steps, random_state=0).fit(Y).objective_
        for steps in range(1, 31, 3)
    ]
    assert np.all(np.diff(reached) >= 0)
    assert reached[-1] > reached[0] + 100


def test_the_climb_starts_at_isomap(monkeypatch):
    Y = load("iris").Y
    monkeypatch.setattr(
        fgplvm_fcm, "climb", lambda objective, start, steps: climb(objective, start, 0)
    )
    model = FGPLVMFCM(3, 2, random_state=0).fit(Y)
    np.testing.assert_array_equal(model.embedding_, IsomapFCM(3, 2).fit(Y).embedding_)


def test_same_seed_same_labels_and_another_seed_other_inducing_inputs():
    data = load("wine").without(["proline"])
    first, again, other = (FGPLVMFCM(3, 2, random_state=seed).fit(data.Y) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.labels_, again.labels_)
    np.testing.assert_array_equal(first.embedding_, again.embedding_)
    assert not np.allclose(first.embedding_, other.embedding_)


def test_published_cell_of_wine():
    """Printed 73.15; the spread of ours over seeds is about 0.7."""
    data = load("wine").without(["proline"])
    scores = [
        purity(data.labels, FGPLVMFCM(3, 2, random_state=seed).fit_predict(data.Y))
        for seed in range(5)
    ]
    assert np.mean(scores) == pytest.approx(73.15, abs=1.5)


def test_more_columns_than_rows_and_fewer_rows_than_inducing_inputs():
    Y = np.random.RandomState(0).standard_normal((20, 100))
    model = FGPLVMFCM(2, 3, random_state=0).fit(Y)
    assert model.embedding_.shape == (20, 3)
    assert np.isfinite(model.embedding_).all()


def test_equal_rows_are_refused():
    with pytest.raises(ValueError, match="All rows are equal"):
        FGPLVMFCM(2, 1).fit(np.ones((20, 3)))


def bowl_with_an_edge(x):
    """-x^2 to the right of zero, nothing to the left: by turns without a value and without a factor."""
    if x[0] < -1.0:
        raise NotPositiveDefinite("no factor here")
    return (np.nan if x[0] < 0.0 else -float(x[0] ** 2)), (-2.0 * x,)


def test_a_point_without_a_value_is_a_step_not_taken():
    (x,), value = climb(bowl_with_an_edge, (np.array([5.0]),), 50)
    assert 0.0 <= x[0] < 1.0
    assert value == -float(x[0] ** 2)


@pytest.mark.parametrize("start", [-0.5, -5.0])
def test_a_start_without_a_value_is_an_error(start):
    with pytest.raises(FloatingPointError, match="no finite value at the start"):
        climb(bowl_with_an_edge, (np.array([start]),), 5)
