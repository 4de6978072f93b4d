"""Entries that were not seen: what a Gaussian expects in their place, and one Gaussian learned from rows with holes.

Of a Gaussian with precision matrix L, the entries g that a row lacks have, given those that it has, the covariance
L_gg^-1 and the mean m_g - L_gg^-1 (L d)_g, where d is what was seen less its mean and zero in the holes. Rows that lack
the same entries share the inverse.

The expectation under one Gaussian for all rows is what the clusterings of the committee and the latent start see; the
model then replaces it round by round by its own (`em.fill`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices, Switches

ROUNDS = 15
RIDGE = 0.4  # times columns over rows: the share of the mean variance on the diagonal, since columns may be copies
BLOCK = 4096  # rows that are dealt with at once


class Gaussian(NamedTuple):
    """Mean (P,) and covariance (P, P) of the rows."""

    mean: Array
    covariance: Array


class Patterns(NamedTuple):
    """Holes (N, P), which of the U patterns each row has (N,), and the gone columns of each (U, G), padded."""

    holes: Switches
    of_row: Indices
    gone: Indices
    is_gone: Switches  # (U, G), False for the padding


class Expected(NamedTuple):
    """Filled rows (N, P), the covariances that holes leave (U, G, G), and the log density of what was seen (N,)."""

    filled: Array
    left: Array
    log_density: Array


def patterns_of(holes: Switches) -> Patterns:
    """The different patterns among rows of holes."""
    distinct, of_row = np.unique(holes, axis=0, return_inverse=True)
    most = int(distinct.sum(axis=1).max())
    gone = np.argsort(~distinct, axis=1, kind="stable")[:, :most]
    return Patterns(holes, of_row.ravel(), gone, np.take_along_axis(distinct, gone, axis=1))


def expect(Y: Array, patterns: Patterns, guess: Gaussian) -> Expected:
    """What a Gaussian makes of rows; the values of Y in the holes are not looked at."""
    holes, of_row, gone, is_gone = patterns
    precision = np.linalg.inv(guess.covariance)
    both = is_gone[:, :, None] & is_gone[:, None, :]
    inner = np.where(both, precision[gone[:, :, None], gone[:, None, :]], np.eye(gone.shape[1]))
    left = np.linalg.inv(inner)
    away = np.where(holes, 0.0, Y - guess.mean)
    pull = away @ precision
    own, is_own = gone[of_row], is_gone[of_row]
    pull_gone = np.where(is_own, np.take_along_axis(pull, own, axis=1), 0.0)
    move = np.einsum("nij,nj->ni", left[of_row], pull_gone)
    filled = np.where(holes, guess.mean, Y)
    np.put_along_axis(filled, own, np.take_along_axis(filled, own, axis=1) - move, axis=1)  # padding moves by zero
    distance = np.sum(away * pull, axis=1) - np.sum(pull_gone * move, axis=1)
    volume = np.linalg.slogdet(guess.covariance)[1] + np.linalg.slogdet(inner)[1][of_row]
    seen = np.count_nonzero(~holes, axis=1)
    return Expected(filled, left, -0.5 * (distance + volume + seen * np.log(2.0 * np.pi)))


def summed(patterns: Patterns, left: Array, weights: Array) -> Array:
    """Covariances that the holes leave, summed over rows with weights (N,): (P, P)."""
    _, of_row, gone, is_gone = patterns
    p = patterns.holes.shape[1]
    own = np.bincount(of_row, weights, len(gone))
    both = is_gone[:, :, None] & is_gone[:, None, :]
    places = (gone[:, :, None] * p + gone[:, None, :]).ravel()
    total = np.bincount(places, np.where(both, left * own[:, None, None], 0.0).ravel(), p * p)
    return np.asarray(total, dtype=np.float64).reshape(p, p)


def learn(Y: Array) -> Gaussian:
    """One Gaussian from rows with NaN for what was not seen, by EM."""
    blocks = list(_blocks(Y))
    guess = Gaussian(np.nanmean(Y, axis=0), np.diag(np.maximum(np.nanvar(Y, axis=0), 1e-12)))
    for _ in range(ROUNDS):
        filled, left = np.empty_like(Y), np.zeros((Y.shape[1], Y.shape[1]))
        for rows, patterns in blocks:
            found = expect(Y[rows], patterns, guess)
            filled[rows] = found.filled
            left += summed(patterns, found.left, np.ones(len(found.filled)))
        mean = filled.mean(axis=0)
        centred = filled - mean
        covariance = (centred.T @ centred + left) / len(Y)
        covariance += RIDGE / len(Y) * np.trace(covariance) * np.eye(len(covariance))
        guess = Gaussian(mean, covariance)
    return guess


def filled_by(guess: Gaussian, Y: Array) -> Array:
    """Rows with the expectation of what was not seen."""
    filled = np.empty_like(Y)
    for rows, patterns in _blocks(Y):
        filled[rows] = expect(Y[rows], patterns, guess).filled
    return filled


def _blocks(Y: Array) -> Iterator[tuple[slice, Patterns]]:
    for begin in range(0, len(Y), BLOCK):
        rows = slice(begin, begin + BLOCK)
        yield rows, patterns_of(np.isnan(Y[rows]))
