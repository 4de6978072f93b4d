"""Two threads beside one, for both settings: an evaluation, an E-step, and the placing of new rows.

`python -m sgpmic_cli.speed.threads N` prints them for N rows.
"""

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.e_step import IN_ROUNDS
from sgpmic_cli.model.paper import placement as paper_placement
from sgpmic_cli.model.paper.bound import Bound, expectation
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.model.parallel import Workers, workers
from sgpmic_cli.model.variational import em, placement
from sgpmic_cli.model.variational.latent_prior import Pull, maximise
from sgpmic_cli.speed.problems import USUAL_INDUCING, Problem, default_start, of_rows
from sgpmic_cli.speed.timing import fastest

Work = dict[str, Callable[[], Any]]  # evaluation, E-step and prediction

THREADS = (1, 2)
NEW_ROWS = 3_000


def threads_at(n: int, rounds: int = 9) -> list[dict[str, Any]]:
    """Milliseconds on the wall with n rows in one thread and in two, which take turns, and whether results are equal.

    Of the placing of new rows there are NEW_ROWS, or n if that is fewer.
    """
    problem, found = of_rows(n), []
    for setting, work_of in (("paper", paper_work), ("default", default_work)):
        with ExitStack() as stack:
            work = {count: work_of(problem, stack.enter_context(workers(count))) for count in THREADS}
            for name in work[1]:
                candidates = {str(count): work[count][name] for count in THREADS}
                ms = fastest(candidates, rounds=rounds, clock=perf_counter)
                one, two = (run() for run in candidates.values())
                equal = all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
                found.append({"setting": setting, "work": name, "n": n, "ms": ms, "ratio": ms["2"] / ms["1"]})
                found[-1]["equal"] = equal
    return found


def paper_work(problem: Problem, crew: Workers) -> Work:
    """The work of the paper's setting."""
    p, data = problem.parameters, problem.data
    bound = Bound(RBF(), data, problem.S, len(p.Z), workers=crew)
    factors = bound.value(p)[1]
    placer = paper_placement.Placer(RBF(), p, factors, data.Y, problem.S)
    return {
        "evaluation": lambda: bound.value_and_gradient(p),
        "E-step": lambda: expectation(RBF(), data, p, factors, crew, IN_ROUNDS),
        "prediction": lambda: placer.place(new_rows(data.Y), crew),
    }


def default_work(problem: Problem, crew: Workers) -> Work:
    """The work of the default setting, from the same latent points and clusters."""
    S, (data, state) = problem.S, default_start(problem, USUAL_INDUCING)
    state = replace(state, S=S, prior=maximise(state.free.mu, state.free.s, S))
    rows, pull, known = em.active_rows(data, S), Pull(S, state.prior), em.evaluate(data, state)[0]
    placer = placement.Placer(data, state, known, data.Y)
    whole = np.zeros(new_rows(data.Y).shape, dtype=bool)
    return {
        "evaluation": lambda: em.value_and_gradient(data, state.free, rows, pull, crew),
        "E-step": lambda: em.responsibilities(data, state, known, crew),
        "prediction": lambda: placer.place(new_rows(data.Y), whole, crew),
    }


def new_rows(Y: Array) -> Array:
    """Rows beside those that were trained on."""
    return Y[:NEW_ROWS] + 0.01


if __name__ == "__main__":
    print(json.dumps(threads_at(int(sys.argv[1]))))
