"""The bound against dense N x N algebra, and its gradients against central differences."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import reference
from central_differences import central_differences
from random_problem import FORMS, KERNELS, problem

from sgpmic_cli.paper.model.bound import JITTER, Bound, Parameters, observe
from sgpmic_cli.paper.model.em import expectation
from sgpmic_cli.paper.model.kernels import RBF, named
from sgpmic_cli.paper.model.mixture import mixture


def dense(kernel, Y, p, S, function=reference.kl_corrected_bound):
    params = [named(row) for row in p.theta]
    return function(Y, p.X, p.Z, S, p.beta, kernel, params, *p.prior[:3])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("kernel", KERNELS)
def test_bound_equals_dense_algebra(kernel, concentration, form):
    Y, p, S = problem(kernel, form, concentration)
    ours, _ = Bound(KERNELS[kernel], observe(Y), S, active=0.0).value(p)
    assert ours == pytest.approx(dense(kernel, Y, p, S), rel=1e-8)


@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("kernel", KERNELS)
def test_e_step_equals_dense_algebra(kernel, concentration):
    Y, p, S = problem(kernel, concentration=concentration)
    data = observe(Y)
    _, factors = Bound(KERNELS[kernel], data, S, active=0.0).value(p)
    found = expectation(KERNELS[kernel], data, p, factors)
    np.testing.assert_allclose(found, dense(kernel, Y, p, S, reference.responsibilities), atol=1e-9)


@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradients_by_central_differences(kernel, concentration):
    Y, p, S = problem(kernel, "full", concentration, n=15, k=5)
    bound = Bound(KERNELS[kernel], observe(Y), S, active=0.0)
    _, dX, dZ, dtheta, dbeta = bound.value_and_gradient(p)

    def value(name, x):
        return bound.value(replace(p, **{name: x}))[0]

    for name, gradient in {"X": dX, "Z": dZ, "theta": dtheta, "log_beta": np.array(dbeta)}.items():
        x = np.array(getattr(p, name))
        numeric = central_differences(partial(value, name, x), x)
        atol = 1e-5 * np.abs(numeric).max()
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=atol, err_msg=name)


@pytest.mark.parametrize("kernel", KERNELS)
def test_white_on_every_element_acts_as_a_second_bias(kernel):
    Y, p, S = problem(kernel, n=15, k=5)
    everywhere = replace(p, white_everywhere=True)
    summed = p.theta.copy()
    summed[:, -2], summed[:, -1] = np.logaddexp(p.theta[:, -2], p.theta[:, -1]), np.log(JITTER)
    bound = Bound(KERNELS[kernel], observe(Y), S, active=0.0)
    assert bound.value(everywhere)[0] == pytest.approx(
        dense(kernel, Y, replace(p, theta=summed), S), rel=1e-7
    )
    gradient = bound.value_and_gradient(everywhere)[3]
    theta = everywhere.theta
    numeric = central_differences(
        lambda: bound.value(replace(everywhere, theta=theta))[0], theta, 1e-4
    )
    # K_uu of the linear kernel has rank two plus jitter, so its differences have few digits.
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("weight", [0.0, 1e-40])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_component_without_rows_does_not_change_the_bound_and_can_return(kernel, weight):
    Y, p, S = problem(kernel, "spherical")
    S[:, 1] = weight
    S /= S.sum(axis=1, keepdims=True)
    Y[:20] *= 1e-3  # the prediction of the empty component, zero, suits only these rows
    Y[20:] += 40.0
    data = observe(Y)
    bound = Bound(KERNELS[kernel], data, S)
    value, factors = bound.value(p)
    # Dense algebra at 1e-40 loses digits, so a mixture of two components is the reference.
    rest = Parameters(
        p.X, p.Z, p.theta[[0, 2]], p.log_beta, mixture(*(part[[0, 2]] for part in p.prior[:3]))
    )
    without = Bound(KERNELS[kernel], data, S[:, [0, 2]])
    assert value == pytest.approx(without.value(rest)[0], rel=1e-12)
    gradients, expected = bound.value_and_gradient(p)[1:], without.value_and_gradient(rest)[1:]
    for ours, wanted in zip(gradients[:2], expected[:2], strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(gradients[2][1], 0.0, atol=1e-30)
    ours = expectation(KERNELS[kernel], data, p, factors)
    assert ours[:20, 1].min() > 1e-6
    assert (ours[20:, 1] == 0.0).any()


def test_more_columns_than_rows_enter_through_their_inner_products():
    Y, p, S = problem("rbf", n=20, p=60)
    whole = Bound(RBF(), observe(Y)._replace(Y=Y), S).value_and_gradient(p)
    factored = Bound(RBF(), observe(Y), S).value_and_gradient(p)
    assert observe(Y).Y.shape == (20, 20)
    for a, b in zip(whole, factored, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(a).max())


def test_components_of_a_stack_are_cut_at_its_rows(monkeypatch):
    """Components that span several stacks, and stacks of several components, change no number."""
    Y, p, S = problem("rbf")
    whole = Bound(KERNELS["rbf"], observe(Y), S).value_and_gradient(p)
    monkeypatch.setattr("sgpmic_cli.paper.model.bound.BLOCK", 25)
    bound = Bound(KERNELS["rbf"], observe(Y), S)
    assert len(bound.stacks) > 2
    assert any(len(stack.places) > 1 for stack in bound.stacks)
    for a, b in zip(whole, bound.value_and_gradient(p), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * np.abs(a).max())
