"""Results for the tests: a full Table 2 with made-up numbers near the printed ones."""

import json

from sgpmic_cli.benchmark.compare.comparison import METRICS, SHOWN, Result
from sgpmic_cli.benchmark.compare.paper import Stat, table2
from sgpmic_cli.benchmark.plan.methods import Method
from sgpmic_cli.data.registry import entry, names

METHODS = list(dict.fromkeys(method for _, _, _, method in table2()))
SHIFTS = (0.0, 0.5, 4.0, -3.0)  # our numbers minus the printed ones, by turns
# A note that must be escaped.
NOTE = "1 of 10 runs failed: ValueError: <script>alert('x')</script> & \"quotes\""


def write_results(folder, shifts=SHIFTS):
    """Write table2/benchmark.json and its manifest, and return the document."""
    cells = [
        _result(name, variance, method, shifts[i % len(shifts)]).document()
        for name in names()
        if entry(name).in_paper
        for variance in entry(name).variances
        for i, method in enumerate(METHODS)
    ]
    document = {"protocol": "as-run", "repeats": 10, "seed": 0, "cells": cells}
    manifest = {
        "arguments": {"datasets": ["all"], "n_jobs": 2},
        "finished": "2026-01-01T00:00:00+00:00",
        "data": {"iris, 150 x 4": "0" * 64},
        "commit": None,
        "versions": {"sgpmic": "0.0", "numpy": "2.0"},
        "cpu": {"model": "none", "cores": 2},
        "blas": [{"user_api": "blas", "num_threads": 1}],
        "runs": {"computed": 1, "reused": 0, "failed": 1},
        "seconds": 12.345,
    }
    table = folder / "table2"
    table.mkdir(parents=True)
    (table / "benchmark.json").write_text(json.dumps(document), encoding="utf-8")
    (table / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return document


def _result(name, variance, method, shift):
    """Return a cell of ten runs; numbers that are not printed are near 50. Yale is unavailable."""
    settings = {"lam": 1.0} if method in ("aml", "unca") else {}
    how = Method(method, method), dict(zip(METRICS, METRICS, strict=True)), settings
    if name == "yale":
        return Result(name, "", variance, None, 3, *how, 0, 0, dict.fromkeys(SHOWN, Stat()), Stat())
    ours = dict.fromkeys(SHOWN, Stat(40.0, 1.0))
    for metric in METRICS:
        printed = table2().get((metric, name, variance, method))
        ours[metric] = Stat((printed.mean if printed else 50.0) + shift, 0.25)
    note = NOTE if (name, method) == ("iris", "sdc") else ""
    data = f"{name} at {variance}"  # no row repeats another
    return Result(name, data, variance, 2, 3, *how, 10, 0, ours, Stat(0.5, 0.0), note)
