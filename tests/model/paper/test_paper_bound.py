"""The bound against dense N x N algebra, its gradients against central differences, and the laws it must obey."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from random_problem import FORMS, KERNELS, problem
from standard_bound import standard_bound

from sgpmic_cli.model.paper.bound import JITTER, Bound, Parameters, expectation, observe
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.model.paper.mixture import mixture


def dense(kernel, Y, p, S, function=reference.kl_corrected_bound):
    params = [
        {
            "variance": np.exp(t[0]),
            "gamma": np.exp(t[1:-2]),
            "bias": np.exp(t[-2]),
            "white": np.exp(t[-1]),
        }
        for t in p.theta
    ]
    kind = "linear" if kernel == "linear" else "rbf"
    prior = p.prior
    return function(
        Y, p.X, p.Z, S, p.beta, kind, params, prior.weights, prior.means, prior.covariances
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("kernel", KERNELS)
def test_bound_equals_dense_algebra(kernel, concentration, form):
    Y, p, S = problem(kernel, form, concentration)
    ours, _ = Bound(KERNELS[kernel], observe(Y), S, len(p.Z), active=0.0).value(p)
    assert ours == pytest.approx(dense(kernel, Y, p, S), rel=1e-8)


@pytest.mark.parametrize("way", ["all components at once", "one by one"])
@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("kernel", KERNELS)
def test_e_step_equals_dense_algebra(kernel, concentration, way, monkeypatch):
    if way == "one by one":  # as where rows are many
        monkeypatch.setattr("sgpmic_cli.model.paper.bound.E_STEP_BYTES", 0)
    Y, p, S = problem(kernel, concentration=concentration)
    data = observe(Y)
    _, factors = Bound(KERNELS[kernel], data, S, len(p.Z), active=0.0).value(p)
    found, wanted = (
        expectation(KERNELS[kernel], data, p, factors),
        dense(kernel, Y, p, S, reference.responsibilities),
    )
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradients_by_central_differences(kernel, concentration, form):
    Y, p, S = problem(kernel, form, concentration, n=15, k=5)
    bound = Bound(KERNELS[kernel], observe(Y), S, len(p.Z), active=0.0)
    _, dX, dZ, dtheta, dbeta = bound.value_and_gradient(p)
    step = 1e-5
    for name, gradient in {"X": dX, "Z": dZ, "theta": dtheta}.items():
        numeric = np.zeros_like(gradient)
        for index in np.ndindex(gradient.shape):
            moved = np.zeros_like(gradient)
            moved[index] = step
            above = bound.value(replace(p, **{name: getattr(p, name) + moved}))[0]
            below = bound.value(replace(p, **{name: getattr(p, name) - moved}))[0]
            numeric[index] = (above - below) / (2 * step)
        np.testing.assert_allclose(
            gradient, numeric, rtol=1e-5, atol=1e-5 * np.abs(numeric).max(), err_msg=name
        )
    above = bound.value(replace(p, log_beta=p.log_beta + step))[0]
    below = bound.value(replace(p, log_beta=p.log_beta - step))[0]
    assert dbeta == pytest.approx((above - below) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_white_on_every_element_is_a_second_bias(kernel):
    Y, p, S = problem(kernel, n=15, k=5)
    everywhere = replace(p, white_everywhere=True)
    summed = p.theta.copy()
    summed[:, -2], summed[:, -1] = np.logaddexp(p.theta[:, -2], p.theta[:, -1]), np.log(JITTER)
    bound = Bound(KERNELS[kernel], observe(Y), S, len(p.Z), active=0.0)
    assert bound.value(everywhere)[0] == pytest.approx(
        dense(kernel, Y, replace(p, theta=summed), S), rel=1e-7
    )
    gradient = bound.value_and_gradient(everywhere)[3]
    for index in np.ndindex(gradient.shape):
        moved = np.zeros_like(gradient)
        moved[index] = 1e-5
        above, below = (
            bound.value(replace(everywhere, theta=p.theta + s * moved))[0] for s in (1, -1)
        )
        # Differences of the linear kernel, whose K_uu has rank two beside the jitter, have few digits.
        assert gradient[index] == pytest.approx((above - below) / 2e-5, rel=1e-3, abs=1e-2)


def test_the_noise_is_held_at_its_limit():
    Y, p, S = problem("rbf")
    bound = Bound(KERNELS["rbf"], observe(Y), S, len(p.Z))
    assert bound.value_and_gradient(replace(p, log_beta=36.0))[4] == 0.0
    assert bound.value_and_gradient(replace(p, log_beta=1.0))[4] != 0.0


def test_inducing_inputs_at_the_data_give_the_full_process():
    """Z = X and one component: DTC loses nothing but the white noise, which here is next to none."""
    Y, p, _ = problem("rbf", n=20, m=1)
    p = replace(p, Z=p.X.copy())
    p.theta[:, -1] = np.log(1e-9)
    S = np.ones((20, 1))
    value, _ = Bound(RBF(), observe(Y), S, 20, active=0.0).value(p)
    latent = (
        reference.multivariate_normal(p.prior.means[0], p.prior.covariances[0]).logpdf(p.X).sum()
    )
    variance, gamma, bias, _ = np.exp(p.theta[0])
    params = {"variance": variance, "gamma": gamma, "bias": bias, "white": 0.0}
    full = reference.full_gp_log_likelihood(Y, p.X, "rbf", params, 1.0 / p.beta)
    assert value - latent - np.log(p.prior.weights[0]) * 20 == pytest.approx(full, rel=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_kl_corrected_is_never_below_the_standard_bound(kernel):
    for seed in range(5):
        Y, p, S = problem(kernel, seed=seed)
        other = problem(kernel, concentration=0.3, seed=seed + 100)[2]
        data = observe(Y)
        corrected, _ = Bound(KERNELS[kernel], data, S, len(p.Z), active=0.0).value(p)
        assert standard_bound(KERNELS[kernel], data, p, S, other) < corrected
        assert standard_bound(KERNELS[kernel], data, p, S, S) == pytest.approx(corrected, rel=1e-10)


def test_leaving_out_faint_points_changes_little():
    """Points below the threshold hold, together, less than their share of the responsibility."""
    Y, p, S = problem("rbf", concentration=0.05, n=200)
    data = observe(Y)
    exact = Bound(RBF(), data, S, len(p.Z), active=0.0).value_and_gradient(p)
    skipped = Bound(RBF(), data, S, len(p.Z)).value_and_gradient(p)
    left_out = np.where(S < 1e-3, S, 0.0).sum()
    assert 0 < left_out < 0.1
    # Each left-out point weighs at most P/2 |log(beta/2pi)| + beta/2 |y|^2 in the bound.
    weight = 0.5 * 5 * abs(np.log(p.beta / (2 * np.pi))) + 0.5 * p.beta * data.squares.max()
    assert abs(exact[0] - skipped[0]) <= left_out * weight
    for whole, part in zip(exact[1:4], skipped[1:4], strict=True):
        assert np.abs(whole - part).max() <= 0.02 * np.abs(whole).max()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_component_without_points_is_left_out_of_the_bound_and_can_come_back(kernel):
    Y, p, S = problem(kernel, "spherical")
    S[:, 1] = 1e-40
    S /= S.sum(axis=1, keepdims=True)
    Y[:20] *= 1e-3  # a prediction of zero suits these, and none of the others
    Y[20:] += 40.0
    data = observe(Y)
    bound = Bound(KERNELS[kernel], data, S, len(p.Z))
    value, factors = bound.value(p)
    assert [f.idle for f in factors] == [False, True, False]
    # Dense algebra at 1e-40 loses the digits that the cancelled form keeps, so two components stand for three.
    rest = Parameters(
        p.X, p.Z, p.theta[[0, 2]], p.log_beta, mixture(*(part[[0, 2]] for part in p.prior[:3]))
    )
    without = Bound(KERNELS[kernel], data, S[:, [0, 2]], len(p.Z))
    assert value == pytest.approx(without.value(rest)[0], rel=1e-12)
    gradients, expected = bound.value_and_gradient(p)[1:], without.value_and_gradient(rest)[1:]
    for ours, wanted in zip(gradients[:2], expected[:2], strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(gradients[2][1], 0.0)
    everything = [replace(f, idle=False) for f in factors]
    ours = expectation(KERNELS[kernel], data, p, factors)
    np.testing.assert_allclose(
        ours, expectation(KERNELS[kernel], data, p, everything), rtol=1e-12, atol=1e-40
    )
    assert ours[:20, 1].min() > 1e-6
    assert (ours[20:, 1] == 0.0).any()


def test_more_columns_than_rows_enter_through_their_inner_products():
    Y, p, S = problem("rbf", n=20, p=60)
    whole = Bound(RBF(), replace(observe(Y), Y=Y), S, len(p.Z)).value_and_gradient(p)
    factored = Bound(RBF(), observe(Y), S, len(p.Z)).value_and_gradient(p)
    assert observe(Y).Y.shape == (20, 20)
    for a, b in zip(whole, factored, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(a).max())


def test_blocks_and_kept_matrices_do_not_change_the_result(monkeypatch):
    Y, p, S = problem("rbf", n=500)
    one_block = Bound(RBF(), observe(Y), S, len(p.Z)).value_and_gradient(p)
    monkeypatch.setattr("sgpmic_cli.model.paper.dtc.BLOCK_BYTES", 8 * len(p.Z) * 70)
    monkeypatch.setattr("sgpmic_cli.model.paper.dtc.KEPT_BYTES", 0)
    blocks = Bound(RBF(), observe(Y), S, len(p.Z)).value_and_gradient(p)
    for a, b in zip(one_block, blocks, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * np.abs(a).max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_after_the_best_evaluation_only_the_prior_is_new(kernel):
    Y, p, S = problem(kernel)
    worse = replace(p, X=5.0 * p.X)
    bound = Bound(KERNELS[kernel], observe(Y), S, len(p.Z))
    moved = replace(p, prior=p.prior._replace(weights=np.array([0.2, 0.3, 0.5])))
    for at in (p, worse):
        bound.value_and_gradient(at)
    bound.components = []  # whoever asks them again has not remembered
    value, factors = bound.value(moved)
    expected, fresh = Bound(KERNELS[kernel], observe(Y), S, len(p.Z)).value(moved)
    assert value == expected
    for ours, theirs in zip(factors, fresh, strict=True):
        np.testing.assert_array_equal(ours.W, theirs.W)
