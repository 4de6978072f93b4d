"""Options that several commands share, their shell completion and their parsing."""

import csv
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.safe_text import as_option_value

if TYPE_CHECKING:
    from sgpmic_cli.data.intake.options import TextFormat
    from sgpmic_cli.experiments.run.one_run import Limits

OUTPUT_FOLDER = Path("sgpmic-out")  # the default of --out; `results` holds the published numbers


def complete_datasets(incomplete: str) -> list[str]:
    """Complete the last name of a comma-separated list of data sets."""
    from sgpmic_cli.data.registry import names

    return _complete(incomplete, ["all", *names()])


def complete_methods(incomplete: str) -> list[str]:
    """Complete the last name of a comma-separated list of methods."""
    from sgpmic_cli.experiments.plan.methods import known

    return _complete(incomplete, ["all", "peers", *known()])


def complete_variances(incomplete: str) -> list[str]:
    """Complete the last entry of a comma-separated list of variance percentages."""
    return _complete(incomplete, ["50", "95", "99", "all"])


def _complete(incomplete: str, names: Iterable[str]) -> list[str]:
    before, comma, typed = incomplete.rpartition(",")
    used = before.split(",")
    return [
        f"{before}{comma}{name}" for name in names if name.startswith(typed) and name not in used
    ]


def _check_jobs(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("0 is not possible, give 1 or more, or -1 for all cores.")
    return n_jobs


def option(help_: str, *names: str, default: str | bool = True, **more: Any) -> Any:
    """Return a Typer option; a string as `default` describes the default value in the help."""
    return typer.Option(*names, help=help_, show_default=default, **more)


def _table_option(help_: str, *names: str, **more: Any) -> Any:
    return option(help_, *names, rich_help_panel="Your table", **more)


def datasets_option(default: str | bool = False) -> Any:
    """Return the option `--dataset` of an experiment."""
    names = "names, 'all' of the paper, CSV files or 'FOLDER/*.csv'"
    help_ = f"Data sets, separated by commas: {names}."
    return option(help_, default=default, autocompletion=complete_datasets)


# The data can be given as an argument or as --dataset; `one_of` joins the two.
_DATA = "Data set, path of a table (CSV, Parquet, .npy; may be compressed), or - for stdin."
Data = Annotated[
    str | None, typer.Argument(metavar="DATA", help=_DATA, autocompletion=complete_datasets)
]
DatasetOption = Annotated[
    str | None, option("The same as DATA.", "--dataset", autocompletion=complete_datasets)
]
_SAME = "The same as --dataset."
DatasetsArgument = Annotated[
    str | None, typer.Argument(metavar="[DATA]", help=_SAME, autocompletion=complete_datasets)
]
Datasets = Annotated[str | None, datasets_option()]
_METHODS = "Methods, separated by commas: names, 'all' of the paper, 'peers' or module:Class."
Methods = Annotated[str, option(_METHODS, autocompletion=complete_methods)]
Repeats = Annotated[int, option("Runs of each cell, each with its own seed.", min=1)]
Seed = Annotated[int, option("Seed from which the seeds of all runs are derived.")]
Jobs = Annotated[int, option("Processes; -1 uses all cores.", callback=_check_jobs)]
_THREADS = "Threads; -1 uses all cores. The result does not depend on it."
Threads = Annotated[int, option(_THREADS, callback=_check_jobs)]
Backend = Annotated[str, option("loky: processes on this machine; dask: a Dask cluster.")]
_SCHEDULER = "Address of the Dask scheduler, such as tcp://HOST:8786."
Scheduler = Annotated[str | None, option(_SCHEDULER)]
_TIMEOUT = "Time limit of one run in seconds; a run that exceeds it fails."
Timeout = Annotated[float | None, option(_TIMEOUT, default="no limit")]
_MEMORY = "Memory limit of one run, such as 500MB or 2GB."
MemoryLimit = Annotated[str | None, option(_MEMORY, default="no limit")]
_PROTOCOL = "as-run reproduces the paper's numbers; as-stated follows its text."
ProtocolName = Annotated[str, option(_PROTOCOL)]
LabelOfFile = Annotated[str | None, option("Label column of a CSV file.")]
Out = Annotated[Path, option("Output folder for the tables and the manifest.")]
Store = Annotated[Path | None, option("Folder of run records.", default="OUT/runs")]
Force = Annotated[bool, option("Recompute every run.", "--force")]
RetryFailed = Annotated[bool, option("Recompute failed runs.", "--retry-failed")]
DryRun = Annotated[bool, option("List the planned runs and exit.", "--dry-run")]
DataDir = Annotated[Path | None, option("Folder of downloaded data.", envvar="SGPMIC_DATA")]
_MIRROR = "Folder or server with the publishers' files."
Mirror = Annotated[str | None, option(_MIRROR, envvar="SGPMIC_MIRROR")]
Offline = Annotated[bool, option("Never use the network.", "--offline")]
Json = Annotated[bool, option("Print one JSON document instead of a table.", "--json")]
Quiet = Annotated[bool, option("Print only errors on stderr.", "--quiet", "-q")]

# Options that describe a table of the user.
Label = Annotated[str | None, _table_option("Column of class labels.", metavar="COLUMN")]
_ID = "Column with the row names that the output files repeat."
Id = Annotated[str | None, _table_option(_ID, "--id", metavar="COLUMN")]
_COLUMNS = "Use only these columns, separated by commas."
Columns = Annotated[list[str] | None, _table_option(_COLUMNS, metavar="NAMES")]
_DROP = "Ignore these columns, separated by commas."
Drop = Annotated[list[str] | None, _table_option(_DROP, metavar="NAMES")]
_ENCODE = "Text columns: one-hot encode those with few values, drop all, or raise an error."
Encode = Annotated[Literal["one-hot", "drop", "error"], _table_option(_ENCODE)]
_MISSING = "Missing values: raise an error, drop the row, impute the median, or leave to the model."
Missing = Annotated[
    Literal["error", "drop", "median", "model"] | None,
    _table_option(_MISSING, default="model if it supports missing values, else median"),
]
_SEPARATOR = "Separator of the cells, such as ';' or tab."
Separator = Annotated[
    str | None, _table_option(_SEPARATOR, metavar="CHARACTER", default="detected")
]
_DECIMAL = "Decimal separator, '.' or ','."
Decimal = Annotated[str | None, _table_option(_DECIMAL, metavar="CHARACTER", default=".")]
Encoding = Annotated[str | None, _table_option("Text encoding, such as latin-1.", default="utf-8")]
_SCALE = "none: keep the columns; global: divide all by one factor; standard: unit variance each."
Scale = Annotated[
    Literal["none", "global", "standard"] | None,
    option(_SCALE, default="standard; global with --setting paper"),
]


def one_of(argument: str | None, option: str | None, default: str | None = None) -> str:
    """Return the data named by the argument or by `--dataset`."""
    if argument is not None and option is not None:
        raise UsageError(
            f"the data are named twice, {argument!r} and --dataset {option!r}: name them once."
        )
    for found in (argument, option, default):
        if found is not None:
            return found
    raise UsageError("no data are named: give a data set such as iris, or the path of a CSV file.")


def split_list(names: str) -> list[str]:
    """Split a comma-separated list; keep the name of an existing file whole if it has commas."""
    parts, found = names.split(","), []
    while parts:
        lengths = range(len(parts), 1, -1)
        length = next((n for n in lengths if os.path.isfile(",".join(parts[:n]))), 1)
        found.append(",".join(parts[:length]).strip())
        parts = parts[length:]
    return [name for name in found if name]


def split_columns(given: Sequence[str] | None) -> tuple[str, ...]:
    """Split lists of column names; a name that contains a comma is quoted as in a CSV file."""
    rows = csv.reader(given or (), skipinitialspace=True)
    return tuple(name for row in rows for name in row if name)


def cluster_number(given: str | None) -> int | tuple[int, int] | Literal["auto"] | None:
    """Parse the value of `--clusters`.

    Examples
    --------
    >>> cluster_number("3"), cluster_number("2-8"), cluster_number("auto"), cluster_number(None)
    (3, (2, 8), 'auto', None)
    """
    if given is not None and (
        found := re.fullmatch(r"(\d+)\s*(?:-|\.\.|:)\s*(\d+)", given.strip())
    ):
        low, high = map(int, found.groups())
        return low, high
    hint = "give a number such as 3, a range such as 2-8, or auto"
    return _number_or_auto(given, f"--clusters {given}: {hint}.")


def dimension_number(given: str | None) -> int | Literal["auto"] | None:
    """Parse the value of `--dims`."""
    return _number_or_auto(given, f"--dims {given}: give a number such as 2, or auto.")


def _number_or_auto(given: str | None, message: str) -> int | Literal["auto"] | None:
    if given is None:
        return None
    if given.strip().lower() == "auto":
        return "auto"
    try:
        number = int(given)
    except ValueError:
        raise UsageError(message) from None
    if number < 1:
        raise UsageError(message)
    return number


def run_limits(timeout: float | None, memory_limit: str | None) -> "Limits":
    """Return the limits of one run."""
    from sgpmic_cli.experiments.run.one_run import Limits

    if timeout is not None and not 0 < timeout < float("inf"):
        raise UsageError(f"--timeout {timeout:g}: give a number of seconds above 0.")
    if memory_limit is None:
        return Limits(timeout)
    pattern = r"(\d{1,6}(?:\.\d{1,6})?)\s*([MG])i?B?"
    found = re.fullmatch(pattern, memory_limit.strip(), flags=re.IGNORECASE)
    if found is None or float(found[1]) == 0:
        raise UsageError(f"--memory-limit {memory_limit!r}: give a size such as 500MB or 2GB.")
    return Limits(timeout, int(float(found[1]) * {"M": 1 << 20, "G": 1 << 30}[found[2].upper()]))


def text_format(
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
    default: "TextFormat | None" = None,
) -> "TextFormat":
    """Return the format of a text file; options that are None keep the default."""
    from sgpmic_cli.data.intake.options import TextFormat

    given = {"separator": separator, "decimal": decimal, "encoding": encoding}
    known = {name: value for name, value in given.items() if value is not None}
    return replace(default or TextFormat(), **known)


def message_with_options(error: SgpmicError, options: Sequence[str]) -> str:
    """Return the message of an error; a TableError recommends only the given `options`."""
    from sgpmic_cli.data.intake.problems import TableError

    def as_option(parameter: str, value: Any) -> str | None:
        name = f"--{parameter}"
        values = value if isinstance(value, list) else [str(value)]
        return f"{name} {as_option_value(values)}" if name in options else None

    return error.said(as_option) if isinstance(error, TableError) else str(error)
