"""A GP-LVM fitted from the same start by us, by GPy and by GPyTorch, one component, as many steps, on one core.

GPy moves by L-BFGS as we do and is given as many steps; SciPy counts evaluations beside steps, so these are told too.
GPyTorch moves by Adam, as in its own example, with all rows in every step.

`python -m sgpmic_cli.speed.whole_fits N` prints them for the data sets of at most N rows.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any
from unittest.mock import patch

from sgpmic_cli.model.paper import em
from sgpmic_cli.model.paper.bound import Bound, Parameters
from sgpmic_cli.model.paper.em import Schedule
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.speed.problems import SIZES, Problem, Size, single, trained
from sgpmic_cli.speed.rival import gpy_fit, gpy_version, gpytorch_fit, gpytorch_version
from sgpmic_cli.speed.timing import fastest

STEPS = 30
MOST_COLUMNS = 100  # of GPyTorch, which keeps a matrix of the inducing inputs for each of them


def fits_at(size: Size) -> dict[str, Any]:
    """Milliseconds of processor time of the fits, their evaluations of bound and gradient, and ours over theirs."""
    seen, every = trained(size)
    X, fits = every.parameters.X, {"ours": _our_fit(single(every))}
    if gpy_version():
        fits["gpy"] = lambda: gpy_fit(seen, X, size.k, STEPS)
    if gpytorch_version() and size.p <= MOST_COLUMNS:
        fits["gpytorch"] = lambda: gpytorch_fit(seen, X, size.k, STEPS)
    evaluations: dict[str, int] = {}

    def counted(name: str) -> None:
        evaluations[name] = fits[name]()

    ms = fastest({name: partial(counted, name) for name in fits}, rounds=1, clock=process_time)
    ratios = {f"ours / {name}": ms["ours"] / ms[name] for name in ms if name != "ours"}
    return {
        "name": size.name,
        "steps": STEPS,
        "evaluations": evaluations,
        "ms": ms,
        "ratios": ratios,
    }


def _our_fit(problem: Problem) -> Callable[[], int]:
    schedule = Schedule(
        iterations=1,
        steps=STEPS,
        optimizer="lbfgs",
        covariance_type="full",
        covariance_floor=1e-3,
        learn_weights=False,
        learn_noise=True,
        tol=0.0,
    )

    def fit() -> int:
        _Counted.evaluations = 0
        with patch.object(em, "Bound", _Counted):
            em.train(RBF(), problem.data, problem.parameters, problem.S, schedule)
        return _Counted.evaluations

    return fit


class _Counted(Bound):
    """The bound, with the number of evaluations of its gradient."""

    evaluations = 0

    def value_and_gradient(self, p: Parameters) -> Any:
        _Counted.evaluations += 1
        return super().value_and_gradient(p)


def main(most: int) -> None:
    """Print the fits of all sizes of at most so many rows."""
    from threadpoolctl import threadpool_limits

    found = []
    with threadpool_limits(1):
        for size in SIZES:
            if size.n <= most:
                found.append(fits_at(size))
                print(f"measured whole fits at {size.name}'s size", file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
