"""Change the code of the default model at random places, and count the changes that tests catch.

    python -m benchmarks.mutations --sample 200 --out build/mutations

cosmic-ray makes the changes in a copy of the repository. A place is drawn at random, then one of
the changes that are possible there. Bitwise operators are left out: they raise a TypeError on
floats, which any test catches. Finished changes are stored, so an interrupted run resumes.
"""

import argparse
import json
import random
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

MODULES = "sgpmic_cli/clustering/model"
TESTS = Path("tests/clustering/model")
LAST = (
    "any_table",
    "estimator",
    "metamorphic",
    "raw_tables",
)  # whole fits; other tests fail faster
SEED = 0
SECONDS = 600.0  # of the tests after one change
LEFT_OUT = ("Bit", "Shift", "Decorator")
CONFIG = """[cosmic-ray]
module-path = ["{modules}"]
timeout = {seconds}
excluded-modules = []
test-command = {test}
[cosmic-ray.distributor]
name = "local"
"""


def main(given: list[str] | None = None) -> None:
    """Run the changes and write the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("build/mutations"))
    options = parser.parse_args(given)
    session, config = options.out / "session.sqlite", options.out / "config.toml"
    copy = options.out / "copy"
    if not session.exists():
        options.out.mkdir(parents=True, exist_ok=True)
        options_of_test = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        files = sorted(TESTS.glob("test_*.py"), key=lambda file: file.stem[5:] in LAST)
        test = shlex.join([sys.executable, *options_of_test, *map(str, files)])
        config.write_text(CONFIG.format(modules=MODULES, seconds=SECONDS, test=json.dumps(test)))
        _copy_repository(copy)
        _run(copy, "baseline", config)  # fails if the tests fail without a change
        _run(copy, "init", config, session)
        _keep_sample(session, options.sample)
    _run(copy, "exec", config, session)
    survivors, count = _survivors(session)
    lines = [f"caught: {count - len(survivors)} of {count}", *survivors]
    (options.out / "survivors.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def _copy_repository(copy: Path) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if not name.startswith("results/") and Path(name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, copy / name)


def _run(copy: Path, command: str, *files: Path) -> None:
    tool = Path(sys.executable).parent / "cosmic-ray"
    subprocess.run([tool, command, *(file.resolve() for file in files)], cwd=copy, check=True)


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
