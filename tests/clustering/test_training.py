"""The variational EM of the map: no step lowers the bound, on either backend."""

import numpy as np
import pytest

from sgpmic_cli.clustering.clusters.missing_values import fit_gaussian, impute
from sgpmic_cli.clustering.map import training
from sgpmic_cli.clustering.map.backend import NUMPY, torch_backend
from sgpmic_cli.clustering.map.latent_mixture import mixture_bound
from sgpmic_cli.clustering.map.shared_process import log_prior
from sgpmic_cli.clustering.map.training import MapFitter, fit_map, remaining_gain, start_map
from sgpmic_cli.row_blocks import ALONE


def fitter(Y, backend=NUMPY):
    """Return the start of a fit with random probabilities."""
    Y = (Y - np.nanmean(Y, axis=0)) / np.nanstd(Y, axis=0)
    mask = np.isnan(Y) if np.isnan(Y).any() else None
    if mask is not None:
        Y = impute(fit_gaussian(Y, np.ones(Y.shape[1], dtype=bool)), Y)
    S = np.random.RandomState(0).dirichlet(np.ones(3), len(Y))
    return MapFitter(Y, mask, S, start_map(Y, 2, 8, 0), backend, ALONE)


def bound(fit):
    p = fit.parameters
    latent = mixture_bound(np, fit.S, p.mu, p.log_s, fit.mixture)
    return fit.process().bound + log_prior(p) + latent + fit.missing_entropy


@pytest.mark.parametrize("table", ["iris", "iris_gaps"])
def test_neither_step_lowers_the_bound(table, request):
    fit = fitter(request.getfixturevalue(table))
    values = [bound(fit)]
    for _ in range(5):
        fit.m_step(4)
        values.append(bound(fit))
        assert fit.e_step() == pytest.approx(values[-1], rel=1e-12)
        values.append(bound(fit))
    assert np.diff(values).min() >= -1e-9
    assert values[-1] > values[0] + 10.0


def test_an_m_step_climbs_the_gradient_of_its_objective(iris, monkeypatch):
    found = []
    monkeypatch.setattr(training, "climb", lambda objective, x, *_: found.append(objective) or x)
    fit = fitter(iris[::5])
    fit.m_step(1)
    (objective,), x = found, fit.parameters.pack(NUMPY)
    direction = np.random.RandomState(0).standard_normal(len(x))
    slope = (objective(x + 1e-5 * direction)[0] - objective(x - 1e-5 * direction)[0]) / 2e-5
    assert objective(x)[1] @ direction == pytest.approx(slope, rel=1e-5)


def test_an_e_step_changes_missing_values_only(iris_gaps):
    fit = fitter(iris_gaps)
    before = fit.Y.copy()
    fit.m_step(4)
    fit.e_step()
    np.testing.assert_array_equal(before != fit.Y, np.isnan(iris_gaps))


@pytest.mark.filterwarnings("error")
def test_a_far_trial_point_is_rejected_without_a_warning(iris, monkeypatch):
    values = []

    def far(objective, x, *_):
        values.append(objective(x + 1000.0)[0])
        return x

    monkeypatch.setattr(training, "climb", far)
    fitter(iris).m_step(1)
    assert not np.isfinite(values).any()


@pytest.mark.parametrize("table", ["iris", "iris_gaps"])
def test_pytorch_gives_the_same_fit(table, request):
    pytest.importorskip("torch")
    Y = request.getfixturevalue(table)
    ours, theirs = (fit_map(fitter(Y, own), 2, 2, 0.0) for own in (NUMPY, torch_backend("cpu")))
    np.testing.assert_allclose(theirs.bounds, ours.bounds, rtol=1e-7)
    for one, other in zip(ours.parameters, theirs.parameters, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-6)


def test_the_remaining_gain_of_geometric_gains_is_exact():
    bounds = [-5.0 * 0.9**i for i in range(9)]
    assert remaining_gain(bounds) == pytest.approx(-bounds[-1])
    assert remaining_gain(bounds[:6]) == np.inf
    assert remaining_gain([0.1 * bound for bound in bounds]) == pytest.approx(-0.1 * bounds[-1])
    assert remaining_gain([0.0] * 9) == 0.0
    # It is at least the last gain: gains that decay fast once may be a coincidence.
    bounds = [-5.0 * 0.5**i for i in range(9)]
    assert remaining_gain(bounds) == pytest.approx(bounds[-1] - bounds[-4])
    assert remaining_gain([*bounds[:6], -3.0, -3.0, -3.0]) == 0.0
