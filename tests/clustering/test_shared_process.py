"""The bound of the shared process against dense algebra, central differences."""

import numpy as np
import pytest
from central_differences import central_differences
from scipy.stats import multivariate_normal

from sgpmic_cli.clustering.map import shared_process as process
from sgpmic_cli.clustering.map.latent_mixture import LatentPrior
from sgpmic_cli.row_blocks import ALONE, workers


def problem(q=2, n=30, p=4, k=5):
    rng = np.random.RandomState(q)
    parameters = process.MapParameters(
        mu=rng.standard_normal((n, q)),
        log_s=rng.standard_normal((n, q)) - 2.0,
        Z=rng.standard_normal((k, q)),
        log_v=np.array([0.3]),
        log_g=0.2 * rng.standard_normal(q),
        log_l=np.array([-0.5]),
        log_noise=np.array([-1.0]),
    )
    return rng.standard_normal((n, p)), parameters


def latent_part(p):
    """Return random coefficients of a latent prior."""
    rng, (n, q) = np.random.RandomState(9), p.mu.shape
    L = rng.standard_normal((q, q, n))
    return LatentPrior(L + L.transpose(1, 0, 2), rng.standard_normal((q, n)), np.arange(float(n)))


def evaluate(Y, p, threads=ALONE):
    return process.bound_and_gradient(Y, np.sum(Y**2), p, LatentPrior(*latent_part(p)), threads)


def dense_bound(Y, p):
    """Return log N(Y | 0, Q_ff + noise) of weighted cubature points minus the trace term."""
    (n, columns), q = Y.shape, p.mu.shape[1]
    points = process.cubature_points(p.mu, np.exp(p.log_s)).reshape(q, -1).T
    weight, beta = 1.0 / (2 * q), np.exp(-p.log_noise[0])
    v, g, linear = np.exp(p.log_v[0]), np.exp(p.log_g), np.exp(p.log_l[0])

    def kernel(A, B):
        squares = np.sum(g * (A[:, None] - B) ** 2, axis=2)
        return v * np.exp(-0.5 * squares) + linear * A @ B.T

    Kfu = kernel(points, p.Z)
    Kuu = kernel(p.Z, p.Z) + process.KERNEL_JITTER * (v + linear) * np.eye(len(p.Z))
    Qff = Kfu @ np.linalg.solve(Kuu, Kfu.T)
    noise = 1.0 / (beta * weight)  # variance of an observation with this weight
    normal = multivariate_normal(np.zeros(len(points)), Qff + noise * np.eye(len(points)))
    value = normal.logpdf(np.tile(Y, (2 * q, 1)).T).sum()
    value += 0.5 * columns * len(points) * np.log(2 * np.pi * noise)
    value -= 0.5 * columns * n * np.log(2 * np.pi / beta)
    own = v + linear * np.sum(points**2, axis=1)
    trace = 0.5 * beta * weight * columns * np.sum(own - np.diag(Qff))
    L, h, c = latent_part(p)
    spread = np.einsum("nq,nr->qrn", p.mu, p.mu) + np.exp(p.log_s).T * np.eye(q)[:, :, None]
    latent = np.sum(c) + np.sum(h.T * p.mu) - 0.5 * np.sum(L * spread) + 0.5 * np.sum(p.log_s)
    return value - trace + process.log_prior(p) + latent


@pytest.mark.parametrize("q", [1, 2, 3])
def test_the_bound_is_that_of_dense_algebra(q):
    Y, p = problem(q)
    assert evaluate(Y, p)[0] == pytest.approx(dense_bound(Y, p), rel=1e-9)


@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("name", process.MapParameters._fields)
def test_the_gradient_is_that_of_central_differences(name, q):
    Y, p = problem(q, n=12)
    found = getattr(evaluate(Y, p)[1], name)
    numeric = central_differences(lambda: evaluate(Y, p)[0], getattr(p, name))
    np.testing.assert_allclose(found, numeric, rtol=1e-5, atol=1e-5)


def test_blocks_and_threads_do_not_change_the_bound(monkeypatch):
    monkeypatch.setattr("sgpmic_cli.row_blocks.WORTHWHILE", 0)
    Y, p = problem()
    whole = evaluate(Y, p)
    monkeypatch.setattr(process, "BLOCK", 7)
    alone = evaluate(Y, p)
    with workers(3) as threads:
        together = evaluate(Y, p, threads)
    assert alone[0] == pytest.approx(whole[0], rel=1e-12)
    for one, other, third in zip(whole[1], alone[1], together[1], strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(other, third)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_cubature_approaches_the_exact_expectations(q):
    """The error falls with the square of the latent variances; the linear part is exact."""
    _, p = problem(q)
    v, g, linear = np.exp(p.log_v), np.exp(p.log_g), np.exp(p.log_l)
    Z, mu, errors = p.Z, p.mu, []
    for variance in (1e-2, 1e-3):
        s = np.full(mu.shape, variance)
        own = p._replace(log_s=np.log(s))
        found = process.sufficient_statistics(process.CubaturePoints(own), np.eye(len(mu)))
        wide = 1.0 + g * s[:, None]  # (n, 1, Q)
        away = np.sum(g * (mu[:, None] - Z) ** 2 / wide, axis=2)
        psi = v * np.exp(-0.5 * away) / np.sqrt(np.prod(wide, axis=2))
        tilted = (mu[:, None] + g * s[:, None] * Z) / wide  # mean of q(x) rbf(x, z) / psi
        mixed = linear * np.einsum("nk,nkq,lq->kl", psi, tilted, Z)
        between = np.sum(0.25 * g * (Z[:, None] - Z) ** 2, axis=2)
        middle = mu[:, None, None] - 0.5 * (Z[:, None] + Z)
        wider = 1.0 + 2.0 * g * s[:, None, None]
        curved = np.exp(-between - np.sum(g * middle**2 / wider, axis=3))
        curved = v**2 * np.sum(curved / np.sqrt(np.prod(wider, axis=3)), axis=0)
        straight = linear**2 * Z @ (mu.T @ mu + np.diag(s.sum(axis=0))) @ Z.T
        exact = curved + mixed + mixed.T + straight
        errors.append(np.abs(found.Phi - exact).max() / np.abs(exact).max())
        np.testing.assert_allclose(found.PsiY.T, psi + linear * mu @ Z.T, atol=variance**2 * 50)
    assert errors[1] < 1e-5
    assert errors[1] < 0.02 * errors[0]
