"""Measure the speed of the estimators, and write OUT/speed.json and OUT/figures/speed.png.

1. Files of up to ten million rows through `sgpmic fit` and `sgpmic predict`: time and peak memory.
2. The bound of the paper's model with its gradient, at the sizes of five data sets, beside GPy.
3. The growth of that time with the number of rows.
4. Whole fits of one component beside GPy and GPyTorch.
5. One EM iteration and the prediction of new rows with two threads beside one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import other_libraries as others
from benchmarks.paper_problem import (
    LARGE,
    SIZES,
    Size,
    fitted_problem,
    generated_problem,
    generated_rows,
)
from benchmarks.shared import fastest, iteration_ms, progress, write_json
from benchmarks.speed_figures import draw_speed
from sgpmic_cli import SGPMIC
from sgpmic_cli.experiments.run.manifest import commit, environment
from sgpmic_cli.model.paper.estimator import PaperSGPMIC

GROWTH = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
ASYMPTOTIC_ROWS = 10_000  # the exponent is fitted from this number of rows on
STEPS = 30  # of the optimiser in a whole fit
THREADED_ROWS = 100_000
NEW_ROWS = {"paper": 3_000, "default": 16_384}  # prediction is slower in the paper's model
FILES = (100_000, 1_000_000, 10_000_000)
COLUMNS, GROUPS, BLOCK = 20, 5, 100_000  # of the files; rows written at a time
PAPER_OPTIONS = ("--setting", "paper", "--dims", "2", "--inducing", "100", "--iterations", "5")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the files."""
    parser = argparse.ArgumentParser(description="Measure the speed of the estimators.")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument(
        "--rows", type=int, default=1_000_000, help="most rows in memory; files have ten times more"
    )
    parser.add_argument("--no-files", dest="files", action="store_false", help="skip the files")
    asked = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", module="sgpmic")
    document = measure(asked.rows, files=asked.files)
    write_json(asked.out / "speed.json", document)
    (asked.out / "figures").mkdir(exist_ok=True)
    draw_speed(asked.out / "figures" / "speed", document)
    print(f"numbers in {asked.out / 'speed.json'}, figure in {asked.out / 'figures/speed.png'}")


def measure(rows: int, *, files: bool = True, sizes: Sequence[Size] = SIZES) -> dict[str, Any]:
    """Return all measurements with up to this number of rows in memory."""
    document: dict[str, Any] = {
        **environment(),
        "commit": commit(),
        "gpy": others.installed("GPy"),
        "gpytorch": others.installed("gpytorch"),
        "unit": "milliseconds of processor time in one thread, fastest call; threads: wall time",
        "streamed": [],
    }
    if files:  # first, because a process inherits the peak memory of its parent
        document["streamed"] = [file_times(n) for n in FILES if n <= 10 * rows]
        document["fit"] = paper_file_times(rows)
    with threadpool_limits(1):
        document["sizes"] = [evaluation_times(size) for size in sizes]
        growth = [evaluation_growth(n) for n in GROWTH if n <= rows]
        document["growth"] = {**LARGE, "rows": growth, "exponent": exponent(growth)}
        document["whole_fits"] = [fit_times(size) for size in sizes]
    document["threads"] = thread_times(min(rows, THREADED_ROWS))
    return document


def evaluation_times(size: Size) -> dict[str, Any]:
    """Time one component, all components and GPy at the size of a data set."""
    scaled, problem = fitted_problem(size)
    candidates = {"one": problem.one_component().evaluation(), "all": problem.evaluation()}
    if others.installed("GPy"):
        candidates["gpy"] = others.gpy_evaluation(scaled, problem.parameters.X, size.k)
    ms = fastest(candidates)
    ratios = {f"{name} / gpy": ms[name] / ms["gpy"] for name in ("one", "all") if "gpy" in ms}
    progress(f"{size.name}, bound and gradient in ms: {_rounded(ms)}")
    shape = {"name": size.name, "N": size.n, "P": size.p, "Q": size.q, "K": size.k, "M": size.m}
    return {**shape, "ms": ms, "ratios": ratios}


def evaluation_growth(n: int) -> dict[str, float]:
    """Time an evaluation with n generated rows."""
    evaluation = generated_problem(n).evaluation()
    ms = fastest({"all": evaluation}, turns=10 if n < 100_000 else 1)
    progress(f"{n} rows, bound and gradient in ms: {_rounded(ms)}")
    return {"n": n, "ms": ms["all"]}


def exponent(rows: Sequence[dict[str, float]]) -> float | None:
    """Fit the exponent a of time ~ N^a to the larger numbers of rows."""
    logs = np.log([(row["n"], row["ms"]) for row in rows if row["n"] >= ASYMPTOTIC_ROWS])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]) if len(logs) > 1 else None


def fit_times(size: Size) -> dict[str, Any]:
    """Time fits of one component from the same latent points: ours, GPy's and GPyTorch's.

    GPy uses L-BFGS with the same number of steps. GPyTorch uses Adam, as in its own example.
    """
    scaled, problem = fitted_problem(size)
    X = problem.parameters.X
    fits = {"ours": problem.one_component().maximisation(STEPS)}
    if others.installed("GPy"):
        fits["gpy"] = others.gpy_fit(scaled, X, size.k, STEPS)
    if others.installed("gpytorch") and size.p <= others.MOST_COLUMNS:
        fits["gpytorch"] = others.gpytorch_fit(scaled, X, size.k, STEPS)
    ms = fastest(fits, turns=1, clock=time.process_time)
    ratios = {f"ours / {name}": ms["ours"] / ms[name] for name in ms if name != "ours"}
    progress(f"{size.name}, whole fits in ms: {_rounded(ms)}")
    return {"name": size.name, "steps": STEPS, "ms": ms, "ratios": ratios}


def thread_times(n: int) -> list[dict[str, Any]]:
    """Time an EM iteration and the prediction of new rows with one thread and with two."""
    Y, groups = generated_rows(n)[::2]
    common = {"n_clusters": LARGE["m"], "n_components": LARGE["q"], "max_iter": 4, "tol": 0.0}
    estimators: dict[str, Any] = {
        "paper": (PaperSGPMIC, {"n_inducing": LARGE["k"]}),
        "default": (SGPMIC, {"max_rows": n, "init": groups}),
    }
    found = []
    for setting, (make, own) in estimators.items():
        ms: dict[str, dict[str, float]] = {"EM iteration": {}, "prediction": {}}
        labels = []
        for threads in ("1", "2"):
            ms["EM iteration"][threads], model = iteration_ms(
                make, Y, n_jobs=int(threads), random_state=0, **common, **own
            )
            began = time.perf_counter()
            predicted = model.predict(Y[: NEW_ROWS[setting]] + 0.01)
            ms["prediction"][threads] = 1e3 * (time.perf_counter() - began)
            labels.append(np.concatenate([model.labels_, predicted]))
        for work, times in ms.items():
            progress(f"{setting} model, {n} rows, {work} in ms by threads: {_rounded(times)}")
            row = {"setting": setting, "work": work, "n": n, "ms": times}
            row |= {"ratio": times["2"] / times["1"], "equal": bool(np.all(labels[0] == labels[1]))}
            found.append(row)
    return found


def file_times(n: int) -> dict[str, float]:
    """Run `sgpmic fit` and `sgpmic predict` on a file of n rows: seconds and gigabytes."""
    with tempfile.TemporaryDirectory() as folder:
        table, model, out = (str(Path(folder) / name) for name in ("rows.npy", "model", "out"))
        write_rows(Path(table), n)
        fit = run_command("fit", table, "--clusters", str(GROUPS), "--n-jobs", "2", "--out", model)
        predict = run_command("predict", model, table, "--out", out)
    names = ("fit_seconds", "fit_gb", "predict_seconds", "predict_gb")
    return {"n": n, "p": COLUMNS, "m": GROUPS, **dict(zip(names, fit + predict, strict=True))}


def paper_file_times(n: int) -> dict[str, float]:
    """Fit the paper's model, which uses every row, to a file of n rows."""
    with tempfile.TemporaryDirectory() as folder:
        table, model = (str(Path(folder) / name) for name in ("rows.npy", "model"))
        write_rows(Path(table), n)
        options = ("--clusters", str(GROUPS), *PAPER_OPTIONS)
        seconds, gigabytes = run_command("fit", table, *options, "--out", model)
    return {"n": n, "rounds": 5, "seconds": seconds, "peak_gb": gigabytes}


def write_rows(path: Path, n: int) -> None:
    """Write groups on curved surfaces of two dimensions, block by block."""
    rng = np.random.RandomState(0)
    centres = 4.0 * rng.randn(GROUPS, COLUMNS)
    first, second = rng.randn(2, COLUMNS), rng.randn(2, COLUMNS)
    with path.open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (n, COLUMNS)}
        np.lib.format.write_array_header_1_0(file, header)
        for begin in range(0, n, BLOCK):
            size = min(BLOCK, n - begin)
            inside = rng.randn(size, 2)
            curved = inside @ first + np.sin(inside @ second)
            rows = centres[rng.randint(GROUPS, size=size)] + curved + 0.3 * rng.randn(size, COLUMNS)
            file.write(rows.astype("<f8").tobytes())


def run_command(*arguments: str) -> tuple[float, float]:
    """Run a command of sgpmic and return its wall time in seconds and its peak memory in GB."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "sgpmic_cli", *arguments, "--quiet"], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"sgpmic {arguments[0]} ended with code {code}")
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes only on macOS
    gigabytes = usage.ru_maxrss * unit / 2**30
    progress(f"sgpmic {arguments[0]}: {seconds:.0f} s, {gigabytes:.2f} GB")
    return seconds, gigabytes


def _rounded(times: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in times.items())


if __name__ == "__main__":
    main()
