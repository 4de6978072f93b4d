"""Two threads beside one, for both settings: an evaluation, an E-step, and the placing of new rows.

`python -m sgpmic_cli.speed.threads N` prints them for N rows.
"""

import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from sgpmic_cli.model.parallel import workers
from sgpmic_cli.model.variational.latent_prior import maximise
from sgpmic_cli.speed.problems import USUAL_INDUCING, default_start, of_rows
from sgpmic_cli.speed.timing import fastest
from sgpmic_cli.speed.work import DefaultWork, PaperWork

THREADS = (1, 2)


def threads_at(n: int, rounds: int = 9) -> list[dict[str, Any]]:
    """Milliseconds on the wall with n rows in one thread and in two, which take turns, and whether results are equal.

    Of the placing of new rows there are NEW_ROWS, or n if that is fewer.
    """
    problem, found = of_rows(n), []
    data, state = default_start(problem, USUAL_INDUCING)
    state = replace(state, S=problem.S, prior=maximise(state.free.mu, state.free.s, problem.S))
    for setting in ("paper", "default"):
        with ExitStack() as stack:
            crews = {str(count): stack.enter_context(workers(count)) for count in THREADS}
            work = {
                count: PaperWork(problem, crew)
                if setting == "paper"
                else DefaultWork(data, state, crew)
                for count, crew in crews.items()
            }
            for name, call in {
                "evaluation": "evaluation",
                "E-step": "e_step",
                "prediction": "placing",
            }.items():
                candidates = {count: getattr(own, call)() for count, own in work.items()}
                ms = fastest(candidates, rounds=rounds, clock=perf_counter)
                one, two = (run() for run in candidates.values())
                equal = all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
                found.append(
                    {"setting": setting, "work": name, "n": n, "ms": ms, "ratio": ms["2"] / ms["1"]}
                )
                found[-1]["equal"] = equal
    return found


if __name__ == "__main__":
    print(json.dumps(threads_at(int(sys.argv[1]))))
