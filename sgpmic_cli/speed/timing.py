"""Times that can be compared: candidates take turns, and the fastest turn of each counts."""

import time
from collections.abc import Callable, Mapping

ROUNDS = 10
CALLS = 3  # in a row at each turn, as an optimiser makes them: the first finds the caches as the others left them
SECONDS = 20.0  # no candidate set is measured for longer than this, after three rounds


def fastest(
    candidates: Mapping[str, Callable[[], object]],
    *,
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.thread_time,
) -> dict[str, float]:
    """Milliseconds per call, the least of all turns, after one call to warm up.

    Processor time of this thread and not time on the wall, as a rule: somebody else's work on the same machine is not
    ours. What is shared out to threads needs the clock on the wall.
    """
    for run in candidates.values():
        run()
    best = dict.fromkeys(candidates, float("inf"))
    began = clock()
    for done in range(rounds):
        if done >= 3 and clock() - began > SECONDS:
            break
        for name, run in candidates.items():
            for _ in range(CALLS):
                start = clock()
                run()
                best[name] = min(best[name], 1e3 * (clock() - start))
    return best
