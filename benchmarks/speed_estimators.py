"""Measure the speed of the estimators, and write OUT/speed.json.

1. Files of up to ten million rows through `sgpmic fit` and `sgpmic predict`: time and peak memory.
2. The bound of the paper's model with its gradient, and whole fits, at the sizes of five data sets,
   beside GPy's sparse GP-LVM.
3. The growth of that time with the number of rows.
4. One EM iteration and the prediction of new rows with two threads beside one.
"""

import itertools
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from benchmarks.shared import BUNDLED, parse, progress, write_measurements
from benchmarks.speed_end_to_end import run
from sgpmic_cli import GroupMap
from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.data import load
from sgpmic_cli.paper.isomap import MAX_ROWS
from sgpmic_cli.paper.model.bound import Bound, Observed, Parameters, observe
from sgpmic_cli.paper.model.em import m_step
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.paper.model.kernels import RBF
from sgpmic_cli.paper.model.mixture import maximise, mixture

GROWTH = (10_000, 30_000, 100_000, 300_000, 1_000_000)
CALLS = 3  # consecutive calls per turn, as an optimiser makes them
STEPS = 30  # of the optimiser in a whole fit
THREADED_ROWS = 100_000
FITTED_ROWS = 5_000  # of the default model that predicts
NEW_ROWS = {"paper": 3_000, "default": 16_384}  # prediction is slower in the paper's model
FILES = (100_000, 1_000_000, 10_000_000)
COLUMNS, BLOCK = 20, 100_000  # of the files; rows written at a time


class Size(NamedTuple):
    """Rows, columns, latent dimensions, inducing inputs and components."""

    name: str
    n: int
    p: int
    q: int
    k: int
    m: int


SIZES = (
    Size("iris", 150, 4, 2, 50, 3),
    Size("wdbc", 569, 30, 2, 50, 2),
    Size("cmc", 1473, 9, 2, 100, 3),
    Size("segment", 2310, 19, 4, 100, 7),
    Size("yale", 165, 1024, 3, 50, 15),
)
LARGE = {"p": 10, "q": 2, "k": 100, "m": 5}  # shape of the generated rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the file. ROWS is the most rows in memory; files have ten times more."""
    asked = parse(arguments, __doc__, out=Path("results"), rows=100_000)
    warnings.filterwarnings("ignore", module="sgpmic")
    # The files are first, because a process inherits the peak memory of its parent.
    files = [file_times(n) for n in FILES if n <= 10 * asked.rows]
    with threadpool_limits(1):
        timed = [size_times(size) for size in SIZES]
        growth = [evaluation_growth(n) for n in GROWTH if n <= asked.rows]
    logs = np.log([(row["n"], row["ms"]) for row in growth])
    exponent = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])  # of time ~ N^exponent
    document: dict[str, Any] = {
        "gpy": version("GPy"),
        "unit": "milliseconds of processor time in one thread; threads and files: wall time",
        "streamed": files,
        "sizes": [evaluation for evaluation, _ in timed],
        "growth": {**LARGE, "rows": growth, "exponent": exponent},
        "whole_fits": [fit for _, fit in timed],
        "threads": thread_times(min(asked.rows, THREADED_ROWS)),
    }
    write_measurements(document, asked.out / "speed.json")


def size_times(size: Size) -> tuple[dict[str, Any], dict[str, Any]]:
    """Time evaluations and whole fits at the size of a data set: ours and GPy's.

    Evaluations are of one and of all components. Fits are of one component from the same latent
    points, by the same number of steps of L-BFGS.
    """
    scaled, problem = fitted_problem(size)
    one = problem.one_component()
    evaluate, fit = gpy_calls(scaled, problem.parameters.X, size.k)
    evaluations = {"one": one.evaluation(), "all": problem.evaluation(), "gpy": evaluate}
    fits = {"ours": one.maximisation(), "gpy": fit}
    evaluation_ms, fit_ms = fastest(evaluations), fastest(fits, turns=1, clock=time.process_time)
    progress(f"{size.name}, bound and gradient in ms: {evaluation_ms}; whole fits: {fit_ms}")
    return {**size._asdict(), "ms": evaluation_ms}, {"name": size.name, "ms": fit_ms}


def gpy_calls(Y: Array, X: Array, n_inducing: int) -> list[Callable[[], object]]:
    """Return calls that evaluate and that fit GPy's SparseGPLVM."""
    import GPy

    def model() -> Any:
        kernels = GPy.kern.RBF(q) + GPy.kern.Bias(q) + GPy.kern.White(q)  # as in the paper's model
        given = {"X": X.copy(), "kernel": kernels, "num_inducing": n_inducing}
        return GPy.models.SparseGPLVM(Y.copy(), q, **given)

    q = X.shape[1]
    evaluated, calls = model(), itertools.count(1)
    start = evaluated.optimizer_array.copy()
    # GPy caches results for equal parameters, so each call moves them a little.
    return [
        lambda: evaluated._objective_grads(start * (1.0 + 1e-9 * next(calls))),
        lambda: model().optimize("lbfgs", max_iters=STEPS),
    ]


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


class Problem(NamedTuple):
    """Data, parameters and responsibilities (N, M)."""

    data: Observed
    parameters: Parameters
    S: Array

    def evaluation(self) -> Callable[[], object]:
        """Return a call that computes the bound and its gradient."""
        bound = Bound(RBF(), self.data, self.S)
        return lambda: bound.value_and_gradient(self.parameters)

    def maximisation(self) -> Callable[[], object]:
        """Return a call that makes one M-step of STEPS steps of L-BFGS."""
        settings = SGPMIC(
            optimizer_steps=STEPS, learn_noise=True, covariance_type="full", covariance_floor=1e-3
        )
        bound = Bound(RBF(), self.data, self.S)
        return lambda: m_step(bound, self.parameters, settings)

    def one_component(self) -> "Problem":
        """Return the same points under one component: what a GP-LVM library computes."""
        p = self.parameters
        return _problem(self.data, p.X, p.Z, np.ones((len(p.X), 1)))


def fitted_problem(size: Size) -> tuple[Array, Problem]:
    """Return the scaled rows of a data set, and the problem at the result of a fit to them."""
    Y = rows_of(size)
    model = SGPMIC(
        size.m, size.q, n_inducing=size.k, scale="global", max_iter=20, random_state=0
    ).fit(Y)
    scaled = (Y - Y.mean(axis=0)) / Y.std()
    return scaled, _problem(
        observe(scaled), model.embedding_, model.inducing_points_, model.responsibilities_
    )


def generated_problem(n: int) -> Problem:
    """Return generated rows, some of them as inducing inputs, and responsibilities of groups."""
    Y, X, _ = generated_rows(n)
    S = softmax(-2.0 * cdist(X, _means(), "sqeuclidean"), axis=1)  # standard deviation 0.5
    Z = X[np.random.RandomState(2).permutation(n)[: LARGE["k"]]].copy()
    return _problem(observe(Y), X, Z, S)


def generated_rows(
    n: int, p: int = LARGE["p"], random_state: int = 1
) -> tuple[Array, Array, Indices]:
    """Return smooth functions Y (N, P) of points X (N, 2) in five groups, and the groups (N,).

    The distribution depends on the number of columns p only.
    """
    directions = np.random.RandomState(0).randn(LARGE["q"], p)
    rng = np.random.RandomState(random_state)
    groups = rng.randint(LARGE["m"], size=n, dtype=np.intp)
    X = _means()[groups] + 0.5 * rng.randn(n, LARGE["q"])
    return np.sin(X @ directions) + 0.3 * rng.randn(n, p), X, groups


def _means() -> Array:
    angles = 2.0 * np.pi * np.arange(LARGE["m"]) / LARGE["m"]
    return 1.5 * np.column_stack([np.cos(angles), np.sin(angles)])


def rows_of(size: Size) -> Array:
    """Return the bundled data set of this name, or generated groups of its shape."""
    if size.name in BUNDLED:
        return load(size.name).Y
    rng = np.random.RandomState(0)
    within = rng.randn(size.n, size.q) @ rng.randn(size.q, size.p)
    centres = 3.0 * rng.randn(size.m, size.p)[np.arange(size.n) % size.m]
    return centres + within + 0.3 * rng.randn(size.n, size.p)


def _problem(data: Observed, X: Array, Z: Array, S: Array) -> Problem:
    """Complete the parameters: kernels and noise at their starting values, the prior from S."""
    q, m = X.shape[1], S.shape[1]
    prior = mixture(np.full(m, 1.0 / m), np.zeros((m, q)), np.tile(np.eye(q), (m, 1, 1)))
    prior = maximise(X, S, "full", 1e-3, prior)
    log_beta = float(np.log(4.0 * data.n_outputs * len(X) / data.squares.sum()))
    theta = np.tile(RBF().start(q), (m, 1))
    return Problem(data, Parameters(X, Z, theta, log_beta, prior), S)


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
    given = {"init": groups, "max_rows": n, "n_resamples": 0}
    found = []
    for setting in ("default", "paper"):
        ms: dict[str, dict[str, float]] = {"EM iteration": {}, "prediction": {}}
        for threads in (1, 2):
            own: dict[str, Any] = {"n_clusters": LARGE["m"], "n_components": LARGE["q"]}
            own |= {"max_iter": 4, "tol": 0.0, "n_jobs": threads, "random_state": 0}
            if setting == "paper":
                Y = Y[:MAX_ROWS]
                iteration, model = iteration_ms(SGPMIC, Y, n_inducing=LARGE["k"], **own)
            else:
                iteration, _ = iteration_ms(GroupMap, Y, **given, **own)
                model = GroupMap(**own).fit(Y[:FITTED_ROWS])
            began = time.perf_counter()
            model.predict(Y[: NEW_ROWS[setting]] + 0.01)
            ms["prediction"][str(threads)] = 1e3 * (time.perf_counter() - began)
            ms["EM iteration"][str(threads)] = iteration
        for work, times in ms.items():
            progress(f"{setting} model, {len(Y)} rows, {work} in ms by threads: {times}")
            found.append({"setting": setting, "work": work, "n": len(Y), "ms": times})
    return found


def file_times(n: int) -> dict[str, float]:
    """Run `sgpmic fit` and `sgpmic predict` on a file of n rows: seconds and gigabytes."""
    found: dict[str, float] = {"n": n, "p": COLUMNS, "m": LARGE["m"]}
    with tempfile.TemporaryDirectory() as folder:
        table, model, out = (str(Path(folder) / name) for name in ("rows.npy", "model", "out"))
        write_rows(Path(table), n)
        sgpmic, common = ("-m", "sgpmic_cli"), ("--threads", "2", "--quiet")
        commands: dict[str, tuple[str, ...]] = {
            "fit": (*sgpmic, "fit", table, "--clusters", "5", "--out", model, *common),
            "predict": (*sgpmic, "predict", model, table, "--out", out, *common),
        }
        for name, command in commands.items():
            used = run([sys.executable, *command])
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
