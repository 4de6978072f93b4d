"""Inputs of one evaluation of the paper's bound: data sets of the paper, and generated rows.

The scripts use the inside of the paper's model only here and in `two_bounds`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.data import entry, load, names
from sgpmic_cli.paper.model.bound import Bound, Observed, Parameters, observe
from sgpmic_cli.paper.model.em import m_step
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.paper.model.kernels import RBF
from sgpmic_cli.paper.model.mixture import maximise, mixture


class Size(NamedTuple):
    """Rows, columns, latent dimensions, inducing inputs and components."""

    name: str
    n: int
    p: int
    q: int
    k: int
    m: int


SIZES = (
    Size("iris", 150, 4, 2, 50, 3),
    Size("wdbc", 569, 30, 2, 50, 2),
    Size("cmc", 1473, 9, 2, 100, 3),
    Size("segment", 2310, 19, 4, 100, 7),
    Size("yale", 165, 1024, 3, 50, 15),
)
LARGE = {"p": 10, "q": 2, "k": 100, "m": 5}  # shape of the generated rows


class Problem(NamedTuple):
    """Data, parameters and responsibilities (N, M)."""

    data: Observed
    parameters: Parameters
    S: Array

    def evaluation(self) -> Callable[[], object]:
        """Return a call that computes the bound and its gradient."""
        bound = Bound(RBF(), self.data, self.S)
        return lambda: bound.value_and_gradient(self.parameters)

    def maximisation(self, steps: int) -> Callable[[], object]:
        """Return a call that makes one M-step with this number of L-BFGS steps."""
        settings = SGPMIC(
            optimizer_steps=steps, learn_noise=True, covariance_type="full", covariance_floor=1e-3
        )
        bound = Bound(RBF(), self.data, self.S)
        return lambda: m_step(bound, self.parameters, settings)

    def one_component(self) -> "Problem":
        """Return the same points under one component: what a GP-LVM library computes."""
        p = self.parameters
        return _problem(self.data, p.X, p.Z, np.ones((len(p.X), 1)))


def fitted_problem(size: Size) -> tuple[Array, Problem]:
    """Return the scaled rows of a data set, and the problem at the result of a fit to them."""
    Y = rows_of(size)
    model = SGPMIC(size.m, size.q, n_inducing=size.k, random_state=0).fit(Y)
    scaled = (Y - Y.mean(axis=0)) / Y.std()
    return scaled, _problem(
        observe(scaled), model.embedding_, model.inducing_points_, model.responsibilities_
    )


def generated_problem(n: int, k: int = LARGE["k"]) -> Problem:
    """Return n generated rows, k of them as inducing inputs, and responsibilities of groups."""
    Y, X, _ = generated_rows(n)
    S = softmax(-2.0 * cdist(X, _means(), "sqeuclidean"), axis=1)  # standard deviation 0.5
    Z = X[np.random.RandomState(2).permutation(n)[:k]].copy()
    return _problem(observe(Y), X, Z, S)


def generated_rows(
    n: int, p: int = LARGE["p"], random_state: int = 1
) -> tuple[Array, Array, Indices]:
    """Return smooth functions Y (N, P) of points X (N, 2) in five groups, and the groups (N,).

    The distribution depends on the number of columns p only.
    """
    directions = np.random.RandomState(0).randn(LARGE["q"], p)
    rng = np.random.RandomState(random_state)
    groups = rng.randint(LARGE["m"], size=n, dtype=np.intp)
    X = _means()[groups] + 0.5 * rng.randn(n, LARGE["q"])
    return np.sin(X @ directions) + 0.3 * rng.randn(n, p), X, groups


def _means() -> Array:
    angles = 2.0 * np.pi * np.arange(LARGE["m"]) / LARGE["m"]
    return 1.5 * np.column_stack([np.cos(angles), np.sin(angles)])


def rows_of(size: Size) -> Array:
    """Return the bundled data set of this name, or generated groups of its shape."""
    if size.name in names() and entry(size.name).kind == "bundled":
        return load(size.name).Y
    rng = np.random.RandomState(0)
    within = rng.randn(size.n, size.q) @ rng.randn(size.q, size.p)
    centres = 3.0 * rng.randn(size.m, size.p)[np.arange(size.n) % size.m]
    return centres + within + 0.3 * rng.randn(size.n, size.p)


def _problem(data: Observed, X: Array, Z: Array, S: Array) -> Problem:
    """Complete the parameters: kernels and noise at their starting values, the prior from S."""
    q, m = X.shape[1], S.shape[1]
    prior = mixture(np.full(m, 1.0 / m), np.zeros((m, q)), np.tile(np.eye(q), (m, 1, 1)))
    prior = maximise(X, S, "full", 1e-3, prior)
    log_beta = float(np.log(4.0 * data.n_outputs * len(X) / data.squares.sum()))
    theta = np.tile(RBF().start(q), (m, 1))
    return Problem(data, Parameters(X, Z, theta, log_beta, prior), S)
