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
    from sgpmic_cli.experiments.run.separate_process import Limits

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


def datasets_option(default: str | None = None) -> Any:
    """Return the option `--dataset` of an experiment; `default` is shown in the help."""
    help_ = (
        "Data sets, separated by commas: names, 'all' of the paper, CSV files or 'FOLDER/*.csv'."
    )
    shown = default or False
    return typer.Option(help=help_, show_default=shown, autocompletion=complete_datasets)


def _flag(name: str, help_: str, *short: str) -> Any:
    return typer.Option(name, *short, help=help_)


def _table_option(help_: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help_, rich_help_panel="Your table", **more)


# The data can be given as an argument or as --dataset; `one_of` joins the two.
_DATA = (
    "Name of a data set, path of a table (CSV, Parquet, .npy; may be compressed), or - for stdin."
)
Data = Annotated[
    str | None, typer.Argument(metavar="DATA", help=_DATA, autocompletion=complete_datasets)
]
DatasetOption = Annotated[
    str | None,
    typer.Option("--dataset", help="The same as DATA.", autocompletion=complete_datasets),
]
DatasetsArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[DATA]", help="The same as --dataset.", autocompletion=complete_datasets
    ),
]
Datasets = Annotated[str | None, datasets_option()]
_METHODS = "Methods, separated by commas: names, 'all' of the paper, 'peers' or module:Class."
Methods = Annotated[str, typer.Option(help=_METHODS, autocompletion=complete_methods)]
Repeats = Annotated[int, typer.Option(help="Runs of each cell, each with its own seed.", min=1)]
Seed = Annotated[int, typer.Option(help="Seed from which the seeds of all runs are derived.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 uses all cores.", callback=_check_jobs)]
_THREADS = "Threads; -1 uses all cores. The result does not depend on it."
Threads = Annotated[int, typer.Option(help=_THREADS, callback=_check_jobs)]
_BACKEND = "loky: processes on this machine; dask: workers of a Dask cluster."
Backend = Annotated[str, typer.Option(help=_BACKEND)]
_SCHEDULER = "Address of the Dask scheduler, such as tcp://HOST:8786."
Scheduler = Annotated[str | None, typer.Option(help=_SCHEDULER)]
_TIMEOUT = "Time limit of one run in seconds; a run that exceeds it fails."
Timeout = Annotated[float | None, typer.Option(help=_TIMEOUT, show_default="no limit")]
_MEMORY = "Memory limit of one run, such as 500MB or 2GB."
MemoryLimit = Annotated[str | None, typer.Option(help=_MEMORY, show_default="no limit")]
_PROTOCOL = "as-run reproduces the paper's numbers; as-stated follows its text."
ProtocolName = Annotated[str, typer.Option(help=_PROTOCOL)]
LabelOfFile = Annotated[str | None, typer.Option(help="Label column of a CSV file.")]
Out = Annotated[Path, typer.Option(help="Output folder for the tables and the manifest.")]
Store = Annotated[Path | None, typer.Option(help="Folder of run records.", show_default="OUT/runs")]
Force = Annotated[bool, _flag("--force", "Recompute every run.")]
RetryFailed = Annotated[bool, _flag("--retry-failed", "Recompute failed runs.")]
DryRun = Annotated[bool, _flag("--dry-run", "List the planned runs and exit.")]
DataDir = Annotated[
    Path | None,
    typer.Option(help="Folder of downloaded data.", envvar="SGPMIC_DATA", show_envvar=True),
]
_MIRROR = "Folder or server with the publishers' files."
Mirror = Annotated[str | None, typer.Option(help=_MIRROR, envvar="SGPMIC_MIRROR", show_envvar=True)]
Offline = Annotated[bool, _flag("--offline", "Never use the network.")]
Json = Annotated[bool, _flag("--json", "Print one JSON document instead of a table.")]
Quiet = Annotated[bool, _flag("--quiet", "Print only errors on stderr.", "-q")]

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
    _table_option(_MISSING, show_default="model if it supports missing values, else median"),
]
_SEPARATOR = "Separator of the cells, such as ';' or tab."
Separator = Annotated[
    str | None, _table_option(_SEPARATOR, metavar="CHARACTER", show_default="detected")
]
_DECIMAL = "Decimal separator, '.' or ','."
Decimal = Annotated[str | None, _table_option(_DECIMAL, metavar="CHARACTER", show_default=".")]
_ENCODING = "Text encoding, such as latin-1."
Encoding = Annotated[str | None, _table_option(_ENCODING, show_default="utf-8")]
_SCALE = "none: keep the columns; global: divide all by one factor; standard: unit variance each."
Scale = Annotated[
    Literal["none", "global", "standard"] | None,
    typer.Option(help=_SCALE, show_default="standard; global with --setting paper"),
]


def one_of(argument: str | None, option: str | None, default: str | None = None) -> str:
    """Return the data named by the argument or by `--dataset`."""
    if argument is not None and option is not None:
        raise UsageError(
            f"the data are given twice, {argument!r} and --dataset {option!r}: give them once."
        )
    for found in (argument, option, default):
        if found is not None:
            return found
    raise UsageError("no data are given: name a data set such as iris, or the path of a CSV file.")


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
    from sgpmic_cli.experiments.run.separate_process import Limits

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
