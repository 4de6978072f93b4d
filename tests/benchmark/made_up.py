"""Results for the tests: a full Table 2 with made-up numbers near the printed ones."""

import json
from functools import cache

import pandas as pd

from sgpmic_cli.benchmark.compare import METRICS, SHOWN, comparison
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.benchmark.tables import document
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.paper.experiments.protocols import table2

METHODS = table2()["method"].unique().tolist()
SHIFTS = (0.0, 0.5, 4.0, -3.0)  # our numbers minus the printed ones, by turns
# A note that must be escaped.
NOTE = "1 of 10 runs failed: ValueError: <script>alert('x')</script> & \"quotes\""
PRINTED = table2().set_index(["metric", "dataset", "explained_variance", "method"])["mean"]


@cache  # takes seconds
def _benchmark(shifts):
    """Return the text of benchmark.json."""
    rows = [
        row
        for name in names()
        if entry(name).in_paper
        for percentage in entry(name).variances
        for i, method in enumerate(METHODS)
        for row in _cell(name, percentage, method, shifts[i % len(shifts)])
    ]
    numbers = comparison(pd.DataFrame(rows), {}, table2())
    return json.dumps(document(Study([], {}, protocol="as-run"), numbers))


def write_results(folder, shifts=SHIFTS):
    """Write table2/benchmark.json and its manifest, and return the document."""
    text = _benchmark(tuple(shifts))
    manifest = {
        "arguments": {"datasets": ["all"], "repeats": 10, "protocol": "as-run", "n_jobs": 2},
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
    (table / "benchmark.json").write_text(text, encoding="utf-8")
    (table / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return json.loads(text)


def _cell(name, percentage, method, shift):
    """Yield the numbers of ten runs, near 50 if none is printed. Yale is unavailable."""
    facts = {
        "cell": f"{method} on {name} {percentage}",
        "dataset": name,
        "data": "" if name == "yale" else f"{name} at {percentage}",  # no row repeats another
        "explained_variance": percentage,
        "q": None if name == "yale" else 2,
        "n_clusters": 3,
        "method": method,
        "scores": dict(zip(METRICS, METRICS, strict=True)),
        "settings": {"lam": 1.0} if method in ("aml", "unca") else {},
        "repeats": 0 if name == "yale" else 10,
        "failed": 0,
        "seconds": 0.5,
        "note": NOTE if (name, method) == ("iris", "sdc") else "",
    }
    for metric in SHOWN:
        mean, std = None, None
        if name != "yale" and metric in METRICS:
            mean, std = PRINTED.get((metric, name, percentage, method), 50.0) + shift, 0.25
        elif name != "yale":
            mean, std = 40.0, 1.0
        yield {**facts, "metric": metric, "mean": mean, "std": std}
