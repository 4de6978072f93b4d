"""Measure the speed of the estimators, and write OUT/speed.json.

1. Files of up to ten million rows through `sgpmic fit` and `sgpmic predict`: time and peak memory.
2. The bound of the paper's model with its gradient, at the sizes of five data sets, beside GPy.
3. The growth of that time with the number of rows.
4. Whole fits of one component beside GPy and GPyTorch.
5. One EM iteration and the prediction of new rows with two threads beside one.
"""

import itertools
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import other_libraries as others
from benchmarks.end_to_end import run
from benchmarks.paper_problem import (
    LARGE,
    SIZES,
    Size,
    fitted_problem,
    generated_problem,
    generated_rows,
)
from benchmarks.shared import parse, progress, write_measurements
from sgpmic_cli import GroupMap
from sgpmic_cli.paper.model.estimator import SGPMIC

GROWTH = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
ASYMPTOTIC_ROWS = 10_000  # the exponent is fitted from this number of rows on
CALLS = 3  # consecutive calls per turn, as an optimiser makes them
STEPS = 30  # of the optimiser in a whole fit
THREADED_ROWS = 100_000
FITTED_ROWS = 5_000  # of the default model that predicts
NEW_ROWS = {"paper": 3_000, "default": 16_384}  # prediction is slower in the paper's model
FILES = (100_000, 1_000_000, 10_000_000)
PAPER_ROWS = 100_000  # of the file to which the paper's model is fitted too
COLUMNS, BLOCK = 20, 100_000  # of the files; rows written at a time
PAPER_OPTIONS = ("--method", "sgp-mic", "--dims", "2")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the file. ROWS is the most rows in memory; files have ten times more."""
    asked = parse(arguments, __doc__, out=Path("results"), rows=1_000_000)
    warnings.filterwarnings("ignore", module="sgpmic")
    # The files are first, because a process inherits the peak memory of its parent.
    files = [file_times(n) for n in FILES if n <= 10 * asked.rows]
    write_measurements({"streamed": files, **measure(asked.rows)}, asked.out / "speed.json")


def measure(rows: int, sizes: Sequence[Size] = SIZES) -> dict[str, Any]:
    """Return the measurements in memory with up to this number of rows."""
    with threadpool_limits(1):
        timed = [size_times(size) for size in sizes]
        growth = [evaluation_growth(n) for n in GROWTH if n <= rows]
        document: dict[str, Any] = {
            "gpy": others.installed("GPy"),
            "gpytorch": others.installed("gpytorch"),
            "unit": "milliseconds of processor time in one thread; threads: wall time",
            "sizes": [evaluation for evaluation, _ in timed],
            "growth": {**LARGE, "rows": growth, "exponent": exponent(growth)},
            "whole_fits": [fit for _, fit in timed],
        }
    return {**document, "threads": thread_times(min(rows, THREADED_ROWS))}


def size_times(size: Size) -> tuple[dict[str, Any], dict[str, Any]]:
    """Time evaluations and whole fits at the size of a data set: ours, GPy's and GPyTorch's.

    Evaluations are of one and of all components. Fits are of one component from the same latent
    points. GPy uses L-BFGS with our number of steps, and GPyTorch Adam, as in its own example.
    """
    scaled, problem = fitted_problem(size)
    X, one = problem.parameters.X, problem.one_component()
    evaluations = {"one": one.evaluation(), "all": problem.evaluation()}
    fits = {"ours": one.maximisation(STEPS)}
    if others.installed("GPy"):
        evaluations["gpy"] = others.gpy_evaluation(scaled, X, size.k)
        fits["gpy"] = others.gpy_fit(scaled, X, size.k, STEPS)
    if others.installed("gpytorch") and size.p <= others.MOST_COLUMNS:
        fits["gpytorch"] = others.gpytorch_fit(scaled, X, size.k, STEPS)
    evaluation_ms, fit_ms = fastest(evaluations), fastest(fits, turns=1, clock=time.process_time)
    progress(f"{size.name}, bound and gradient in ms: {evaluation_ms}; whole fits: {fit_ms}")
    shape = {"name": size.name, "N": size.n, "P": size.p, "Q": size.q, "K": size.k, "M": size.m}
    return {**shape, "ms": evaluation_ms}, {"name": size.name, "steps": STEPS, "ms": fit_ms}


def fastest(
    candidates: Mapping[str, Callable[[], object]],
    *,
    turns: int = 10,
    clock: Callable[[], float] = time.thread_time,
) -> dict[str, float]:
    """Return the milliseconds of the fastest call of each candidate.

    The candidates take turns after one warm-up call, so that a change of the machine's speed
    affects all of them. The default clock is the processor time of this thread, which does not
    count other work on the machine.
    """
    for call in candidates.values():
        call()
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(turns):
        for name, call in candidates.items():
            for _ in range(CALLS):
                start = clock()
                call()
                best[name] = min(best[name], 1e3 * (clock() - start))
    return best


def evaluation_growth(n: int) -> dict[str, float]:
    """Time an evaluation with n generated rows."""
    evaluation = generated_problem(n).evaluation()
    ms = fastest({"all": evaluation}, turns=10 if n < 100_000 else 1)["all"]
    progress(f"{n} rows, bound and gradient: {ms:.1f} ms")
    return {"n": n, "ms": ms}


def exponent(rows: Sequence[dict[str, float]]) -> float | None:
    """Fit the exponent a of time ~ N^a to the larger numbers of rows."""
    logs = np.log([(row["n"], row["ms"]) for row in rows if row["n"] >= ASYMPTOTIC_ROWS])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]) if len(logs) > 1 else None


def iteration_ms(make: Callable[..., Any], Y: Any, **parameters: Any) -> tuple[float, Any]:
    """Fit an estimator, and return the shortest time between two EM iterations and the estimator.

    The time before the first iteration (scaling and initialisation) is not counted.
    """
    times: list[float] = []
    model = make(callback=lambda *_: times.append(time.perf_counter()), **parameters).fit(Y)
    return 1e3 * min(after - before for before, after in itertools.pairwise(times)), model


def thread_times(n: int) -> list[dict[str, Any]]:
    """Time an EM iteration and the prediction of new rows with one thread and with two.

    The iterations of the default model start from given clusters, because only those are timed.
    """
    Y, _, groups = generated_rows(n)
    common = {"n_clusters": LARGE["m"], "n_components": LARGE["q"], "max_iter": 4, "tol": 0.0}
    given = {"init": groups, "max_rows": n, "n_resamples": 0}
    found = []
    for setting in ("paper", "default"):
        ms: dict[str, dict[str, float]] = {"EM iteration": {}, "prediction": {}}
        results = []
        for threads in (1, 2):
            own: dict[str, Any] = {"n_jobs": threads, "random_state": 0, **common}
            if setting == "paper":
                iteration, model = iteration_ms(SGPMIC, Y, n_inducing=LARGE["k"], **own)
                fitted = model
            else:
                iteration, fitted = iteration_ms(GroupMap, Y, **given, **own)
                model = GroupMap(**own).fit(Y[:FITTED_ROWS])
            began = time.perf_counter()
            predicted = model.predict(Y[: NEW_ROWS[setting]] + 0.01)
            ms["prediction"][str(threads)] = 1e3 * (time.perf_counter() - began)
            ms["EM iteration"][str(threads)] = iteration
            results.append(np.concatenate([fitted.embedding_.ravel(), predicted]))
        for work, times in ms.items():
            progress(f"{setting} model, {n} rows, {work} in ms by threads: {times}")
            equal = bool(np.all(results[0] == results[1]))
            found.append({"setting": setting, "work": work, "n": n, "ms": times, "equal": equal})
    return found


def file_times(n: int) -> dict[str, float]:
    """Run `sgpmic fit` and `sgpmic predict` on a file of n rows: seconds and gigabytes.

    The paper's model, which uses every row, is fitted to one of the files only.
    """
    found: dict[str, float] = {"n": n, "p": COLUMNS, "m": LARGE["m"]}
    with tempfile.TemporaryDirectory() as folder:
        table, model, out = (str(Path(folder) / name) for name in ("rows.npy", "model", "out"))
        write_rows(Path(table), n)
        fit = ("fit", table, "--clusters", str(LARGE["m"]), "--out")
        commands: dict[str, tuple[str, ...]] = {
            "fit": (*fit, model, "--threads", "2"),
            "predict": ("predict", model, table, "--out", out, "--threads", "2"),
        }
        if n == PAPER_ROWS:
            commands["paper_fit"] = (*fit, f"{model}-paper", *PAPER_OPTIONS)
        for name, command in commands.items():
            used = run([sys.executable, "-m", "sgpmic_cli", *command, "--quiet"])
            progress(f"{n} rows, {name}: {used}")
            found |= {f"{name}_seconds": used["wall_seconds"], f"{name}_gb": used["gb"]}
    return found


def write_rows(path: Path, n: int) -> None:
    """Write generated rows block by block."""
    with path.open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (n, COLUMNS)}
        np.lib.format.write_array_header_1_0(file, header)
        for begin in range(0, n, BLOCK):
            rows, *_ = generated_rows(min(BLOCK, n - begin), COLUMNS, random_state=begin)
            file.write(rows.astype("<f8").tobytes())


if __name__ == "__main__":
    main()
