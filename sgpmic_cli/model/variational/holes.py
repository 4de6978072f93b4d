"""Entries that were not seen: what a Gaussian expects in their place, and one Gaussian learned from rows with holes.

Of a Gaussian with precision matrix L, the entries g that a row lacks have, given those that it has, the covariance
L_gg^-1 and the mean m_g - L_gg^-1 (L d)_g, where d is what was seen less its mean and zero in the holes.

The expectation under one Gaussian for all rows is what the clusterings of the committee and the latent start see; the
model then replaces it round by round by its own (`em.fill`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices, BoolArray

ROUNDS = 15
RIDGE = 0.4  # times columns over rows: the share of the mean variance on the diagonal, since columns may be copies
BLOCK = 4096  # rows that are dealt with at once


class Gaussian(NamedTuple):
    """Mean (P,) and covariance (P, P) of the rows."""

    mean: Array
    covariance: Array


class Group(NamedTuple):
    """Rows (n,) that lack the same number k of entries, and the columns that each lacks (n, k)."""

    rows: Indices
    gone: Indices


class Holes(NamedTuple):
    """Where rows have holes (N, P), and the rows with any in groups."""

    where: BoolArray
    groups: list[Group]


class Expected(NamedTuple):
    """Filled rows (N, P), the log density of what was seen (N,), and the covariances that holes leave, by group."""

    filled: Array
    log_density: Array
    left: list[Array]  # (n, k, k) each


def grouped(where: BoolArray) -> Holes:
    """The rows with holes by their number."""
    counts = where.sum(axis=1)
    groups = []
    for k in np.unique(counts[counts > 0]):
        rows = np.flatnonzero(counts == k)
        groups.append(Group(rows, np.nonzero(where[rows])[1].reshape(-1, int(k))))
    return Holes(where, groups)


def expect(Y: Array, holes: Holes, guess: Gaussian) -> Expected:
    """What a Gaussian makes of rows; the values of Y in the holes are not looked at."""
    precision = np.linalg.inv(guess.covariance)
    away = np.where(holes.where, 0.0, Y - guess.mean)
    pull = away @ precision
    filled = np.where(holes.where, guess.mean, Y)
    distance = np.sum(away * pull, axis=1)
    volume = np.full(len(Y), np.linalg.slogdet(guess.covariance)[1])
    left = []
    for rows, gone in holes.groups:
        inner = precision[gone[:, :, None], gone[:, None, :]]
        left.append(np.linalg.inv(inner))
        pulled = np.take_along_axis(pull[rows], gone, axis=1)
        move = np.einsum("nij,nj->ni", left[-1], pulled)
        filled[rows[:, None], gone] -= move
        distance[rows] -= np.sum(pulled * move, axis=1)
        volume[rows] += np.linalg.slogdet(inner)[1]
    seen = np.count_nonzero(~holes.where, axis=1)
    return Expected(filled, -0.5 * (distance + volume + seen * np.log(2.0 * np.pi)), left)


def summed(holes: Holes, left: list[Array], weights: Array) -> Array:
    """Covariances that the holes leave, summed over rows with weights (N,): (P, P)."""
    p = holes.where.shape[1]
    total = np.zeros(p * p)
    for (rows, gone), own in zip(holes.groups, left, strict=True):
        places = gone[:, :, None] * p + gone[:, None, :]
        total += np.bincount(places.ravel(), (own * weights[rows, None, None]).ravel(), p * p)
    return total.reshape(p, p)


def learn(Y: Array) -> Gaussian:
    """One Gaussian from rows with NaN for what was not seen, by EM."""
    blocks = list(_blocks(Y))
    guess = Gaussian(np.nanmean(Y, axis=0), np.diag(np.maximum(np.nanvar(Y, axis=0), 1e-12)))
    for _ in range(ROUNDS):
        filled, left = np.empty_like(Y), np.zeros((Y.shape[1], Y.shape[1]))
        for rows, holes in blocks:
            found = expect(Y[rows], holes, guess)
            filled[rows] = found.filled
            left += summed(holes, found.left, np.ones(len(found.filled)))
        mean = filled.mean(axis=0)
        centred = filled - mean
        covariance = (centred.T @ centred + left) / len(Y)
        covariance += RIDGE / len(Y) * np.trace(covariance) * np.eye(len(covariance))
        guess = Gaussian(mean, covariance)
    return guess


def filled_by(guess: Gaussian, Y: Array) -> Array:
    """Rows with the expectation of what was not seen."""
    filled = np.empty_like(Y)
    for rows, holes in _blocks(Y):
        filled[rows] = expect(Y[rows], holes, guess).filled
    return filled


def _blocks(Y: Array) -> Iterator[tuple[slice, Holes]]:
    for begin in range(0, len(Y), BLOCK):
        rows = slice(begin, begin + BLOCK)
        yield rows, grouped(np.isnan(Y[rows]))
