"""One run of each of the twelve methods on the same row of Table 2: which of them the table's time goes into."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.plan.cells import plan_cells, runs_of
from sgpmic_cli.experiments.plan.methods import resolve
from sgpmic_cli.experiments.plan.protocol import protocol_named
from sgpmic_cli.experiments.plan.table_data import load_table_data
from sgpmic_cli.experiments.run.one_run import fit

ROW = ("segment", 95)  # the largest data set: most of the table's time is spent there


def by_method(
    say: Callable[[str], None] = print,
    row: tuple[str, int] = ROW,
    methods: Sequence[str] = ("all",),
) -> dict[str, Any]:
    """Seconds of processor time of the first repeat of each method, in turn, and their shares of the sum.

    Each from nothing: in the table ISOMAP's distances, for one, are shared by all runs on a data set.
    """
    dataset, variance = row
    planned = plan_cells(
        load_table_data([dataset], [variance]), resolve(methods), protocol_named("as-run")
    )
    seconds = {}
    for cell in planned:
        (run, *_) = runs_of(cell, repeats=1, seed=0)
        name = cell.method.name
        cell.method.load()  # importing it is no part of its time
        began = time.thread_time()
        failure = fit(run).reason
        seconds[name] = time.thread_time() - began
        if failure:
            raise SgpmicError(f"{name} failed on {dataset}, so it could not be measured: {failure}")
        say(f"measured {name} on {dataset}")
    total = sum(seconds.values())
    return {
        "dataset": dataset,
        "variance": variance,
        "seconds": seconds,
        "shares": {name: each / total for name, each in seconds.items()},
    }
