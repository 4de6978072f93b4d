"""Times that can be compared: candidates take turns, and the fastest turn of each counts."""

import time
from collections.abc import Callable, Mapping

ROUNDS = 10
CALLS = 3  # in a row at each turn, as an optimiser makes them: the first finds the caches as the others left them
SECONDS = 20.0  # no candidate set is measured for longer than this, after three rounds


def fastest(candidates: Mapping[str, Callable[[], object]], *, rounds: int = ROUNDS) -> dict[str, float]:
    """Milliseconds of processor time per call, the least of all turns, after one call to warm up.

    Processor time of this thread and not time on the wall: somebody else's work on the same machine is not ours.
    """
    for run in candidates.values():
        run()
    best = dict.fromkeys(candidates, float("inf"))
    began = time.thread_time()
    for done in range(rounds):
        if done >= 3 and time.thread_time() - began > SECONDS:
            break
        for name, run in candidates.items():
            for _ in range(CALLS):
                start = time.thread_time()
                run()
                best[name] = min(best[name], 1e3 * (time.thread_time() - start))
    return best
