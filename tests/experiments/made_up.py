"""Results for the tests: a full Table 2 with made-up numbers near the printed ones."""

import json

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.paper import Stat, table2
from sgpmic_cli.experiments.compare.verdicts import Difference

METHODS = list(dict.fromkeys(method for _, _, _, method in table2()))
# A note that must be escaped.
NOTE = "1 of 10 runs failed: ValueError: <script>alert('x')</script> & \"quotes\""


def write_results(folder):
    """Write table2/benchmark.json and its manifest, and return the document."""
    cells = [
        _cell(i, name, variance, method)
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


def _cell(i, name, variance, method):
    unavailable = name == "yale"
    printed = {metric: table2().get((metric, name, variance, method)) for metric in ("acc", "nmi")}
    ours = {
        metric: Stat()
        if unavailable
        else Stat((paper.mean if paper else 50.0) + (0.0, 0.5, 4.0, -3.0)[i % 4], 0.25)
        for metric, paper in printed.items()
    }
    verdict = {
        metric: "unavailable"
        if unavailable
        else "new"
        if paper is None
        else str(Difference.of(ours[metric], 10, paper).verdict)
        for metric, paper in printed.items()
    }
    return {
        "dataset": name,
        "data": "" if unavailable else f"{name} at {variance}",  # no row repeats another
        "variance": variance,
        "q": None if unavailable else 2,
        "n_clusters": 3,
        "method": method,
        "scores": {"acc": "acc", "nmi": "nmi"},
        "settings": {"lam": 1.0} if method in ("aml", "unca") else {},
        "repeats": 0 if unavailable else 10,
        "failed": 0,
        "acc": vars(ours["acc"]),
        "nmi": vars(ours["nmi"]),
        "ari": {"mean": None, "std": None} if unavailable else {"mean": 40.0, "std": 1.0},
        "acc_hungarian": {"mean": None, "std": None} if unavailable else {"mean": 45.0, "std": 1.0},
        "paper": None,
        "verdict": verdict,
        "seconds": None if unavailable else 0.5,
        "note": NOTE if (name, method) == ("iris", "sdc") else "",
    }
