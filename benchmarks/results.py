"""Compute everything under results/ and describe it in one manifest.

    python -m benchmarks.results [--check] [TARGET ...]

Every step is a target of the Makefile, some with a folder of labelled tables that is not shipped
(docs/built.md says where they come from). A step whose code and files are as in
results/manifest.json is not repeated. Files that other code wrote are removed before a step begins;
those of an interrupted step are kept, so that it resumes. Targets choose some of the steps.
`--check` lists the steps that are out of date and computes nothing.

The code of a step is a hash of its script and of the modules of the package that its numbers depend
on, without comments and docstrings, and of the versions of the numerical libraries: the rule of
stored runs (`sgpmic_cli/code_version.py`).
"""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sgpmic_cli.code_version import LIBRARIES, package_sources, without_docstrings
from sgpmic_cli.files.manifest import commit, environment
from sgpmic_cli.paper.experiments.methods import paper_methods

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
MANIFEST = "manifest.json"
MODEL = ("sgpmic_cli.clustering.model.estimator",)
PAPER = (
    "sgpmic_cli.scores",
    "sgpmic_cli.paper.experiments.protocols",
    "sgpmic_cli.benchmark.compare",
)


@dataclass(frozen=True)
class Step:
    """A target of the Makefile, the files that it writes, and the code that decides its numbers."""

    target: str
    files: tuple[str, ...]  # patterns below results/
    modules: tuple[str, ...]  # of the package, with everything that they import
    scripts: tuple[str, ...] = ()  # files in benchmarks/


def _methods(*names: str) -> tuple[str, ...]:
    """Return the modules of the paper's methods (all without a name)."""
    methods = paper_methods()
    listed = [methods[name] for name in names] if names else methods.values()
    modules = {method.target.partition(":")[0] for method in listed}
    return *PAPER, *sorted(name for name in modules if name.startswith("sgpmic_cli.paper."))


SWEEPS = ("sgpmic_cli.paper.experiments.sweeps",)
COLUMN = _methods(
    *("sgp-mic", "algorithm-1", "algorithm-1-fixed", "null-fcm", "null-gmm", "null-mahalanobis")
)
FIGURES = tuple(
    f"sgpmic_cli.paper.figures.{path.stem}"
    for path in sorted((ROOT / "sgpmic_cli/paper/figures").glob("[a-z]*.py"))
)
PAGE, PAGES = "sgpmic_cli.paper.page", "sgpmic_cli.clustering.page"
STUDY = ("study.py", "suite.py", "rivals.py")
SPEED = ("speed.py", "paper_problem.py", "other_libraries.py")
STEPS = (
    Step("reproduce-table1", ("table1/*",), ("sgpmic_cli.paper.experiments.table1",)),
    Step("reproduce-table2", ("table2/*",), _methods()),
    Step("reproduce-as-stated", ("table2-as-stated/*",), _methods()),
    Step("reproduce-nulls", ("table2-nulls/*",), COLUMN),
    Step("reproduce-figure7", ("sweep-clusters/*",), (*_methods(), *SWEEPS)),
    Step("reproduce-figure8", ("sweep-inducing/*",), (*_methods("sgp-mic"), *SWEEPS)),
    Step("search-settings", ("search/*/*",), COLUMN, ("search_settings.py",)),
    Step("reproduce-bounds", ("bounds/*",), _methods("sgp-mic"), ("two_bounds.py",)),
    Step("agreement", ("agreement/*",), _methods(), ("agreement.py",)),
    Step("report", ("figures/figure*", "figures/crit*", "report.html"), (PAGE, *FIGURES)),
    Step("study", ("study/scores.csv", "study/findings.md", "study/study.*"), MODEL, STUDY),
    *(
        Step(f"study TABLES=benchmarks/tables/{name}", (f"study-{name}/*",), MODEL, STUDY)
        for name in ("keel", "numeric", "mixed", "suite")
    ),
    Step("missing-study", ("study/missing/*",), MODEL, ("missing_values.py",)),
    Step("map-study", ("study/map.*", "study/reliability.*"), MODEL, ("map_study.py",)),
    Step("verdicts", ("verdicts.csv",), MODEL, ("verdicts.py",)),
    Step("mixed-tables", ("mixed-tables.csv",), MODEL, ("mixed_tables.py",)),
    Step(
        "invariance TABLES=benchmarks/tables/mixed", ("invariance.csv",), MODEL, ("invariance.py",)
    ),
    Step("stay", ("stay.csv",), MODEL, ("stay.py",)),
    Step("speed-end-to-end", ("speed-end-to-end.json",), (*MODEL, PAGES), ("end_to_end.py",)),
    Step(
        "speed-estimators ROWS=1000000",
        ("speed.json", "figures/speed.*"),
        (*MODEL, *_methods("sgp-mic")),
        SPEED,
    ),
)


def code_of(step: Step) -> str:
    """Return the hash of the code that the numbers of a step depend on."""
    digest = hashlib.sha256(" ".join(f"{each} {version(each)}" for each in LIBRARIES).encode())
    sources = {path for module in step.modules for path in package_sources(module)}
    if MODEL[0] in step.modules:  # which reads tables by itself
        sources |= set((ROOT / "sgpmic_cli/tables").glob("*.py"))
    for path in sorted(sources | {ROOT / "benchmarks" / name for name in step.scripts}):
        digest.update(path.name.encode() + without_docstrings(path))
    return digest.hexdigest()[:16]


def files_of(step: Step, results: Path) -> dict[str, str]:
    """Return the SHA-256 hashes of the files of a step by their names."""
    paths = sorted({path for pattern in step.files for path in results.glob(pattern)})
    return {
        path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file()
    }


def stale(results: Path = RESULTS) -> Iterator[tuple[Step, str]]:
    """Yield the steps that must be computed again, each with the reason."""
    recorded = read(results)["steps"]
    for step in STEPS:
        entry = recorded.get(step.target)
        if entry is None:
            yield step, "is not in the manifest"
        elif entry["code"] != code_of(step):
            yield step, f"was computed with other code (commit {entry['commit']})"
        elif not entry["files"] or entry["files"] != files_of(step, results):
            yield step, "has other files than the manifest"


def read(results: Path) -> dict[str, Any]:
    """Return the manifest of a folder of results."""
    file = results / MANIFEST
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {"steps": {}}
    return found


def compute(step: Step) -> None:
    """Run a step and record it."""
    start = time.monotonic()
    remove_other_code(step, RESULTS)
    subprocess.run(["make", *step.target.split()], cwd=ROOT, check=True)
    record(step, RESULTS, round(time.monotonic() - start))


def remove_other_code(step: Step, results: Path) -> None:
    """Remove the files of a step that other code wrote: scripts add to files that they find."""
    entry = read(results)["steps"].get(step.target)
    if entry is None or entry["code"] != code_of(step):
        for name in files_of(step, results):
            (results / name).unlink()
        record(step, results, 0)


def record(step: Step, results: Path, seconds: int) -> None:
    """Write the files of a step and their code into the manifest."""
    entry = {
        "commit": commit(),
        "code": code_of(step),
        "seconds": seconds,
        "files": files_of(step, results),
    }
    known = read(results)["steps"] | {step.target: entry}
    steps = {each.target: known[each.target] for each in STEPS if each.target in known}
    written = {"commit": commit(), **environment(), "steps": steps}
    (results / MANIFEST).write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Compute what is out of date, or list it."""
    asked = set(sys.argv[1:])
    check = "--check" in asked
    asked.discard("--check")
    found = [(step, reason) for step, reason in stale() if not asked or step.target in asked]
    for step, reason in found:
        print(f"{step.target}: {reason}", flush=True)
        if not check:
            compute(step)
    sys.exit(bool(found) and check)


if __name__ == "__main__":
    main()
