"""Compare the KL-corrected bound with the standard bound: EM from the same start with either.

With the standard bound, q(u) of the inducing outputs is fixed during an M-step. With the
KL-corrected bound, q(u) is integrated out and moves along. At the optimal q(u) the two bounds are
equal, and there the two runs are compared after each iteration. Kernel RBF; weights and noise are
fixed, as in Table 2.

The reference of a start is the highest bound that either run reaches in many iterations. A run is
compared by the iterations and by the seconds of processor time until it has gained 90 % and 99 %
of the way from the start to the reference. The cost of one gradient is measured by the number of
inducing points as well. Writes reached.csv, reached.md and inducing.csv into OUT.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from benchmarks.paper_problem import LARGE, generated_problem
from benchmarks.shared import parse, progress, write_csv
from benchmarks.speed import fastest
from sgpmic_cli._typing import Array
from sgpmic_cli.benchmark.plan import Cell
from sgpmic_cli.benchmark.render.tables import markdown_table
from sgpmic_cli.benchmark.run import RunOptions, plan_study
from sgpmic_cli.gp import ascend, lbfgs
from sgpmic_cli.paper.experiments.protocols import paper_suite
from sgpmic_cli.paper.figures.convergence import DATASETS
from sgpmic_cli.paper.model.bound import Bound, Observed, Parameters, observe
from sgpmic_cli.paper.model.cholesky import NotPositiveDefinite
from sgpmic_cli.paper.model.e_step import expectation
from sgpmic_cli.paper.model.em import m_step
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.paper.model.kernels import RBF, gram_gradients
from sgpmic_cli.paper.model.kernels import gram as gram_matrix
from sgpmic_cli.paper.model.mixture import latent_prior_gradient, maximise
from sgpmic_cli.paper.model.start import latent_start, start
from sgpmic_cli.scaling import offset_and_scale

LONG = 100  # iterations of a run
GAINS = (0.9, 0.99)
UNITS = ("iterations", "seconds")
INDUCING, INDUCING_ROWS = (25, 50, 100, 200, 400), 10_000
BOUNDS = ("KL-corrected", "standard")
Gradient = tuple[float, Array, Array, Array]  # value, and derivatives by X, Z and log theta
Posterior = tuple[Array, Array]  # q(u) of a component: mean (K, P), covariance (K, K) of an output


def main(arguments: Sequence[str] | None = None) -> None:
    """Run EM with both bounds, and write the results."""
    numbers = {"repeats": 10, "iterations": LONG}  # starts of a data set, iterations of a run
    asked = parse(arguments, __doc__, out=Path("results/bounds"), datasets=[*DATASETS], **numbers)
    study = paper_suite().study(asked.datasets, ["sgp-mic"], repeats=asked.repeats)
    planned = plan_study(study, RunOptions(force=True), asked.out)
    parts = []
    with threadpool_limits(limits=1):
        for run in planned.pending.to_dict("records"):
            begin = start_of(planned.cells[run["cell"]], run["seed"])
            part = bounds_by_iteration(*begin, iterations=asked.iterations)
            parts.append(part.assign(dataset=run["dataset"], start=run["repeat"]))
            progress(f"computed: {run['dataset']}, start {run['repeat']}")
        inducing = pd.DataFrame([gradient_time(k) for k in INDUCING])
    reached = reached_gains(pd.concat(parts))
    write_csv(reached, asked.out / "reached.csv", "%.6g")
    write_csv(inducing, asked.out / "inducing.csv", "%.6g")
    (asked.out / "reached.md").write_text(reached_table(reached), encoding="utf-8")


def reached_gains(curves: pd.DataFrame) -> pd.DataFrame:
    """Return iterations and seconds until each run has a fraction of the gain; NaN for never."""
    rows = []
    for (dataset, number), runs in curves.groupby(["dataset", "start"], sort=False):
        reference, lowest = runs["value"].max(), runs["value"][runs["iteration"] == 0].iloc[0]
        for bound, run in runs.groupby("bound", sort=False):
            row = {"dataset": dataset, "start": number, "bound": bound, "reference": reference}
            for gain in GAINS:
                enough = run[run["value"] >= lowest + gain * (reference - lowest)]
                first = enough.iloc[0] if len(enough) else {"iteration": np.nan, "seconds": np.nan}
                row |= {
                    f"iterations_{gain:.0%}": first["iteration"],
                    f"seconds_{gain:.0%}": first["seconds"],
                }
            rows.append({**row, "last": run["value"].iloc[-1]})
    return pd.DataFrame(rows)


def reached_table(reached: pd.DataFrame) -> str:
    """Return for people: medians over the starts, and how often the KL-corrected bound is first.

    A run that never gains enough counts as later than all others.
    """
    head = ["data set", "gain", *(f"{unit}, {bound}" for unit in UNITS for bound in BOUNDS)]
    body = []
    for dataset, runs in reached.groupby("dataset", sort=False):
        for gain in GAINS:
            row, ahead = [DATASETS[str(dataset)], f"{gain:.0%}"], []
            for unit in UNITS:
                wide = runs.pivot(index="start", columns="bound", values=f"{unit}_{gain:.0%}")
                wide = wide.fillna(np.inf)
                row += [f"{wide[bound].median():.3g}".replace("inf", "never") for bound in BOUNDS]
                first, second = (wide[bound] for bound in BOUNDS)
                ahead.append(f"{(first < second).sum()} of {len(wide)}")
            body.append([*row, *ahead])
    return markdown_table([*head, *(f"KL-corrected first, {unit}" for unit in UNITS)], body)


def gradient_time(k: int) -> dict[str, float]:
    """Return the milliseconds of one bound with its gradient at K inducing points."""
    evaluation = generated_problem(INDUCING_ROWS, k).evaluation()
    return {**LARGE, "n": INDUCING_ROWS, "k": k, "ms": fastest({"k": evaluation}, turns=3)["k"]}


def start_of(cell: Cell, seed: int) -> tuple[Observed, Parameters, Array, SGPMIC]:
    """Return data, parameters, responsibilities and estimator at the start of a run of Table 2."""
    assert cell.data is not None
    assert cell.q is not None
    model = SGPMIC(cell.n_clusters, cell.q, **cell.settings)
    Y, random_state = cell.data.Y, check_random_state(seed)
    offset, scale = offset_and_scale(Y, model.scale, center=model.center)
    scaled = (Y - offset) / scale
    X = latent_start(Y, cell.q, model.isomap_components, None, random_state)
    log_beta = float(np.log(4.0 / np.var(scaled, axis=0, ddof=1).mean()))
    seed = random_state.randint(np.iinfo(np.int32).max)
    parameters, S = start(model, RBF(), X, log_beta, check_random_state(seed))
    return observe(scaled), parameters, S, model


def bounds_by_iteration(
    data: Observed, start: Parameters, S: Array, model: SGPMIC, *, iterations: int
) -> pd.DataFrame:
    """Return the bound at the optimal q(u) after each M-step, for both kinds of M-step.

    Iteration 0 is the value after the first E-step.
    """
    steps: dict[str, Callable[[Bound, Parameters], Parameters]] = {
        "KL-corrected": lambda bound, p: m_step(bound, p, model)[0],
        "standard": lambda bound, p: standard_m_step(data, p, bound.S, model),
    }
    rows = []
    for name, step in steps.items():
        kernel, p, began = RBF(), start, time.process_time()
        bound = Bound(kernel, data, S, active=0.0)
        for iteration in range(iterations):
            responsibilities = expectation(kernel, data, p, bound.value(p)[1])
            bound = Bound(kernel, data, responsibilities, active=0.0)
            if iteration == 0:
                rows.append((name, 0, 0.0, bound.value(p)[0]))
            p = step(bound, p)
            seconds = time.process_time() - began
            rows.append((name, iteration + 1, seconds, bound.value(p)[0]))
    return pd.DataFrame(rows, columns=["bound", "iteration", "seconds", "value"])


def standard_m_step(data: Observed, p: Parameters, S: Array, model: SGPMIC) -> Parameters:
    """Raise the standard bound at fixed q(u) by L-BFGS, then maximise it over the latent prior."""
    q = [posterior(data, p, s, theta) for s, theta in zip(S.T, p.natural, strict=True)]

    def value_and_gradients(X: Array, Z: Array, theta: Array) -> tuple[float, list[Array]]:
        try:
            value, *gradients = standard_value(data, replace(p, X=X, Z=Z, theta=theta), S, q)
        except ValueError as fault:  # a matrix without a factor or with NaN
            raise NotPositiveDefinite from fault
        return value, gradients

    start = [p.X, p.Z, p.theta]
    (X, Z, theta), *_ = ascend(value_and_gradients, start, lbfgs, model.optimizer_steps)
    prior = maximise(X, S, model.covariance_type, model.covariance_floor, p.prior)
    moved = replace(p, X=X, Z=Z, theta=theta)
    return replace(moved, prior=prior._replace(weights=p.prior.weights))


def posterior(data: Observed, p: Parameters, s: Array, theta: Array) -> Posterior:
    """Return the optimal q(u) of a component with responsibilities s (N,).

    Covariance K_uu A^-1 K_uu and mean K_uu A^-1 beta K_uf S Y, with A = K_uu + beta K_uf S K_fu.
    """
    cross, gram = _covariances(p, theta)
    A = cho_factor(gram + p.beta * (cross.T * s) @ cross)
    mean = gram @ cho_solve(A, p.beta * (cross.T * s) @ data.Y)
    return mean, gram @ cho_solve(A, gram)


def standard_value(data: Observed, p: Parameters, S: Array, q: list[Posterior]) -> Gradient:
    """Return the standard bound at fixed q(u), without the entropy of S, and its gradient."""
    value, dX = latent_prior_gradient(p.X, S, p.prior)
    dZ, dtheta = np.zeros_like(p.Z), np.zeros_like(p.theta)
    for m, theta in enumerate(p.natural):
        part, by_X, by_Z, dtheta[m] = _component(data, p, S[:, m], q[m], theta)
        value += part
        dX += by_X
        dZ += by_Z
    return value, dX, dZ, dtheta


def _component(data: Observed, p: Parameters, s: Array, q: Posterior, theta: Array) -> Gradient:
    """Return sum_n s_n <log N(y_n | f_n, 1/beta)> - KL(q(u) | p(u)) of a component."""
    P, beta, (mean, covariance) = data.n_outputs, p.beta, q
    cross, gram = _covariances(p, theta)
    k = len(gram)
    factor = cho_factor(gram)
    inverse = cho_solve(factor, np.eye(k))
    W = inverse @ mean  # (K, P)
    G = inverse @ covariance @ inverse
    residual = data.Y - cross @ W
    error = np.sum(residual**2, axis=1) + P * np.sum((cross @ G) * cross, axis=1)
    log_ratio = 2.0 * np.log(np.diag(factor[0])).sum() - np.linalg.slogdet(covariance)[1]
    divergence = P * (np.sum(inverse * covariance) - k + log_ratio) + np.sum(mean * W)
    value = 0.5 * P * s.sum() * np.log(beta / (2.0 * np.pi))
    value -= 0.5 * beta * s @ error + 0.5 * divergence
    by_cross = beta * s[:, None] * (residual @ W.T - P * cross @ G)
    by_W, by_G = beta * (cross.T * s) @ residual, -0.5 * beta * P * (cross.T * s) @ cross
    by_inverse = by_W @ mean.T + by_G @ inverse @ covariance + covariance @ inverse @ by_G
    by_inverse -= 0.5 * (P * (covariance - gram) + mean @ mean.T)
    by_gram = -inverse @ by_inverse @ inverse
    dZ, dX, by_row = RBF().cross_gradients(theta[:, None], p.Z, p.X, cross.T, by_cross.T)
    D = 0.5 * (by_gram + by_gram.T)
    more_dZ, (dtheta,) = gram_gradients(RBF(), theta[None], p.Z, gram[None], D[None])
    return float(value), dX, dZ + more_dZ, dtheta + by_row.sum(axis=1)


def _covariances(p: Parameters, theta: Array) -> tuple[Array, Array]:
    """Return K_fu (N, K) and K_uu of a component."""
    (gram,) = gram_matrix(RBF(), theta[None], p.Z)
    return RBF().cross(theta[:, None], p.Z, p.X).T, gram


if __name__ == "__main__":
    main()
