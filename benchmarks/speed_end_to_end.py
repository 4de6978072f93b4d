"""Measure `sgpmic fit FILE` beside two short scripts, and write OUT/speed-end-to-end.json.

The scripts are what an analyst would write instead: UMAP, HDBSCAN and a scatter plot; and k-means
with silhouettes for 2 to 15 clusters and a scatter plot. All read the same CSV file of 20 columns.
Each is a process of its own. They take turns, except for 30,000 rows and more, and the turn with
the least processor time counts. Processor time depends little on other work on the machine. One
thread is used, so that no time is spent on waiting. A script that has used five times the processor
time of `sgpmic fit` is stopped; its time and its memory are then lower limits.

`first_answer` is the processor time of `sgpmic fit` until it prints the first line of its result.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.shared import parse, progress, write_measurements

ROWS = (300, 3_000, 30_000, 300_000)
LONGEST = 5  # times the processor time of `sgpmic fit`, that a script may take
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

# This process makes no table, because the others inherit its peak memory.
TABLE = """
import sys
from sklearn.datasets import make_blobs
import pandas as pd
rows, _ = make_blobs(int(sys.argv[2]), 20, centers=5, cluster_std=5.0, random_state=0)
pd.DataFrame(rows).add_prefix("column_").round(4).to_csv(sys.argv[1], index=False)
"""
READ = """
import sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.preprocessing import StandardScaler
rows = StandardScaler().fit_transform(pd.read_csv(sys.argv[1]))
"""
DRAW = """
plt.scatter(*points.T, c=labels, s=4)
plt.savefig(sys.argv[2])
"""
UMAP = f"""{READ}
from sklearn.cluster import HDBSCAN
from umap import UMAP
points = UMAP().fit_transform(rows)
labels = HDBSCAN(min_cluster_size=max(5, len(rows) // 100), min_samples=5).fit_predict(points)
{DRAW}"""
# The silhouette needs all distances, so it is computed for a sample of large tables.
K_MEANS = f"""{READ}
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score
tried = {{}}
for m in range(2, 16):
    labels = KMeans(m, n_init=10, random_state=0).fit_predict(rows)
    size = min(3000, len(rows))
    tried[silhouette_score(rows, labels, sample_size=size, random_state=0)] = labels
labels = tried[max(tried)]
points = PCA(2).fit_transform(rows)
{DRAW}"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the file."""
    asked = parse(arguments, __doc__, out=Path("results"), turns=3)
    document = {
        "unit": "seconds of processor time in one thread; gigabytes of memory",
        "columns": 20,
        "turns": asked.turns,
        "rows": [measure(n, asked.turns if n < 30_000 else 1) for n in ROWS],
    }
    write_measurements(document, asked.out / "speed-end-to-end.json")


def measure(n: int, turns: int) -> dict[str, object]:
    """Return seconds and memory of the three ways for a table of n rows."""
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        table, out = str(Path(folder) / "table.csv"), str(Path(folder) / "out")
        run([sys.executable, "-c", TABLE, table, str(n)])
        commands = {
            "sgpmic": ["-m", "sgpmic_cli", "fit", table, "--out", out, "--force"],
            "umap_hdbscan": ["-c", UMAP, table, f"{out}.png"],
            "k_means_silhouettes": ["-c", K_MEANS, table, f"{out}.png"],
        }
        for _ in range(turns):
            for name, command in commands.items():
                limit = LONGEST * best["sgpmic"]["seconds"] if "sgpmic" in best else None
                found = run([sys.executable, *command], limit, THREADS)
                progress(f"{n} rows, {name}: {found}")
                if name not in best or found["seconds"] < best[name]["seconds"]:
                    best[name] = found
    return {"n": n, **best}


def run(
    command: Sequence[str], limit: float | None = None, variables: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Run a process. Return its processor time in total and at its first line, and its memory.

    `wall_seconds` is its wall time. After `limit` seconds of processor time it is stopped.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, **(variables or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    if limit is not None:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(limit) + 1,) * 2)
    found: dict[str, float] = {}
    if process.stdout.readline():
        found["first_answer"] = _seconds_so_far(process.pid)
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    found["wall_seconds"] = round(time.perf_counter() - began, 2)
    process.returncode = os.waitstatus_to_exitcode(status)
    if limit is not None and process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        found["stopped"] = True
    elif process.returncode:
        raise SystemExit(f"{command[:4]} ended with code {process.returncode}")
    seconds = usage.ru_utime + usage.ru_stime
    # In kilobytes on Linux.
    return {"seconds": round(seconds, 2), "gb": round(usage.ru_maxrss / 2**20, 3), **found}


def _seconds_so_far(pid: int) -> float:
    """Return the processor time of a running process on Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
