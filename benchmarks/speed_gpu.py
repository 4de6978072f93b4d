"""Measure the default model on a GPU, and write OUT/speed-gpu.json and OUT/figures/speed-gpu.png.

One EM iteration on the GPU beside one core of the same machine, and the labels of whole fits on
both.
"""

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper_problem import LARGE, generated_rows
from benchmarks.shared import iteration_ms, progress, write_json
from benchmarks.speed_figures import draw_gpu
from sgpmic_cli import SGPMIC
from sgpmic_cli.data import load
from sgpmic_cli.experiments.run.manifest import commit, environment

# Rows, inducing inputs, and whether one core is measured too.
CASES = ((20_000, 10, True), (1_000_000, 10, True), (1_000_000, 50, False), (5_000_000, 10, False))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the files."""
    parser = argparse.ArgumentParser(description="Measure the default model on a GPU.")
    parser.add_argument("--out", type=Path, default=Path("results"))
    asked = parser.parse_args(arguments)
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("there is no GPU to measure; `make speed` measures the processor")
    warnings.filterwarnings("ignore", module="sgpmic")
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda}
    document = {
        "device": {"name": torch.cuda.get_device_name(), **versions},
        **environment(),
        "commit": commit(),
        **measure("cuda"),
    }
    write_json(asked.out / "speed-gpu.json", document)
    (asked.out / "figures").mkdir(exist_ok=True)
    draw_gpu(asked.out / "figures" / "speed-gpu", document)


def measure(device: str, cases: Sequence[tuple[int, int, bool]] = CASES) -> dict[str, Any]:
    """Return the times and labels on the device beside those of NumPy."""
    return {
        **LARGE,
        "unit": "milliseconds of wall time for an EM iteration, fastest of three",
        "iterations": [iteration_times(device, *case) for case in cases],
        "labels": [label_differences(device, name) for name in ("iris", "wine")],
    }


def iteration_times(device: str, n: int, k: int, with_core: bool) -> dict[str, Any]:
    """Time an EM iteration of n rows and k inducing inputs on the device and on one core."""
    Y, _, groups = generated_rows(n)
    parameters: dict[str, Any] = {"n_clusters": LARGE["m"], "n_components": 2, "n_inducing": k}
    parameters |= {"init": groups, "max_iter": 4, "tol": 0.0, "max_rows": n, "random_state": 0}
    found: dict[str, Any] = {"n": n, "k": k}
    found["ms"], _ = iteration_ms(SGPMIC, Y, device=device, **parameters)
    if with_core:
        found["core_ms"], _ = iteration_ms(SGPMIC, Y, n_jobs=1, **parameters)
        found["times_faster"] = found["core_ms"] / found["ms"]
    progress(f"EM iteration: {found}")
    return found


def label_differences(device: str, name: str) -> dict[str, Any]:
    """Count the labels of a fit on the device that differ from those of a fit with NumPy."""
    data = load(name, offline=True)
    on_device = SGPMIC(data.n_classes, device=device, random_state=0).fit(data.Y)
    with_numpy = SGPMIC(data.n_classes, random_state=0).fit(data.Y)
    differ = int(np.sum(on_device.labels_ != with_numpy.labels_))
    bounds_apart = abs(on_device.lower_bound_ / with_numpy.lower_bound_ - 1.0)
    progress(f"{name}: {differ} labels differ, bounds by {bounds_apart:.1e}")
    return {"data": name, "n": len(data.Y), "differ": differ, "bounds_apart": bounds_apart}


if __name__ == "__main__":
    main()
