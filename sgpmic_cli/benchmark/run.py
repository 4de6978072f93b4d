"""Run a study: look up stored runs, compute the others, and return one results frame.

Finished runs are stored on disk, one small JSON file each, so that a killed benchmark can resume.
A stored run is a row of the results frame:

| field | content |
|---|---|
| key, dataset, method, q, n_clusters, settings, repeat, seed | what was run |
| status | "ok" or "failed" |
| seconds, n_iter | time and iterations of the fit |
| scores | of a run that succeeded, by name |
| reason, traceback | of a run that failed |
| warnings | of the fit |
| trace | its losses and bounds by iteration, by name |
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.fit import DEFAULTS, Limits, Row
from sgpmic_cli.benchmark.plan import Cell, Run, Study, load_data, plan_cells, plan_runs, runs_of
from sgpmic_cli.benchmark.workers import make_batches, run_locally, run_on_cluster
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files import check_writable, claim_folder, locked, write_files, write_whole
from sgpmic_cli.manifest import manifest
from sgpmic_cli.scores import SCORES

MANIFEST = "manifest.json"
BENCHMARK = "benchmark"  # the command that writes the tables, unless another is named
MAX_JOBS_PER_CORE = 32
FIELDS = [
    *("key", "dataset", "method", "q", "n_clusters", "settings", "repeat", "seed", "status"),
    *("seconds", *DEFAULTS),
]
COLUMNS = list(dict.fromkeys(["cell", "data", "explained_variance", *FIELDS, *SCORES]))


class Store:
    """A folder of runs, one file each."""

    def __init__(self, folder: PathLike, warn: Callable[[str], None] = lambda _: None):
        self.folder = Path(folder)
        self.warn = warn
        self._warned = False

    @property
    def memory(self) -> Path:
        """Return the folder where methods keep intermediate results that several runs share."""
        return self.folder / "memory"

    def read(self, key: str) -> Row | None:
        """Return a stored run, or None if it is missing or damaged.

        Warn of the first damaged one.
        """
        path = self.folder / f"{key}.json"
        try:
            row = json.loads(path.read_bytes())
            if row.pop("checksum") != _checksum(row) or row["key"] != key:
                raise ValueError("the checksum or the key differs")
            if row.keys() != set(FIELDS):
                raise ValueError("the fields are those of another version")
            return row
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SgpmicError(f"cannot read the run record '{path}': {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            if not self._warned:
                self.warn(
                    f"the run record '{path}' is damaged; this run and any other damaged one are "
                    "computed again."
                )
            self._warned = True
            return None

    def write(self, row: Row) -> None:
        """Write a run with a checksum of its content."""
        text = _canonical({**row, "checksum": _checksum(row)})
        write_whole(self.folder / f"{row['key']}.json", f"{text}\n")


def _checksum(row: Row) -> str:
    return hashlib.sha256(_canonical(row).encode()).hexdigest()[:16]


def _canonical(row: Row) -> str:
    return json.dumps(row, sort_keys=True, allow_nan=False)


class Watcher(Protocol):
    """Callbacks for the progress of a study."""

    def planned(self, kept: int, pending: int) -> None:
        """Receive how many runs are stored, and how many will be computed."""

    def finished(self, row: Row) -> None:
        """Receive a computed run."""

    def warn(self, sentence: str) -> None:
        """Receive a warning."""


class Silent(Watcher):
    """A watcher that does nothing."""


@dataclass(frozen=True)
class RunOptions:
    """Options that say how and where runs are computed. They change no number."""

    store: PathLike | None = None  # folder of runs; None for `runs` beside the tables
    n_jobs: int = -1  # processes of this machine; -1 for one per core
    scheduler: str | None = None  # address of a Dask scheduler; "local" starts a cluster here
    limits: Limits = Limits()  # of one run
    force: bool = False  # compute every run again
    retry_failed: bool = False  # compute failed runs again
    data_dir: PathLike | None = None  # folder of downloaded data
    watcher: Watcher = field(default_factory=Silent)

    def __post_init__(self) -> None:
        """Check the options before any data are loaded."""
        most = MAX_JOBS_PER_CORE * (os.cpu_count() or 1)
        if self.n_jobs > most:
            raise UsageError(
                f"--n-jobs {self.n_jobs} is too many for this machine: give at most {most}, or -1."
            )

    def arguments(self) -> dict[str, Any]:
        """Return the options for the manifest, without paths on the user's machine."""
        names = ("n_jobs", "force", "retry_failed")
        places = ("scheduler", "data_dir")
        return {name: getattr(self, name) for name in names} | {
            name: None if getattr(self, name) is None else "given" for name in places
        }


@dataclass(frozen=True)
class Prepared:
    """A planned study, which a dry run shows."""

    study: Study
    options: RunOptions
    cells: list[Cell]
    stored: dict[str, Row]  # runs in the store, by key
    pending: list[Run]  # the other runs
    store: Store

    def runs_of(self, cell: Cell) -> list[Run]:
        """Return the runs of one of the cells, in the order of the repeats."""
        return runs_of(cell, self.study.repeats, self.study.seed)


@dataclass(frozen=True)
class FinishedStudy:
    """The results of a study, and how they were computed."""

    prepared: Prepared
    runs: pd.DataFrame  # a row for each run of each cell, see `results_frame`
    seconds: float

    @property
    def study(self) -> Study:
        """Return the study."""
        return self.prepared.study

    @property
    def computed(self) -> int:
        """Return the number of runs computed by this call. The others were stored."""
        return len(self.prepared.pending)

    @property
    def reused(self) -> int:
        """Return the number of runs read from the store."""
        return len(self.prepared.stored)

    @property
    def distinct_runs(self) -> pd.DataFrame:
        """Return the runs without those that an earlier cell has as well."""
        return self.runs[self.runs["status"] != "unavailable"].drop_duplicates("key")

    @property
    def failed(self) -> int:
        """Return the number of failed runs, computed or read."""
        return int((self.distinct_runs["status"] == "failed").sum())


def run_study(
    study: Study, options: RunOptions, out: PathLike | None = None, command: str = BENCHMARK
) -> FinishedStudy:
    """Run or resume a study whose tables the command will write into `out`.

    Check before the computation that the folders are writable and have no files of others.
    """
    prepared = prepare(study, options, out)
    folder, start = prepared.store.folder, time.perf_counter()
    if out is not None:
        claim_folder(Path(out), command)
    check_writable(folder, "--store")
    with locked(folder):
        options.watcher.planned(len(prepared.stored), len(prepared.pending))
        rows = prepared.stored | execute(prepared.pending, prepared.store, options)
    return FinishedStudy(prepared, results_frame(prepared, rows), time.perf_counter() - start)


def execute(pending: Sequence[Run], store: Store, options: RunOptions) -> dict[str, Row]:
    """Compute runs, store each at once, and return the rows by key."""
    if not pending:
        return {}
    batches = make_batches(pending, options.limits)
    if options.scheduler is None:
        results = run_locally(batches, store.memory, options.limits, options.n_jobs)
    else:
        how = options.scheduler, options.limits, store.warn, options.n_jobs
        results = run_on_cluster(batches, *how)
    rows: dict[str, Row] = {}
    with closing(results):
        for batch in results:
            for row in batch:
                store.write(row)
                rows[row["key"]] = row
                options.watcher.finished(row)
    return rows


def prepare(study: Study, options: RunOptions, out: PathLike | None = None) -> Prepared:
    """Check the arguments, load the data, plan the runs and look them up in the store."""
    loaded = load_data(
        study.datasets,
        study.explained_variances,
        label=study.label,
        scale=study.scale,
        data_dir=options.data_dir,
    )
    cells = plan_cells(loaded, study)
    folder = options.store if options.store is not None else Path(out or ".") / "runs"
    store = Store(folder, warn=options.watcher.warn)
    runs = plan_runs(cells, study.repeats, study.seed)
    rows = {} if options.force else {run.key: store.read(run.key) for run in runs}
    stored = {
        key: row
        for key, row in rows.items()
        if row is not None and (row["status"] == "ok" or not options.retry_failed)
    }
    pending = [run for run in runs if run.key not in stored]
    return Prepared(study, options, cells, stored, pending, store)


def results_frame(prepared: Prepared, rows: Mapping[str, Row]) -> pd.DataFrame:
    """Return the results frame, with a row for each run of each cell.

    The columns are the number and the fields of the cell, the fields of the stored run (see
    above), and one for each score. A cell without data has one row with status "unavailable".
    """
    lines: list[Row] = []
    for number, cell in enumerate(prepared.cells):
        place = {
            "cell": number,
            "dataset": cell.dataset,
            "data": cell.data.sha256 if cell.data else "",
            "explained_variance": cell.explained_variance,
            "q": cell.q,
            "n_clusters": cell.n_clusters,
            "method": cell.method.name,
            "scores": cell.scores,
            "settings": cell.settings,
        }
        runs = [rows[run.key] for run in prepared.runs_of(cell)]
        lines += [{**run, **run["scores"], **place} for run in runs]
        if not runs:
            lines.append({**place, "status": "unavailable", "reason": cell.reason})
    return pd.DataFrame(lines, columns=COLUMNS).astype({"q": "Int64"})


def write_study(
    folder: Path,
    files: Mapping[str, str],
    finished: FinishedStudy,
    further: Mapping[str, Any] | None = None,
    command: str = BENCHMARK,
) -> None:
    """Write the tables of a study and its manifest, all of them or none.

    `further` are arguments that the study does not hold, such as the values of a sweep. In the
    manifest, `seconds_of_all_runs` includes the runs of earlier calls.
    """
    used = [cell.data for cell in finished.prepared.cells if cell.data is not None]
    content = manifest(
        {**finished.study.arguments(), **(further or {}), **finished.prepared.options.arguments()},
        {f"{data.name}, {data.Y.shape[0]} x {data.Y.shape[1]}": data.sha256 for data in used},
        runs={"computed": finished.computed, "reused": finished.reused, "failed": finished.failed},
        seconds_of_this_call=finished.seconds,
        seconds_of_all_runs=round(float(finished.distinct_runs["seconds"].sum()), 1),
    )
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    write_files(folder, command, {**files, MANIFEST: f"{text}\n"})
