"""A first guess at entries that were not seen: their expectation under one Gaussian for all rows.

The guess is what the clusterings of the committee and the latent start see; the model then replaces it round by round
by its own expectation (`em.fill`). Mean and covariance are learned from the rows with holes themselves, by EM.
"""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Switches

ROUNDS = 15
RIDGE = 0.4  # times columns over rows: the share of the mean variance on the diagonal, since columns may be copies


class Gaussian(NamedTuple):
    """Mean (P,) and covariance (P, P) of the rows."""

    mean: Array
    covariance: Array


def learn(Y: Array) -> Gaussian:
    """One Gaussian from rows with NaN for what was not seen."""
    holes = np.isnan(Y)
    mean = np.nanmean(Y, axis=0)
    spread = np.nanvar(Y, axis=0)
    guess = Gaussian(mean, np.diag(np.maximum(spread, 1e-12)))
    for _ in range(ROUNDS):
        filled, left = _expect(Y, holes, guess)
        mean = filled.mean(axis=0)
        centred = filled - mean
        covariance = (centred.T @ centred + left) / len(Y)
        covariance += RIDGE / len(Y) * np.trace(covariance) * np.eye(len(covariance))
        guess = Gaussian(mean, covariance)
    return guess


def filled_by(guess: Gaussian, Y: Array) -> Array:
    """Rows with the expectation of what was not seen."""
    return _expect(Y, np.isnan(Y), guess)[0]


def _expect(Y: Array, holes: Switches, guess: Gaussian) -> tuple[Array, Array]:
    """Filled rows, and the sum of the covariances that the holes leave (P, P)."""
    filled, left = np.where(holes, guess.mean, Y), np.zeros_like(guess.covariance)
    for n in np.flatnonzero(holes.any(axis=1)):
        gone, here = np.flatnonzero(holes[n]), np.flatnonzero(~holes[n])
        inner = guess.covariance[np.ix_(gone, gone)]
        if len(here):
            solved = np.linalg.solve(guess.covariance[np.ix_(here, here)], guess.covariance[np.ix_(here, gone)])
            filled[n, gone] += (Y[n, here] - guess.mean[here]) @ solved
            inner = inner - guess.covariance[np.ix_(gone, here)] @ solved
        left[np.ix_(gone, gone)] += inner
    return filled, left
