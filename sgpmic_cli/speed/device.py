"""What `sgpmic speed --device cuda` measures: a GPU beside one core of the same machine and beside GPyTorch on it."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.data import load
from sgpmic_cli.experiments.run.manifest import commit, environment
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.model.variational import em
from sgpmic_cli.model.variational.latent_prior import Pull, maximise
from sgpmic_cli.speed.problems import LARGE, USUAL_INDUCING, Problem, default_start, of_rows
from sgpmic_cli.speed.rival import gpytorch_pass, gpytorch_version

Say = Callable[[str], None]
Evaluate = Callable[
    [], tuple[float, Any]
]  # the bound, and its gradient as one vector, a tensor on a device

ROWS, MANY_ROWS, FEW_ROWS = 1_000_000, 5_000_000, 20_000
ROUNDS = 10
CALLS = 10
DATA_SETS = ("iris", "wine")
LIMITS = {
    "a pass over the rows: time over that of GPyTorch's fastest": 1.0,
    "bound: relative difference from NumPy's": 1e-8,
    "labels of whole fits that differ from NumPy's": 0.0,
}


class Case(NamedTuple):
    """An evaluation to measure: its setting and size, and whether one core does it too."""

    setting: str
    n: int
    k: int
    beside_core: bool


CASES = (
    Case("default", ROWS, USUAL_INDUCING, True),
    Case("default", FEW_ROWS, LARGE["k"], True),
    Case(
        "default", ROWS, LARGE["k"], False
    ),  # NumPy would need more memory than most machines have
)


def measure_device(device: str = "cuda", say: Say = print) -> dict[str, Any]:
    """Evaluations, rounds, labels and GPyTorch's passes on a device, with the promises that they keep or break."""
    import torch

    where = torch.device(device)
    document: dict[str, Any] = {
        **environment(),
        "commit": commit(),
        "device": _description(where),
        **LARGE,
    }
    document["unit"] = "milliseconds on the wall, median of the calls; one core: fastest of three"
    document["evaluations"] = []
    for case in CASES:
        document["evaluations"].append(at_case(case, where))
        say(f"measured {case.setting} with {case.n} rows and {case.k} inducing inputs")
    document["gpytorch"] = gpytorch_version()
    if document["gpytorch"]:
        problem = of_rows(ROWS)
        document["gpytorch_passes"] = gpytorch_pass(
            problem.data.Y, problem.parameters.X, LARGE["k"], where
        )
        say("measured GPyTorch")
    document["rounds"] = [ten_rounds(setting, MANY_ROWS, where) for setting in ("default",)]
    say(f"measured {ROUNDS} rounds with {MANY_ROWS} rows")
    document["labels"] = same_labels(where)
    document["rounding"] = [
        rounding_in_rounds(setting, FEW_ROWS, where) for setting in ("default",)
    ]
    say("compared the labels of fits")
    document["verdicts"] = [
        {"promise": name, "measured": value, "limit": LIMITS[name], "kept": value <= LIMITS[name]}
        for name, value in promises(document).items()
    ]
    return document


def at_case(case: Case, device: Any) -> dict[str, Any]:
    """Milliseconds of one evaluation on the device and, if asked for, on one core, and how far the two are apart."""
    on_device, on_host, active = default_evaluations(of_rows(case.n, case.k), device)
    found: dict[str, Any] = {"setting": case.setting, "n": case.n, "k": case.k, "active": active}
    found["ms"] = on_the_wall(on_device, device)
    if case.beside_core:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            value, gradient = on_host()
            found["core_ms"] = min(on_the_wall(on_host, device, calls=1) for _ in range(3))
        ours, slopes = on_device()
        found["times_faster"] = found["core_ms"] / found["ms"]
        found["bound_difference"] = abs(ours / value - 1.0)
        found["gradient_difference"] = float(
            np.abs(slopes.cpu().numpy() - gradient).max() / np.abs(gradient).max()
        )
    return found


def default_evaluations(problem: Problem, device: Any) -> tuple[Evaluate, Evaluate, float]:
    """Return the bound on the device and on the host, and the mean number of components of a row."""
    from sgpmic_cli.model.variational.on_device import DeviceBound, OnDevice

    data, state = default_start(problem, len(problem.parameters.Z))
    state = replace(state, S=problem.S, prior=maximise(state.free.mu, state.free.s, problem.S))
    on = OnDevice(device, data, state)
    vector, there = on.vector(), DeviceBound(on)
    rows, pull = em.active_rows(data, state.S), Pull(state.S, state.prior)
    active = sum(0 if own is None else len(own.places) for own in rows) / len(data.Y)
    return (
        lambda: there.value_and_gradient(vector),
        lambda: em.value_and_gradient(data, state.free, rows, pull),
        active,
    )


def ten_rounds(setting: str, n: int, device: Any) -> dict[str, Any]:
    """Seconds of ten rounds on the device, from arrays on the host to arrays on the host."""
    run = _training(setting, of_rows(n, USUAL_INDUCING))
    began = time.perf_counter()
    _, bounds = run(device)
    return {
        "setting": setting,
        "n": n,
        "rounds": ROUNDS,
        "seconds": time.perf_counter() - began,
        "bounds": bounds,
    }


def same_labels(device: Any) -> list[dict[str, Any]]:
    """How many labels differ between whole fits on the device and on the host, for both settings."""
    found: list[dict[str, Any]] = []
    for name in DATA_SETS:
        data = load(name, offline=True)
        for setting, make in {"default": SGPMIC}.items():
            ours, theirs = (
                make(data.n_classes, device=where, random_state=0) for where in (device.type, "cpu")
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                differ = int(np.sum(ours.fit(data.Y).labels_ != theirs.fit(data.Y).labels_))
            apart = abs(ours.lower_bound_ / theirs.lower_bound_ - 1.0)
            found.append(
                {
                    "data": name,
                    "setting": setting,
                    "n": len(data.Y),
                    "differ": differ,
                    "bounds_apart": apart,
                }
            )
    return found


def rounding_in_rounds(setting: str, n: int, device: Any) -> dict[str, Any]:
    """What rounding does to groups that run into each other in ten rounds, which do not converge.

    Every step builds on the one before, so that a difference in the last digit grows: `device` has the labels that
    differ and how far the bounds come apart between device and host, `order` the same between the host and the host
    with the rows in reverse order.
    """
    run = _training(setting, of_rows(n, USUAL_INDUCING))
    backwards = _training(setting, of_rows(n, USUAL_INDUCING), reverse=True)
    labels, bounds = run(None)
    there, there_bounds = run(device)
    turned, turned_bounds = backwards(None)
    return {
        "setting": setting,
        "n": n,
        "rounds": ROUNDS,
        "device": {"labels": int(np.sum(there != labels)), "bounds": _apart(there_bounds, bounds)},
        "order": {
            "labels": int(np.sum(turned[::-1] != labels)),
            "bounds": _apart(turned_bounds, bounds),
        },
    }


def _apart(ours: list[float], theirs: list[float]) -> float:
    return max(abs(one / other - 1.0) for one, other in zip(ours, theirs, strict=True))


def on_the_wall(run: Callable[[], object], device: Any, calls: int = CALLS) -> float:
    """Milliseconds of a call, the median of some after two to warm up; the device has finished when it ends."""
    import torch

    times = []
    for _ in range(calls if calls == 1 else calls + 2):
        began = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(1e3 * (time.perf_counter() - began))
    return median(times[-calls:])


def compute_on(setting: str, device: Any) -> Any:
    """What computes the rounds of a setting on a device, or on the host with None."""
    from sgpmic_cli.model.variational import on_device

    return em.OnHost if device is None else partial(on_device.OnDevice, device)


def _training(
    setting: str, problem: Problem, *, reverse: bool = False
) -> Callable[[Any], tuple[Array, list[float]]]:
    """Ten rounds from the problem's start on a device, or on the host with None: labels, and the bounds on the way."""
    rows = slice(None, None, -1 if reverse else None)
    data, state = default_start(problem, len(problem.parameters.Z))
    data = replace(data, Y=data.Y[rows].copy(), squares=data.squares[rows].copy())
    free = replace(state.free, mu=state.free.mu[rows].copy())  # all else is the same for every row
    return partial(_train_default, data, replace(state, free=free, S=state.S[rows].copy()))


def _train_default(data: em.Data, state: em.State, device: Any) -> tuple[Array, list[float]]:
    steps = SGPMIC().optimizer_steps
    fit = em.train(data, state, ROUNDS, steps, -np.inf, compute=compute_on("default", device))
    return fit.state.S.argmax(axis=1), fit.bounds


def _description(device: Any) -> dict[str, Any]:
    import torch

    if device.type != "cuda":
        return {"name": device.type, "torch": torch.__version__}
    about = torch.cuda.get_device_properties(device)
    memory = about.total_memory / 2**30
    return {
        "name": about.name,
        "memory_gb": memory,
        "cuda": torch.version.cuda,
        "torch": torch.__version__,
    }


def promises(document: dict[str, Any]) -> dict[str, float]:
    """What the document has to say of each promise."""
    first = document["evaluations"][0]
    apart = [
        row["bound_difference"] for row in document["evaluations"] if "bound_difference" in row
    ]
    found = {
        "bound: relative difference from NumPy's": max(apart),
        "labels of whole fits that differ from NumPy's": float(
            sum(row["differ"] for row in document["labels"])
        ),
    }
    if document["gpytorch"]:
        theirs = min(row["ms"] for row in document["gpytorch_passes"])
        found["a pass over the rows: time over that of GPyTorch's fastest"] = first["ms"] / theirs
    return found
