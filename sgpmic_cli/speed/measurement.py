"""What `sgpmic speed` measures, as one document of numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sgpmic_cli.experiments.run.manifest import commit, environment
from sgpmic_cli.model.paper.bound import Bound
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.speed.floor import floor
from sgpmic_cli.speed.own_process import measured_alone
from sgpmic_cli.speed.problems import (
    LARGE,
    SIZES,
    Problem,
    Size,
    default_trained,
    of_rows,
    single,
    trained,
)
from sgpmic_cli.speed.rival import gpy_evaluation, gpy_version, gpytorch_version
from sgpmic_cli.speed.timing import fastest
from sgpmic_cli.speed.work import DefaultWork, PaperWork

Say = Callable[[str], None]

GROWTH = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
ASYMPTOTIC = {"n": 10_000, "k": 100}  # from where on the exponents are fitted
INDUCING = (25, 50, 100, 200, 400)  # numbers of inducing inputs, with INDUCING_ROWS rows
INDUCING_ROWS = 10_000
THREADED_ROWS = 100_000
STREAMED = (
    100_000,
    1_000_000,
    10_000_000,
)  # rows of files that a default fit and predict read in blocks

# What the project promises, as (name, upper limit).
LIMITS = {
    "one component / GPy": 0.25,
    "all components / GPy at segment": 0.5,
    "evaluation / floor at cmc, segment, yale": 2.0,
    "E-step / evaluation": 1.0,
    "two threads / one, evaluation": 1.0 / 1.7,
    "exponent of N": 1.05,
    "fit of the largest: GB": 3.0,
    "fit of the largest: minutes": 15.0,
    "fit of the largest file: GB": 8.0,
    "predict of the largest file: GB": 2.0,
}


def measure(
    sizes: Sequence[Size] = SIZES,
    growth: Sequence[int] = GROWTH,
    inducing: Sequence[int] = INDUCING,
    threaded: int = THREADED_ROWS,
    streamed: Sequence[int] = STREAMED,
    say: Say = print,
) -> dict[str, Any]:
    """Evaluations beside GPy and the floor, whole fits beside GPy's and GPyTorch's, growth, threads, and files."""
    found = []
    for size in sizes:
        found.append(at_size(size))
        say(f"measured at {size.name}'s size")
    rows = []
    for n in growth:
        rows.append(at_rows(n))
        say(f"measured at {n} rows")
    by_k = []
    for k in inducing:
        by_k.append(at_inducing(k))
        say(f"measured with {k} inducing inputs")
    in_threads = measured_alone("sgpmic_cli.speed.threads", threaded, say)
    say(f"measured one and two threads at {threaded} rows")
    whole_fits = measured_alone(
        "sgpmic_cli.speed.whole_fits", max((size.n for size in sizes), default=0), say
    )
    files = [measured_alone("sgpmic_cli.speed.streamed", n, say) for n in streamed]
    return {
        **environment(),
        "commit": commit(),
        "gpy": gpy_version(),
        "gpytorch": gpytorch_version(),
        "unit": "milliseconds of processor time, one thread, fastest of the turns; of threads on the wall",
        "sizes": found,
        "growth": {**LARGE, "rows": rows, "exponent": exponent(rows, "n")},
        "inducing": {**LARGE, "n": INDUCING_ROWS, "rows": by_k, "exponent": exponent(by_k, "k")},
        "threads": in_threads,
        "whole_fits": whole_fits,
        "streamed": files,
    }


def at_size(size: Size) -> dict[str, Any]:
    """Milliseconds of one component and of all, of their floors, of the E-step, and of GPy, and the ratios of these.

    Evaluation and E-step of the default setting as well.
    """
    seen, every = trained(size)
    one, default = single(every), DefaultWork(*default_trained(size))
    candidates: dict[str, Callable[[], object]] = {
        "one": PaperWork(one).evaluation(),
        "one floor": floor(one),
        "all": PaperWork(every).evaluation(),
        "all floor": floor(every),
        "E-step": PaperWork(every).e_step(),
        "default": default.evaluation(),
        "default E-step": default.e_step(),
    }
    if gpy_version():
        candidates["gpy"] = gpy_evaluation(seen, every.parameters.X, size.k)
    ms = fastest(candidates)
    ratios = {
        "one / floor": ms["one"] / ms["one floor"],
        "all / floor": ms["all"] / ms["all floor"],
    }
    ratios["E-step / all"] = ms["E-step"] / ms["all"]
    ratios["default E-step / default"] = ms["default E-step"] / ms["default"]
    if "gpy" in ms:
        ratios |= {"one / gpy": ms["one"] / ms["gpy"], "all / gpy": ms["all"] / ms["gpy"]}
    shape = {"name": size.name, "N": size.n, "P": size.p, "Q": size.q, "K": size.k, "M": size.m}
    return {**shape, "active": _active(every), "ms": ms, "ratios": ratios}


def at_rows(n: int) -> dict[str, float]:
    """Milliseconds of one evaluation of the large model with n rows."""
    problem = of_rows(n)
    ms = fastest({"all": PaperWork(problem).evaluation()}, rounds=10 if n < 100_000 else 1)["all"]
    return {"n": n, "ms": ms, "active": _active(problem)}


def at_inducing(k: int) -> dict[str, float]:
    """Milliseconds of one evaluation of the large model with k inducing inputs."""
    problem = of_rows(INDUCING_ROWS, k)
    return {"k": k, "ms": fastest({"all": PaperWork(problem).evaluation()}, rounds=5)["all"]}


def exponent(rows: Sequence[dict[str, float]], along: str) -> float | None:
    """a of time ~ N^a or K^a, by least squares on the logs, from where it is that of the largest term."""
    logs = np.log([(row[along], row["ms"]) for row in rows if row[along] >= ASYMPTOTIC[along]])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]) if len(logs) > 1 else None


def verdicts(document: dict[str, Any]) -> list[tuple[str, float, float]]:
    """(promise, measured, limit) for each promise that the document can judge."""
    by_name = {size["name"]: size["ratios"] for size in document["sizes"]}
    measured: dict[str, float | None] = dict.fromkeys(LIMITS)
    if document["gpy"]:
        measured["one component / GPy"] = max(
            (ratios["one / gpy"] for ratios in by_name.values()), default=None
        )
        measured["all components / GPy at segment"] = by_name.get("segment", {}).get("all / gpy")
    floors = [
        by_name[name][ratio]
        for name in ("cmc", "segment", "yale")
        if name in by_name
        for ratio in _FLOORS
    ]
    measured["evaluation / floor at cmc, segment, yale"] = max(floors, default=None)
    measured["E-step / evaluation"] = max(_e_steps(document), default=None)
    shared = [row["ratio"] for row in document["threads"] if row["work"] == "evaluation"]
    measured["two threads / one, evaluation"] = max(shared, default=None)
    measured["exponent of N"] = document["growth"]["exponent"]
    if fit := document.get("fit"):
        measured["fit of the largest: GB"] = fit["peak_gb"]
        measured["fit of the largest: minutes"] = fit["seconds"] / 60.0
    for largest in document["streamed"][-1:]:
        measured["fit of the largest file: GB"] = largest["fit_gb"]
        measured["predict of the largest file: GB"] = largest["predict_gb"]
    return [(name, value, LIMITS[name]) for name, value in measured.items() if value is not None]


_FLOORS = ("one / floor", "all / floor")


def _e_steps(document: dict[str, Any]) -> list[float]:
    """E-step over evaluation of both settings, at all sizes and with the many rows that threads share."""
    names = ("E-step / all", "default E-step / default")
    found = [size["ratios"][name] for size in document["sizes"] for name in names]
    one = {(row["setting"], row["work"]): row["ms"]["1"] for row in document["threads"]}
    return found + [
        ms / one[setting, "evaluation"] for (setting, work), ms in one.items() if work == "E-step"
    ]


def _active(problem: Problem) -> float:
    """How many components a row takes part in, on average."""
    bound = Bound(RBF(), problem.data, problem.S)
    return bound.n_rows / len(problem.S)
