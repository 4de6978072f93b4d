"""Options that several commands share, and their parsing."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

OUTPUT_FOLDER = Path("sgpmic-out")  # the default of --out; `results` holds the published numbers


def split_list(names: str) -> list[str]:
    """Split a comma-separated list."""
    return [name.strip() for name in names.split(",") if name.strip()]


def split_columns(given: Sequence[str] | None) -> tuple[str, ...]:
    """Split lists of column names; a name that contains a comma is quoted as in a CSV file."""
    rows = csv.reader(given or (), skipinitialspace=True)
    try:
        names = tuple(name for row in rows for name in row if name)
    except csv.Error:
        raise typer.BadParameter("put a name with a line break in quotes.") from None
    if given and not names:
        raise typer.BadParameter("no column is named.")
    return names


def check_jobs(n_jobs: int) -> int:
    """Return the number of processes or threads. Raise BadParameter for 0."""
    if n_jobs == 0:
        raise typer.BadParameter("0 is not possible, give 1 or more, or -1 for all cores.")
    return n_jobs


Json = Annotated[bool, Option("--json", help="Print one JSON document instead of a table.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print nothing but errors.")]
Scale = Literal["none", "global", "standard"]

# Options of commands for one table.
_DATA = "Data set, path of a table (CSV, Parquet, .xlsx, .npy, also .gz), or - for stdin."
Data = Annotated[str, Argument(metavar="DATA", help=_DATA)]
_OUT = "Output folder; by default sgpmic-out/COMMAND/NAME of the table."
OutOfTable = Annotated[Path | None, Option("--out", help=_OUT)]
Force = Annotated[bool, Option("--force", help="Replace the results in the output folder.")]
Label = Annotated[str | None, Option(metavar="COLUMN", help="Column of class labels.")]
_DROP = "Ignore these columns, separated by commas."
Drop = Annotated[list[str] | None, Option(metavar="NAMES", help=_DROP, callback=split_columns)]
_LOG = "Columns, separated by commas, whose logarithms are clustered."
Log = Annotated[list[str] | None, Option(metavar="NAMES", help=_LOG, callback=split_columns)]
_SEPARATOR = "Separator of the cells, such as ';' or tab; by default detected."
Separator = Annotated[str | None, Option(metavar="CHARACTER", help=_SEPARATOR)]
_ENCODING = "Text encoding, such as latin-1; by default UTF-8 or cp1252."
Encoding = Annotated[str | None, Option(help=_ENCODING)]
_THREADS = "Threads; -1 uses all cores. The result does not depend on it."
Threads = Annotated[int, Option(help=_THREADS, callback=check_jobs)]
Open = Annotated[bool, Option("--open", help="Open the page in a browser.")]

# Options of experiments.
_DATASETS = (
    "Data sets, separated by commas: names, 'all' for those of the paper, files or 'FOLDER/*.csv'."
)
Datasets = Annotated[str, Option("--dataset", help=_DATASETS)]
_METHODS = (
    "Methods, separated by commas: names, 'all' for those of the paper, or module:Class, such as "
    "sklearn.cluster:KMeans."
)
Methods = Annotated[str, Option(help=_METHODS)]
Out = Annotated[Path, Option(help="Output folder for the tables and the manifest.")]
_REPEATS = "Runs of each method on each data set, each with its own seed."
Repeats = Annotated[int, Option(min=1, max=100_000, help=_REPEATS)]
Seed = Annotated[int, Option(help="Seed from which the seeds of all runs are derived.")]
_PROTOCOL = "as-run reproduces the paper's numbers; as-stated follows its text."
Protocol = Annotated[str, Option(help=_PROTOCOL)]
_LABEL = "Label column of the files; by default their last column."
LabelOfFiles = Annotated[str | None, Option("--label", help=_LABEL)]
Jobs = Annotated[int, Option(help="Processes; -1 uses all cores.", callback=check_jobs)]
_BACKEND = "loky: processes on this machine; dask: a Dask cluster."
Backend = Annotated[Literal["loky", "dask"], Option(help=_BACKEND)]
_SCHEDULER = (
    "Address of a Dask scheduler such as tcp://HOST:8786; local, the default, starts one here."
)
Scheduler = Annotated[str | None, Option(metavar="ADDRESS", help=_SCHEDULER)]
Store = Annotated[Path | None, Option(help="Folder of stored runs; by default OUT/runs.")]
ForceRuns = Annotated[bool, Option("--force", help="Recompute every run.")]
RetryFailed = Annotated[bool, Option("--retry-failed", help="Recompute failed runs.")]


def dask_address(backend: str, scheduler: str | None) -> str | None:
    """Return the address of the Dask scheduler, or None for processes of this machine."""
    return scheduler or ("local" if backend == "dask" else None)


def default_out(command: str, name: str) -> Path:
    """Return the default output folder for a table: its name without the folder and the suffixes.

    Examples
    --------
    >>> default_out("fit", "data/birds.csv.gz").as_posix()
    'sgpmic-out/fit/birds'
    """
    path = Path(name)
    stem = Path(path.stem).stem if path.suffix.lower() in (".gz", ".zip") else path.stem
    return OUTPUT_FOLDER / command / (stem.strip(".") or "table")


def print_help(context: typer.Context) -> None:
    """Print the help of a group that is called without a subcommand."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
