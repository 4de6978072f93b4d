"""Compute everything under results/, and describe it in results/manifest.json.

    python -m benchmarks.results [TARGET ...]

Every step is a target of the Makefile, some with a folder of labelled tables that is not shipped
(docs/built.md says where they come from). The manifest names version, commit, machine, seconds and
hashes of the files of each step. A second call continues an interrupted one: steps of this commit
are not repeated, and a step that began at this commit finds its files. Runs and files of other
commits are removed before a step begins. Targets choose some of the steps.
"""

import hashlib
import json
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from sgpmic_cli import __version__
from sgpmic_cli.manifest import commit, environment

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
# The targets of the Makefile, and patterns of the files below results/ that they write.
STEPS: dict[str, tuple[str, ...]] = {
    "reproduce-table1": ("table1/*",),
    "reproduce-table2": ("table2/*",),
    "reproduce-as-stated": ("table2-as-stated/*",),
    "reproduce-nulls": ("table2-nulls/*",),
    "sweep-clusters": ("sweep-clusters/*",),
    "sweep-inducing": ("sweep-inducing/*",),
    "search-settings": ("search/*/*",),
    "agreement": ("agreement/*",),
    "study": ("study/scores.csv",),
    "study TABLES=benchmarks/tables/keel": ("study-keel/*",),
    "study TABLES=benchmarks/tables/numeric": ("study-numeric/*",),
    "study TABLES=benchmarks/tables/mixed": ("study-mixed/*",),
    "study TABLES=benchmarks/tables/suite": ("study-suite/*",),
    "missing-values": ("study/missing/*",),
    "map-study": ("study/map.csv",),
    "verdicts": ("verdicts.csv", "verdicts-bundled.csv"),
    "new-rows": ("new-rows.csv",),
    "invariance TABLES=benchmarks/tables/mixed": ("invariance.csv",),
    "speed-end-to-end": ("speed-end-to-end.json",),
    "speed-estimators ROWS=1000000": ("speed.json",),
    "report": ("figures/*", "report.html"),
}


def main(targets: list[str]) -> None:
    """Compute the steps that this commit has not computed."""
    if not targets and read().get("commit") != commit():
        shutil.rmtree(RESULTS / "runs", ignore_errors=True)
    for target in targets or STEPS:
        entry = read()["steps"].get(target, {})
        if entry.get("commit") != commit():
            for name in files_of(target):
                (RESULTS / name).unlink()
            record(target, 0)
        elif entry["files"] and entry["files"] == files_of(target):
            continue
        print(target, flush=True)
        start = time.monotonic()
        subprocess.run(["make", *target.split()], cwd=ROOT, check=True)
        record(target, round(time.monotonic() - start))


def read() -> dict[str, Any]:
    """Return the manifest."""
    file = RESULTS / "manifest.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.exists() else {"steps": {}}


def files_of(target: str) -> dict[str, str]:
    """Return the SHA-256 hashes of the files of a step by their names."""
    paths = sorted(path for pattern in STEPS[target] for path in RESULTS.glob(pattern))
    return {
        path.relative_to(RESULTS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file()
    }


def record(target: str, seconds: int) -> None:
    """Write a step into the manifest."""
    entry = {
        "version": __version__,
        "commit": commit(),
        "machine": platform.platform(),
        "seconds": seconds,
        "files": files_of(target),
    }
    known = read()["steps"] | {target: entry}
    steps = {each: known[each] for each in STEPS if each in known}
    text = json.dumps({"commit": commit(), **environment(), "steps": steps}, indent=2)
    (RESULTS / "manifest.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
