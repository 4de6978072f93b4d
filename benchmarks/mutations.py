"""Change the code of the default model at random places, and count the changes that tests catch.

    python -m benchmarks.mutations --sample 200 --out build/mutations

cosmic-ray makes the changes in a copy of the repository. A place is drawn at random, then one of
the changes that are possible there. Bitwise operators are left out: they raise a TypeError on
floats, which any test catches. After a change, the tests that run the changed line are repeated,
the fastest first, until one fails or they would take more than a minute; lines that run at
import are tested by all tests. Finished changes are stored, so an interrupted run resumes.
"""

import argparse
import itertools
import os
import random
import shlex
import shutil
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

MODULES = "sgpmic_cli/clustering"
TESTS = "tests/clustering"
SEED = 0
SECONDS = 60.0  # of the tests after one change, by their times without it
SLOWER = 3.0  # a change counts as caught if its tests take that many times longer
LEFT_OUT = ("Bit", "Shift", "Decorator")
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
CONFIG = """[cosmic-ray]
module-path = ["{modules}"]
timeout = 60
excluded-modules = []
test-command = ""
[cosmic-ray.distributor]
name = "local"
"""


def main(given: list[str] | None = None) -> None:
    """Run the changes and write the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("build/mutations"))
    options = parser.parse_args(given)
    out = options.out.resolve()
    session, copy = out / "session.sqlite", out / "copy"
    if not session.exists():
        out.mkdir(parents=True, exist_ok=True)
        _copy_repository(copy)
        _run_unchanged(copy)
        config = out / "config.toml"
        config.write_text(CONFIG.format(modules=MODULES))
        tool = Path(sys.executable).parent / "cosmic-ray"
        subprocess.run([tool, "init", config, session], cwd=copy, check=True)
        _keep_sample(session, options.sample)
    # A run that was killed leaves its change in the copy.
    shutil.copytree(MODULES, copy / MODULES, dirs_exist_ok=True)
    os.chdir(copy)
    _run_changes(session)
    survivors, count = _survivors(session)
    lines = [f"caught: {count - len(survivors)} of {count}", *survivors]
    (out / "survivors.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def _copy_repository(copy: Path) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if not name.startswith("results/") and Path(name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, copy / name)


def _run_unchanged(copy: Path) -> None:
    """Run all tests without a change, and store their times and the lines that each one runs."""
    watch = (f"--cov={MODULES}", "--cov-context=test", "--cov-report=")
    times = ("--junit-xml=times.xml", "-o", "junit_family=xunit1")
    subprocess.run([*PYTEST, *watch, *times, TESTS], cwd=copy, check=True)


def _run_changes(session: Path) -> None:
    """Make the changes that have no result yet, each with the tests of its line."""
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_db import WorkDB, use_db
    from coverage import CoverageData

    seconds = {
        f"{case.get('file')}::{case.get('name')}": float(case.get("time", 0.0))
        for case in ET.parse("times.xml").iter("testcase")
    }
    covered = CoverageData()
    covered.read()
    with use_db(session, WorkDB.Mode.open) as database:
        for item in list(database.pending_work_items):
            (change,) = item.mutations
            lines = covered.contexts_by_lineno(str(change.module_path.resolve()))
            tests = {name.partition("|")[0] for name in _of(lines, change.start_pos[0])}
            tests = tests & set(seconds) or set(seconds)
            fastest = sorted(tests, key=lambda name: (seconds[name], name))
            until = itertools.accumulate(seconds[name] for name in fastest)
            chosen = [name for name, end in zip(fastest, until, strict=True) if end <= SECONDS]
            Path("tests.txt").write_text("\n".join(chosen))
            command = shlex.join([*PYTEST, "@tests.txt"])
            most = SLOWER * (10.0 + sum(seconds[name] for name in chosen))
            database.set_result(item.job_id, mutate_and_test(item.mutations, command, most))


def _of(lines: dict[int, list[str]], line: int) -> Iterable[str]:
    """Return the tests that run the statement at a line; a statement is recorded at its start."""
    return lines[max((each for each in lines if each <= line), default=min(lines))]


def _keep_sample(session: Path, size: int) -> None:
    """Keep one change at each of `size` random places."""
    with sqlite3.connect(session) as database:
        rows = database.execute(
            "select job_id, operator_name, module_path, start_pos_row, start_pos_col"
            " from mutation_specs order by module_path, start_pos_row, start_pos_col, operator_name"
        ).fetchall()
        places: dict[tuple, list[str]] = {}
        for job, operator, *place in rows:
            if not any(word in operator for word in LEFT_OUT):
                places.setdefault(tuple(place), []).append(job)
        draw = random.Random(SEED)
        chosen = draw.sample(sorted(places), min(size, len(places)))
        kept = {draw.choice(places[place]) for place in chosen}
        for table in ("mutation_specs", "work_items"):
            jobs = [(row[0],) for row in rows if row[0] not in kept]
            database.executemany(f"delete from {table} where job_id = ?", jobs)


def _survivors(session: Path) -> tuple[list[str], int]:
    """Return the changes that no test caught, and the number of all changes."""
    with sqlite3.connect(session) as database:
        rows = database.execute(
            "select s.module_path, s.start_pos_row, s.operator_name, r.test_outcome, r.diff"
            " from mutation_specs s join work_results r on r.job_id = s.job_id"
            " order by s.module_path, s.start_pos_row"
        ).fetchall()
    survivors = [
        f"{path}:{line} {operator}\n{diff}"
        for path, line, operator, outcome, diff in rows
        if outcome == "SURVIVED"
    ]
    return survivors, len(rows)


if __name__ == "__main__":
    main()
