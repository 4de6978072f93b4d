"""The variational EM of the map: no step lowers the bound."""

import numpy as np
import pytest

from sgpmic_cli.clustering.map.latent_mixture import mixture_bound
from sgpmic_cli.clustering.map.shared_process import log_prior
from sgpmic_cli.clustering.map.training import (
    MapFitter,
    principal_components,
    remaining_gain,
    start_map,
)
from sgpmic_cli.clustering.missing_values import fit_gaussian, impute


def fitter(Y):
    """Return the start of a fit with random probabilities."""
    Y = (Y - np.nanmean(Y, axis=0)) / np.nanstd(Y, axis=0)
    mask = np.isnan(Y) if np.isnan(Y).any() else None
    if mask is not None:
        Y = impute(fit_gaussian(Y, np.ones(Y.shape[1], dtype=bool)), Y)
    S = np.random.RandomState(0).dirichlet(np.ones(3), len(Y))
    return MapFitter(Y, mask, S, start_map(principal_components(Y, 2), 8, 0))


def bound(fit):
    p = fit.parameters
    latent = mixture_bound(fit.S, p.mu, p.log_s, fit.mixture)
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


def test_an_e_step_changes_missing_values_only(iris_gaps):
    fit = fitter(iris_gaps)
    before = fit.Y.copy()
    fit.m_step(4)
    fit.e_step()
    np.testing.assert_array_equal(before != fit.Y, np.isnan(iris_gaps))


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
