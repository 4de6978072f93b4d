"""A file of many rows through `sgpmic fit` and `sgpmic predict`: time and memory of both, each in its own process.

`python -m sgpmic_cli.speed.streamed N` prints them for N rows of twenty columns, of which a default fit takes a draw.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sgpmic_cli.speed.own_process import gigabytes

COLUMNS, GROUPS = 20, 5
BLOCK = 100_000  # rows that are drawn at a time; few, since a new process is told to have the memory of its parent
THREADS = 2


def streamed(n: int) -> dict[str, float]:
    """Seconds on the wall and the peak of memory of fit and predict."""
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder) / "rows.npy", Path(folder) / "model"
        write_rows(table, n)
        fit = [
            "fit",
            str(table),
            "--clusters",
            str(GROUPS),
            "--n-jobs",
            str(THREADS),
            "--out",
            str(model),
        ]
        predict = ["predict", str(model), str(table), "--out", str(Path(folder) / "predicted")]
        found: dict[str, float] = {"n": n, "p": COLUMNS, "m": GROUPS}
        for name, arguments in (("fit", fit), ("predict", predict)):
            found[f"{name}_seconds"], found[f"{name}_gb"] = _run(arguments)
            print(
                f"{name} of {n} rows took {found[f'{name}_seconds']:.0f} s and {found[f'{name}_gb']:.2f} GB",
                file=sys.stderr,
                flush=True,
            )
    return found


def write_rows(path: Path, n: int) -> None:
    """Groups on curved surfaces of two dimensions, block by block."""
    rng = np.random.RandomState(0)
    centres, first, second = (
        4.0 * rng.randn(GROUPS, COLUMNS),
        rng.randn(2, COLUMNS),
        rng.randn(2, COLUMNS),
    )
    with path.open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (n, COLUMNS)}
        np.lib.format.write_array_header_1_0(file, header)
        for begin in range(0, n, BLOCK):
            size = min(BLOCK, n - begin)
            inside = rng.randn(size, 2)
            bent = inside @ first + np.sin(inside @ second)
            rows = centres[rng.randint(GROUPS, size=size)] + bent + 0.3 * rng.randn(size, COLUMNS)
            file.write(rows.astype("<f8").tobytes())


def _run(arguments: list[str]) -> tuple[float, float]:
    """Seconds and gigabytes of a command, which has to succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "sgpmic_cli", *arguments, "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=sys.stderr,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"sgpmic {arguments[0]} ended with code {code}")
    return time.perf_counter() - began, gigabytes(usage.ru_maxrss)


if __name__ == "__main__":
    print(json.dumps(streamed(int(sys.argv[1]))))
