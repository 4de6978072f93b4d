"""Models to measure: the sizes of five of the paper's data sets, and any number of rows."""

from dataclasses import dataclass

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.data import entry, load, names
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.model.paper.bound import Observed, Parameters, observe
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.model.paper.kernels import RBF, start_parameters
from sgpmic_cli.model.paper.mixture import log_joint, mixture
from sgpmic_cli.model.start.partition import start
from sgpmic_cli.model.variational import em

USUAL_INDUCING = 10  # for each component of the default setting
ROUNDS = 20  # of training: the estimator's default, so that responsibilities are as sharp as those of a fitted model


@dataclass(frozen=True)
class Size:
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
LARGE = {"p": 10, "q": 2, "k": 100, "m": 5}  # of the models that show how cost grows with the rows


@dataclass(frozen=True)
class Problem:
    """What one evaluation is given."""

    data: Observed
    parameters: Parameters
    S: Array


def rows_of(size: Size) -> Array:
    """The data set of that name where it comes with the package, groups of the same shape where it does not."""
    bundled = size.name in names() and entry(size.name).kind == "bundled"
    return load(size.name, offline=True).Y if bundled else _groups(size)


def trained(size: Size) -> tuple[Array, Problem]:
    """The rows as the paper's model sees them, and the model fitted to them."""
    Y = rows_of(size)
    model = PaperSGPMIC(size.m, size.q, n_inducing=size.k, max_iter=ROUNDS, random_state=0).fit(Y)
    seen = (Y - model.offset_) / model.scale_
    order = ("variance", "gamma", "bias", "white")
    theta = np.log([[params[name] for name in order] for params in model.kernel_params_])
    prior = mixture(model.weights_, model.means_, model.covariances_)
    log_beta = float(-np.log(model.noise_variances_[0]))
    parameters = Parameters(model.embedding_, model.inducing_points_, theta, log_beta, prior)
    return seen, Problem(observe(seen), parameters, model.responsibilities_)


def single(problem: Problem) -> Problem:
    """The same points and inducing inputs under one component that owns every row: what a GP-LVM library computes."""
    p = problem.parameters
    q = p.X.shape[1]
    prior = mixture(np.ones(1), np.zeros((1, q)), np.eye(q)[None])
    parameters = Parameters(p.X, p.Z, start_parameters(RBF(), 1, q), p.log_beta, prior)
    return Problem(problem.data, parameters, np.ones((len(p.X), 1)))


def of_rows(n: int, k: int = LARGE["k"]) -> Problem:
    """Five groups in a plane and smooth functions of it, from the same distribution whatever n and k are."""
    fixed, rng = np.random.RandomState(0), np.random.RandomState(1)
    q, m = LARGE["q"], LARGE["m"]
    angles = 2.0 * np.pi * np.arange(m) / m
    means = 1.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    directions = fixed.randn(q, LARGE["p"])
    X = means[rng.randint(m, size=n)] + 0.5 * rng.randn(n, q)
    Y = np.sin(X @ directions) + 0.3 * rng.randn(n, LARGE["p"])
    prior = mixture(np.full(m, 1.0 / m), means, np.tile(0.25 * np.eye(q), (m, 1, 1)))
    log_s = log_joint(X, prior)
    S = np.exp(log_s - log_s.max(axis=1, keepdims=True))
    S /= S.sum(axis=1, keepdims=True)
    Z = X[rng.permutation(n)[:k]].copy()
    log_beta = float(np.log(4.0 / Y.var(axis=0).mean()))
    return Problem(observe(Y), Parameters(X, Z, start_parameters(RBF(), m, q), log_beta, prior), S)


def _groups(size: Size) -> Array:
    rng = np.random.RandomState(0)
    group = np.arange(size.n) % size.m
    within = rng.randn(size.n, size.q) @ rng.randn(size.q, size.p)
    return 3.0 * rng.randn(size.m, size.p)[group] + within + 0.3 * rng.randn(size.n, size.p)


def default_trained(size: Size) -> tuple[em.Data, em.State]:
    """The rows as the default model sees them, and the model fitted to them."""
    Y = rows_of(size)
    model = SGPMIC(size.m, size.q, n_inducing=USUAL_INDUCING, random_state=0).fit(Y)
    data = em.observe(
        (Y - model.offset_) / model.scale_, 0.0, np.zeros_like(model.responsibilities_)
    )
    state = start(
        model.embedding_, model.responsibilities_, USUAL_INDUCING, np.random.RandomState(0)
    )
    fit = em.train(data, state, rounds=3, steps=model.optimizer_steps, tol=0.0)
    return fit.data, fit.state


def default_start(problem: Problem, n_inducing: int) -> tuple[em.Data, em.State]:
    """Where a default fit of the problem's rows begins, from its latent points and its clusters."""
    Y = problem.data.Y
    shares = np.eye(problem.S.shape[1])[problem.S.argmax(axis=1)]
    state = start(problem.parameters.X, shares, n_inducing, np.random.RandomState(0))
    return em.observe((Y - Y.mean(axis=0)) / Y.std(axis=0), 0.0, np.zeros_like(shares)), state
