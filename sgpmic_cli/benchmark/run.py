"""Run a study: look up stored runs, compute the others, and fill the frame of runs (see `plan`).

Each finished run is appended to one file at once, so that a killed benchmark can resume.
"""

import io
import json
import logging
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices, PathLike
from sgpmic_cli.benchmark.methods import error_text, import_class
from sgpmic_cli.benchmark.plan import FILLED, Cell, Study, load_data, plan_cells, plan_runs
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files import claim_folder, locked, write_files
from sgpmic_cli.manifest import manifest
from sgpmic_cli.scores import SCORES, score_all
from sgpmic_cli.text import printable

BENCHMARK = "benchmark"  # the command that writes the tables, unless another is named
CONNECT_SECONDS = 10  # to a Dask scheduler
LOCAL = "local"  # instead of the address of a scheduler
DASK_BLOCK = 8  # runs of each Dask worker between two writes to the store
KEPT_WARNINGS = 5
IDENTITY = ["key", "dataset", "method", "q", "n_clusters", "settings", "repeat", "seed"]
Row = dict[str, Any]  # of the frame of runs
# Receives the numbers of finished and of all runs, and the last run.
Progress = Callable[[int, int, str], None]


class Store:
    """The file `runs.jsonl` of a folder: a line for each finished run, the last of a key counts."""

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)
        self.path = self.folder / "runs.jsonl"
        self.memory = self.folder / "memory"  # where methods share intermediate results

    def read(self) -> dict[str, Row]:
        """Return the stored runs by key, without lines that are damaged."""
        rows: dict[str, Row] = {}
        lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                row = json.loads(line)
                rows[row["key"]] = {name: row[name] for name in FILLED}
        return rows

    def append(self, row: Row) -> None:
        """Write a finished run in one step, after the line of a killed process if there is one."""
        with self.path.open("ab", buffering=0) as file:
            file.write(b"\n" + json.dumps(row, allow_nan=False).encode())


@dataclass(frozen=True)
class RunOptions:
    """How and where runs are computed, which changes no number."""

    store: PathLike | None = None  # folder of runs; None for `runs` beside the tables
    n_jobs: int = -1  # processes of this machine; -1 for one per core
    scheduler: str | None = None  # address of a Dask scheduler; "local" starts a cluster here
    force: bool = False  # compute every run again
    retry_failed: bool = False  # compute failed runs again
    progress: Progress = lambda *_: None


@dataclass(frozen=True)
class Runs:
    """The runs of a study, planned or finished."""

    study: Study
    options: RunOptions
    store: Store
    cells: list[Cell]
    frame: pd.DataFrame  # see `plan`
    computed: int = 0  # runs computed by this call; the others were stored
    seconds: float = 0.0

    @property
    def distinct(self) -> pd.DataFrame:
        """Return the runs without those that an earlier cell has as well."""
        return self.frame[self.frame["key"] != ""].drop_duplicates("key")

    @property
    def reused(self) -> int:
        """Return the number of runs read from the store."""
        return len(self.distinct) - self.computed

    @property
    def failed(self) -> int:
        """Return the number of failed runs, computed or read."""
        return int((self.distinct["status"] == "failed").sum())

    def filled(self, rows: Mapping[str, Row]) -> pd.DataFrame:
        """Return the frame with the results of runs by key."""
        filled = [{**row, **rows.get(row["key"], {})} for row in self.frame.to_dict("records")]
        types: Any = {"q": "Int64", **dict.fromkeys([*SCORES, "seconds"], float)}
        return pd.DataFrame(filled, columns=self.frame.columns).astype(types)


def plan_study(study: Study, options: RunOptions, out: PathLike | None = None) -> Runs:
    """Load the data, plan the runs, and take over those that are stored."""
    loaded = load_data(study.datasets, study.explained_variances, study.label)
    cells = plan_cells(loaded, study)
    store = Store(options.store if options.store is not None else Path(out or ".") / "runs")
    runs = Runs(study, options, store, cells, plan_runs(cells, study.repeats, study.seed))
    stored = {} if options.force else store.read()
    if options.retry_failed:
        stored = {key: row for key, row in stored.items() if row["status"] == "ok"}
    return replace(runs, frame=runs.filled(stored))


def run_study(
    study: Study, options: RunOptions, out: PathLike | None = None, command: str = BENCHMARK
) -> Runs:
    """Run or resume a study whose tables the command will write into `out`.

    Check before the computation that the folders are writable and have no files of others.
    """
    runs, start = plan_study(study, options, out), time.perf_counter()
    waiting = runs.distinct.query("status == 'planned'")
    costs = waiting["cell"].map(lambda cell: -runs.cells[cell].cost)
    pending = waiting.loc[costs.sort_values(kind="stable").index]  # the longest first
    rows: dict[str, Row] = {}
    if out is not None:
        claim_folder(Path(out), command)
    runs.store.folder.mkdir(parents=True, exist_ok=True)
    with locked(runs.store.folder):
        stored = len(runs.distinct) - len(pending)
        options.progress(0, len(pending), f"{stored} runs stored")
        for row in _computed(runs, pending):
            runs.store.append(row)
            rows[row["key"]] = row
            done = f"{len(rows)} of {len(pending)} runs done"
            step = f"{done}: {row['method']} on {row['dataset']}"
            options.progress(len(rows), len(pending), step)
    seconds = time.perf_counter() - start
    return replace(runs, frame=runs.filled(rows), computed=len(rows), seconds=seconds)


def _computed(runs: Runs, pending: pd.DataFrame) -> Iterator[Row]:
    """Compute runs with joblib, and yield each as it is ready."""
    from joblib import delayed

    planned: dict[str, Any] = {row["key"]: row for row in pending[IDENTITY].to_dict("records")}
    memory = None if runs.options.scheduler else runs.store.memory
    tasks = []
    for key, number, seed in zip(pending["key"], pending["cell"], pending["seed"], strict=True):
        cell = runs.cells[number]
        assert cell.data is not None
        light = replace(cell, data=None)  # the frame of a table is large
        tasks.append(delayed(compute)(key, light, seed, cell.data.Y, cell.data.labels, memory))
    for result in _in_parallel(tasks, runs.options):
        yield {**FILLED, **planned[result["key"]], **result}


def compute(
    key: str, cell: Cell, seed: int, Y: Array, labels: Any, memory: Path | None = None
) -> Row:
    """Fit and score one run with one thread, and return its key and what it fills in the frame.

    The seconds are processor seconds of the fit alone. An error is a failed run with its reason.
    """
    from threadpoolctl import threadpool_limits

    Y = Y.view()
    Y.flags.writeable = False
    row: Row = {"key": key, "status": "ok"}
    start = time.process_time()
    with (
        threadpool_limits(limits=1),
        redirect_stdout(io.StringIO()),  # methods may print, but stdout is for our tables
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            estimator = make_estimator(cell, seed, memory)
            start = time.process_time()
            clusters = _clusters(estimator, Y)
        except (Exception, SystemExit) as error:
            row |= {"status": "failed", "reason": printable(error_text(error))[:500]}
    row["seconds"] = time.process_time() - start
    if row["status"] == "ok":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the scores are not the method's
            row |= score_all(labels, clusters)
    messages = (printable(" ".join(str(each.message).split()))[:300] for each in caught)
    return {**row, "warnings": list(dict.fromkeys(messages))[:KEPT_WARNINGS]}


def make_estimator(cell: Cell, seed: int, memory: Path | None = None) -> Any:
    """Create the estimator of a run.

    `memory` is the folder where the package's methods share intermediate results.
    """
    common: Row = {"n_clusters": cell.n_clusters, "n_components": cell.q, "random_state": seed}
    if not cell.method.third_party:  # a third-party parameter of this name may mean something else
        common["memory"] = memory
    accepted = cell.method.accepts()
    given = {name: value for name, value in common.items() if name in accepted}
    return import_class(cell.method.target)(**given | cell.settings)


def _clusters(estimator: Any, Y: Array) -> Indices:
    """Fit the rows, and number their clusters from zero."""
    clusters = np.asarray(estimator.fit_predict(Y))
    if clusters.shape != (len(Y),):
        raise ValueError(f"fit_predict gave labels of shape {clusters.shape} for {len(Y)} rows.")
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        raise ValueError("fit_predict gave labels that are not numbers.")
    return np.unique(clusters, return_inverse=True)[1]


def _in_parallel(tasks: Sequence[Any], options: RunOptions) -> Iterator[Row]:
    """Yield the results of tasks as they are ready, from processes of this machine or from Dask."""
    from joblib import Parallel, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    if not tasks:  # no workers are started
        return
    if options.scheduler is not None:  # joblib returns the results of Dask all at once
        with dask_cluster(options.scheduler, options.n_jobs) as workers:
            for start in range(0, len(tasks), DASK_BLOCK * workers):
                yield from Parallel()(tasks[start : start + DASK_BLOCK * workers])
        return
    # joblib warns of cancelled tasks after an interrupt, which the command reports itself.
    warnings.filterwarnings("ignore", message=r"\d+ tasks (which|have been)")
    ignore_interrupts = {"initializer": signal, "initargs": (SIGINT, SIG_IGN)}
    try:
        with parallel_config("loky", n_jobs=options.n_jobs, **ignore_interrupts):
            yield from Parallel(return_as="generator_unordered", batch_size=1)(tasks)
    except TerminatedWorkerError as error:
        raise SgpmicError(
            "a worker process died, probably out of memory or by a crash in a method: finished "
            "runs are kept, and the same command resumes. Use fewer processes, such as --n-jobs 1."
        ) from error


@contextmanager
def dask_cluster(scheduler: str, n_jobs: int) -> Iterator[int]:
    """Use the workers of a Dask scheduler in joblib, and yield their number.

    The scheduler "local" starts `n_jobs` workers on this machine and ends them.
    """
    from joblib import effective_n_jobs, parallel_config

    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError("--backend dask needs Dask: pip install 'sgpmic[dask]'.") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised as well
    where: Any = {"address": scheduler, "timeout": CONNECT_SECONDS}
    if scheduler == LOCAL:
        where = {"n_workers": effective_n_jobs(n_jobs), "threads_per_worker": 1}
        where["dashboard_address"] = None
    try:
        client = Client(**where, set_as_default=False)
    except Exception as error:  # Dask raises many types of errors for a wrong address
        raise UsageError(
            f"no Dask scheduler answers at {scheduler!r} within {CONNECT_SECONDS} s: start one or "
            "correct the address."
        ) from error
    with client:
        threads = client.nthreads().values()
        if not threads or max(threads) > 1:
            raise UsageError(
                f"the Dask cluster at {scheduler!r} needs workers with one thread each, so that "
                "runs do not disturb each other: start them with --nthreads 1, one per core."
            )
        with parallel_config(backend="dask", client=client):
            yield len(threads)


def write_study(
    folder: Path,
    files: Mapping[str, str],
    runs: Runs,
    further: Mapping[str, Any] | None = None,
    command: str = BENCHMARK,
) -> None:
    """Write the tables of a study and its manifest, all of them or none.

    `further` are arguments that the study does not hold, such as the values of a sweep. In the
    manifest, `seconds_of_all_runs` includes the runs of earlier calls.
    """
    used = [cell.data for cell in runs.cells if cell.data is not None]
    options = {name: getattr(runs.options, name) for name in ("n_jobs", "force", "retry_failed")}
    options["scheduler"] = "given" if runs.options.scheduler else None  # not its address
    content = manifest(
        {**runs.study.arguments(), **(further or {}), **options},
        {f"{data.name}, {data.Y.shape[0]} x {data.Y.shape[1]}": data.sha256 for data in used},
        runs={"computed": runs.computed, "reused": runs.reused, "failed": runs.failed},
        seconds_of_this_call=runs.seconds,
        seconds_of_all_runs=round(float(runs.distinct["seconds"].sum()), 1),
    )
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    write_files(folder, command, {**files, "manifest.json": f"{text}\n"})
