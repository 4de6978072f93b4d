"""EM: monotone steps, a bound that follows from the fitted attributes, and both optimisers."""

import numpy as np
import pytest
import reference
from random_problem import FORMS, KERNELS, problem
from scipy.optimize import rosen, rosen_der
from scipy.special import softmax
from scipy.stats import multivariate_normal

from sgpmic_cli.data import load
from sgpmic_cli.gp import ascend, lbfgs
from sgpmic_cli.paper.model.bound import Bound, observe
from sgpmic_cli.paper.model.em import expectation, m_step, scg
from sgpmic_cli.paper.model.estimator import SGPMIC, WithoutExperts

OPTIMIZERS = [scg, lbfgs]


@pytest.mark.parametrize("optimizer", ["scg", "lbfgs"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_m_step_never_lowers_the_bound(kernel, form, optimizer):
    model = SGPMIC(covariance_type=form, covariance_floor=1e-2, optimizer=optimizer)
    model.set_params(optimizer_steps=5, learn_weights=True, learn_noise=True)
    Y, p, S = problem(kernel, form)
    bound = Bound(KERNELS[kernel], observe(Y), S)
    value = bound.value(p)[0]
    for _ in range(4):
        p, before = m_step(bound, p, model)
        assert before == pytest.approx(value, rel=1e-12)
        new = bound.value(p)[0]
        assert new >= value - 1e-9 * abs(value)
        value = new


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kernel", KERNELS)
def test_an_exact_e_step_never_lowers_the_bound(kernel, seed):
    Y, p, S = problem(kernel, seed=seed)
    data = observe(Y)
    for _ in range(5):
        before, factors = Bound(KERNELS[kernel], data, S, active=0.0).value(p)
        S = expectation(KERNELS[kernel], data, p, factors, negligible=np.finfo(float).tiny)
        after, _ = Bound(KERNELS[kernel], data, S, active=0.0).value(p)
        assert after >= before - 1e-9 * abs(before)


def test_without_experts_the_responsibilities_follow_from_the_latent_points_alone():
    iris = load("iris").Y
    fits = [kind(3, max_iter=3, random_state=0).fit(iris) for kind in (SGPMIC, WithoutExperts)]
    own = [
        multivariate_normal(mean, covariance).logpdf(fits[1].embedding_)
        for mean, covariance in zip(fits[1].means_, fits[1].covariances_, strict=True)
    ]
    expected = softmax(np.transpose(own), axis=1)  # the weights are equal
    assert fits[1].responsibilities_ == pytest.approx(expected, abs=1e-6)
    assert np.abs(fits[0].responsibilities_ - fits[1].responsibilities_).max() > 0.3


@pytest.mark.parametrize("optimizer", ["scg", "lbfgs"])
def test_gradient_steps_of_the_prior_raise_the_bound_and_keep_it_valid(optimizer):
    model = SGPMIC(covariance_type="full", optimizer=optimizer, optimizer_steps=5)
    model.set_params(learn_noise=True, prior_by_gradient=True)
    Y, p, S = problem("rbf")
    first, bound = p, Bound(KERNELS["rbf"], observe(Y), S)
    value = bound.value(p)[0]
    for _ in range(3):
        p = m_step(bound, p, model)[0]
        new = bound.value(p)[0]
        assert new > value
        value = new
    assert not np.allclose(p.prior.means, first.prior.means)
    assert not np.allclose(p.prior.covariances, first.prior.covariances)
    np.testing.assert_array_equal(p.prior.covariances, p.prior.covariances.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(p.prior.covariances).min() > 0.0
    np.testing.assert_array_equal(p.prior.weights, first.prior.weights)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_bound_can_be_recomputed_from_the_public_attributes(kernel):
    Y = load("wine").Y[::2]
    model = SGPMIC(3, 2, kernel=kernel, n_inducing=20, max_iter=5, random_state=0).fit(Y)
    points = model.embedding_, model.inducing_points_
    S, beta = np.maximum(model.responsibilities_, 1e-12), 1.0 / model.noise_variances_[0]
    prior = kernel, model.kernel_params_, model.weights_, model.means_, model.covariances_
    scaled = (Y - model.offset_) / model.scale_
    expected = reference.kl_corrected_bound(scaled, *points, S, beta, *prior)
    assert model.lower_bound_ == pytest.approx(expected, rel=1e-8)


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
