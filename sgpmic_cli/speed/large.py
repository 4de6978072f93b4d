"""A fit of many rows in a process of its own, so that its memory can be told: `python -m sgpmic_cli.speed.large N`."""

import json
import sys
import time
import warnings
from typing import Any

ROUNDS = 5


def main(n: int) -> None:
    """Fit, and print one JSON document."""
    import resource  # not on every system, and only this process needs it

    from sgpmic_cli.model.paper.estimator import PaperSGPMIC
    from sgpmic_cli.speed.own_process import gigabytes
    from sgpmic_cli.speed.problems import LARGE, of_rows

    Y = of_rows(n).data.Y
    began = time.perf_counter()

    def told(done: int, bound: float, _labels: Any) -> None:
        print(
            f"round {done}/{ROUNDS}, bound {bound:.0f}, {time.perf_counter() - began:.0f} s",
            file=sys.stderr,
            flush=True,
        )

    model = PaperSGPMIC(
        LARGE["m"],
        LARGE["q"],
        n_inducing=LARGE["k"],
        max_iter=ROUNDS,
        callback=told,
        random_state=0,
    )
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        model.fit(Y)
    seconds, processor = time.perf_counter() - began, time.process_time()
    peak = gigabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    said = [str(remark.message) for remark in remarks]
    print(
        json.dumps(
            {
                "n": n,
                "rounds": ROUNDS,
                "seconds": seconds,
                "cpu_seconds": processor,
                "peak_gb": peak,
                "said": said,
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
