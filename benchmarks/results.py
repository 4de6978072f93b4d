"""Compute everything under results/ and describe it in one manifest.

    python -m benchmarks.results [--check] [TARGET ...]

Every step is a target of the Makefile, some with a folder of labelled tables that is not shipped
(docs/built.md says where they come from). A step whose code and files are as in
results/manifest.json is not repeated. Files that other code wrote are removed before a step begins;
those of an interrupted step are kept, so that it resumes. Targets choose some of the steps.
`--check` lists the steps that are out of date and computes nothing.

The code of a step is a hash of its script and of the modules of the package that its numbers depend
on, without comments and docstrings, and of the versions of the numerical libraries: the rule of
stored runs (`sgpmic_cli/code_version.py`). It includes settings, printed numbers and shipped data
sets, and the generators of data for scripts. A step that reads results of other steps is also out
of date if these have changed.
"""

import hashlib
import json
import platform
import re
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
MODEL = ("sgpmic_cli.clustering.group_map",)
EXPERIMENTS = "sgpmic_cli/paper/experiments"
SETTINGS = ("datasets/*.csv", "datasets/*.toml", f"{EXPERIMENTS}/*.csv", f"{EXPERIMENTS}/*.toml")
PAGE_TEXTS = ("sgpmic_cli/paper/page_texts.toml", "sgpmic_cli/paper/figures/catalogue.toml")
GENERATORS = ("sgpmic_cli/data/generated.py", "sgpmic_cli/data/random_shapes.py")
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
    scripts: tuple[str, ...] = ()  # in benchmarks/, with the scripts that they import
    inputs: tuple[str, ...] = ()  # patterns below results/ of files that it reads
    settings: tuple[str, ...] = SETTINGS  # patterns of files that are no code


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
PAGE, PAGES = "sgpmic_cli.paper.page", "sgpmic_cli.result.page"
STUDY = ("study", "rivals")
TABLES = tuple(f"table2{name}/benchmark.json" for name in ("", "-as-stated", "-nulls"))
STEPS = (
    Step("reproduce-table1", ("table1/*",), ("sgpmic_cli.paper.experiments.table1",)),
    Step("reproduce-table2", ("table2/*",), _methods()),
    Step("reproduce-as-stated", ("table2-as-stated/*",), _methods()),
    Step("reproduce-nulls", ("table2-nulls/*",), COLUMN),
    Step("reproduce-figure7", ("sweep-clusters/*",), (*_methods(), *SWEEPS)),
    Step("reproduce-figure8", ("sweep-inducing/*",), (*_methods("sgp-mic"), *SWEEPS)),
    Step("search-settings", ("search/*/*",), COLUMN, ("search_settings",)),
    Step("reproduce-bounds", ("bounds/*",), _methods("sgp-mic"), ("two_bounds",)),
    Step(
        "agreement",
        *(("agreement/*",), _methods(), ("agreement",)),
        inputs=(*TABLES, "search/*/*.csv"),
    ),
    Step("study", ("study/scores.csv", "study/findings.md", "study/study.*"), MODEL, STUDY),
    *(
        Step(f"study TABLES=benchmarks/tables/{name}", (f"study-{name}/*",), MODEL, STUDY)
        for name in ("keel", "numeric", "mixed", "suite")
    ),
    Step("missing-study", ("study/missing/*",), MODEL, ("missing_values",)),
    Step("map-study", ("study/map.*", "study/reliability.*"), MODEL, ("map_study",)),
    Step("verdicts", ("verdicts.csv",), MODEL, ("verdicts",)),
    Step("mixed-tables", ("mixed-tables.csv",), MODEL, ("mixed_tables",)),
    Step("invariance TABLES=benchmarks/tables/mixed", ("invariance.csv",), MODEL, ("invariance",)),
    Step("speed-end-to-end", ("speed-end-to-end.json",), (*MODEL, PAGES), ("end_to_end",)),
    Step(
        "speed-estimators ROWS=1000000",
        *(("speed.json",), (*MODEL, *_methods("sgp-mic")), ("speed",)),
    ),
    Step(
        "report",
        *(("figures/*", "report.html"), (PAGE, *FIGURES)),
        inputs=(*TABLES, "table1/*.csv", "sweep-*/sweep.csv"),
        settings=(*SETTINGS, *PAGE_TEXTS),
    ),
)


def code_of(step: Step) -> str:
    """Return the hash of the code that the numbers of a step depend on."""
    digest = hashlib.sha256(" ".join(f"{each} {version(each)}" for each in LIBRARIES).encode())
    sources = {path for name in step.modules for path in package_sources(name)} | scripts_of(step)
    if MODEL[0] in step.modules:  # which reads tables by itself
        sources |= set((ROOT / "sgpmic_cli/tables").glob("*.py"))
    if step.scripts:
        sources |= {ROOT / name for name in GENERATORS}
    for path in sorted(sources):
        digest.update(path.name.encode() + without_docstrings(path))
    for path in sorted(path for pattern in step.settings for path in ROOT.glob(pattern)):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def scripts_of(step: Step) -> set[Path]:
    """Return the scripts of a step and those that they import."""
    found: set[Path] = set()
    waiting = list(step.scripts)
    while waiting:
        path = ROOT / f"benchmarks/{waiting.pop()}.py"
        if path.exists() and path not in found:
            found.add(path)
            text = path.read_text("utf-8")
            for module, names in re.findall(
                r"^from benchmarks(?:\.(\w+))? import (.+)", text, re.M
            ):
                imported = [module] if module else re.findall(r"\w+", names)
                waiting += [name for name in imported]
    return found


def files_of(step: Step, results: Path) -> dict[str, str]:
    """Return the SHA-256 hashes of the files of a step by their names."""
    return hashes(step.files, results)


def hashes(patterns: tuple[str, ...], results: Path) -> dict[str, str]:
    """Return the SHA-256 hashes of files by their names."""
    paths = sorted({path for pattern in patterns for path in results.glob(pattern)})
    return {
        path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file()
    }


def stale(results: Path = RESULTS) -> Iterator[tuple[Step, str]]:
    """Yield the steps that must be computed again, each with the reason.

    A step is looked at when those before it have been computed.
    """
    for step in STEPS:
        entry = read(results)["steps"].get(step.target)
        if entry is None:
            yield step, "is not in the manifest"
        elif entry["code"] != code_of(step):
            yield step, f"was computed with other code (commit {entry['commit']})"
        elif not entry["files"] or entry["files"] != files_of(step, results):
            yield step, "has other files than the manifest"
        elif entry["inputs"] != hashes(step.inputs, results):
            yield step, "was computed from other results"


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
        "platform": platform.platform(),
        "seconds": seconds,
        "inputs": hashes(step.inputs, results),
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
    found = False
    for step, reason in stale():
        if not asked or step.target in asked:
            found = True
            print(f"{step.target}: {reason}", flush=True)
            if not check:
                compute(step)
    sys.exit(found and check)


if __name__ == "__main__":
    main()
