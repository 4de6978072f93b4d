"""Options that several commands share, their shell completion and their parsing.

Options that always occur together are the fields of a dataclass, see `option_groups`.
"""

import csv
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.options import TableOptions, TextFormat

if TYPE_CHECKING:
    from sgpmic_cli.benchmark.run import Progress, RunOptions

OUTPUT_FOLDER = Path("sgpmic-out")  # the default of --out; `results` holds the published numbers


def complete_datasets(incomplete: str) -> list[str]:
    """Complete the last name of a comma-separated list of data sets."""
    from sgpmic_cli.data.registry import names

    return _complete(incomplete, ["all", *names()])


def complete_methods(incomplete: str) -> list[str]:
    """Complete the last name of a comma-separated list of methods."""
    from sgpmic_cli.paper.experiments.methods import paper_methods

    return _complete(incomplete, ["all", "peers", *paper_methods()])


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


def option(
    help_: str, *names: str, value: Any = None, default: str | bool = True, **more: Any
) -> Any:
    """Return a Typer option; a string as `default` describes the default value in the help.

    As the default of a parameter it carries `value`. Inside `Annotated`, which several commands
    share, each command sets its own default.
    """
    return typer.Option(value, *names, help=help_, show_default=default, **more)


flag = partial(option, value=False)
count = partial(option, min=1, max=100_000)  # larger numbers would take too long
_shared = partial(option, value=...)  # in an annotation


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Show Typer one option for each field of the dataclasses among the parameters of a command.

    The command is called with instances of the dataclasses.
    """
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            parameters += inspect.signature(groups[name]).parameters.values()
        else:
            parameters.append(parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            names = inspect.signature(group).parameters
            given[name] = group(**{each: given.pop(each) for each in names})
        command(**given)

    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    run.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return run


def scale_option(default: str) -> Any:
    """Return the option `--scale` of a command that fits the user's table."""
    choices = "none: keep the columns; global: divide all by one factor; standard: unit variance"
    return option(f"{choices} each.", default=default)


def datasets_option(default: str | bool = False) -> Any:
    """Return the option `--dataset` of an experiment."""
    names = "names, 'all' for those of the paper, CSV files or 'FOLDER/*.csv'"
    help_ = f"Data sets, separated by commas: {names}."
    return option(help_, default=default, autocompletion=complete_datasets)


# The data can be given as an argument or as --dataset; `named_data` joins the two.
_DATA = "Data set, path of a table (CSV, Parquet, .xlsx, .npy, also .gz), or - for stdin."
Data = Annotated[
    str | None, typer.Argument(metavar="DATA", help=_DATA, autocompletion=complete_datasets)
]
Table = Annotated[str, typer.Argument(metavar="DATA", help=_DATA, autocompletion=complete_datasets)]
DatasetOption = Annotated[
    str | None, _shared("The same as DATA.", "--dataset", autocompletion=complete_datasets)
]
_SAME = "The same as --dataset."
DatasetsArgument = Annotated[
    str | None, typer.Argument(metavar="[DATA]", help=_SAME, autocompletion=complete_datasets)
]
_METHODS = (
    "Methods, separated by commas: names, 'all' for those of the paper, 'peers' for common "
    "scikit-learn clusterers, or module:Class."
)
MethodsOption = Annotated[str, _shared(_METHODS, autocompletion=complete_methods)]
_REPEATS = "Runs of each method on each data set, each with its own seed."
Repeats = Annotated[int, count(_REPEATS, value=...)]
Seed = Annotated[int, _shared("Seed from which the seeds of all runs are derived.")]
Jobs = Annotated[int, _shared("Processes; -1 uses all cores.", callback=_check_jobs)]
_THREADS = "Threads; -1 uses all cores. The result does not depend on it."
Threads = Annotated[int, _shared(_THREADS, callback=_check_jobs)]
_LABEL_OF_FILE = _shared("Label column of the CSV files.", default="their last column")
LabelOfFile = Annotated[str | None, _LABEL_OF_FILE]
Out = Annotated[Path, _shared("Output folder for the tables and the manifest.")]
_PROTOCOL = "as-run reproduces the paper's numbers; as-stated follows its text."
Protocol = Annotated[str, _shared(_PROTOCOL)]
_BACKEND = "loky: processes on this machine; dask: a Dask cluster."
Backend = Annotated[Literal["loky", "dask"], _shared(_BACKEND)]
_SCHEDULER = "Dask scheduler: an address such as tcp://HOST:8786, or local to start one here."
Scheduler = Annotated[str | None, _shared(_SCHEDULER)]
Store = Annotated[Path | None, _shared("Folder of run records.", default="OUT/runs")]
StoreOfCheck = Annotated[Path | None, _shared("Folder of run records.", default="none")]
ForceRuns = Annotated[bool, _shared("Recompute every run.", "--force")]
RetryFailed = Annotated[bool, _shared("Recompute failed runs.", "--retry-failed")]
DryRun = Annotated[bool, _shared("List the planned runs and exit.", "--dry-run")]
Force = Annotated[bool, _shared("Replace the results in the output folder.", "--force")]
DataDir = Annotated[Path | None, _shared("Folder of downloaded data.", envvar="SGPMIC_DATA")]
Json = Annotated[bool, _shared("Print one JSON document instead of a table.", "--json")]
Quiet = Annotated[bool, _shared("Print only errors on stderr.", "--quiet", "-q")]
Scale = Literal["none", "global", "standard"]
_table_option = partial(option, rich_help_panel="Your table")


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


@dataclass(frozen=True)
class FileOptions:
    """Options that describe a file of the user, for a fit and for new rows."""

    label: str | None = _table_option("Column of class labels.", metavar="COLUMN")
    id: str | None = _table_option(
        "Column with the names of the rows, which is not a feature.", metavar="COLUMN"
    )
    separator: str | None = _table_option(
        "Separator of the cells, such as ';' or tab.", metavar="CHARACTER", default="detected"
    )
    decimal: str | None = _table_option(
        "Decimal separator, '.' or ','.", metavar="CHARACTER", default="detected"
    )
    encoding: str | None = _table_option(
        "Text encoding, such as latin-1.", default="utf-8 or cp1252"
    )

    def format(self, default: TextFormat = TextFormat()) -> TextFormat:
        """Return the format of a text file; options that are None keep the default."""
        names = ("separator", "decimal", "encoding")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return replace(default, **given)


@dataclass(frozen=True)
class TableOptionGroup(FileOptions):
    """Options that describe a file of the user and the use of its columns in a fit."""

    columns: list[str] | None = _table_option(
        "Use only these columns, separated by commas.", metavar="NAMES", callback=split_columns
    )
    drop: list[str] | None = _table_option(
        "Ignore these columns, separated by commas.", metavar="NAMES", callback=split_columns
    )

    def options(self) -> TableOptions:
        """Return the options of the table."""
        columns, drop = tuple(self.columns or ()), tuple(self.drop or ())
        return TableOptions(self.label, self.id, columns, drop, self.format())


def run_options(
    progress: "Progress", *, backend: str, scheduler: str | None, **given: Any
) -> "RunOptions":
    """Return the options of the runs of an experiment; `given` are further fields."""
    from sgpmic_cli.benchmark.run import RunOptions

    if backend == "dask" and not scheduler:
        raise UsageError(
            "--backend dask needs the address of a scheduler: add --scheduler tcp://HOST:8786, "
            "or --scheduler local for a cluster on this machine."
        )
    return RunOptions(scheduler=scheduler, progress=progress, **given)


def named_data(argument: str | None, option: str | None, default: str | None = None) -> str:
    """Return the data named by the argument or by `--dataset`."""
    if argument is not None and option is not None:
        raise UsageError(
            f"the data are named twice, {argument!r} and --dataset {option!r}: name them once."
        )
    for found in (argument, option, default):
        if found is not None:
            return found
    raise UsageError("no data are named: give a data set such as iris, or the path of a CSV file.")


def default_out(command: str, name: str) -> Path:
    """Return the default output folder for a table: its name without the folder and the suffixes.

    Examples
    --------
    >>> default_out("fit", "data/birds.csv.gz").as_posix()
    'sgpmic-out/fit/birds'
    """
    path = Path(name)
    stem = Path(path.stem).stem if path.suffix.lower() in (".gz", ".bz2", ".zip") else path.stem
    return OUTPUT_FOLDER / command / (stem.strip(".") or "table")


def split_list(names: str) -> list[str]:
    """Split a comma-separated list; keep the name of an existing file whole if it has commas."""
    parts, found = names.split(","), []
    while parts:
        lengths = range(len(parts), 1, -1)
        length = next((n for n in lengths if os.path.isfile(",".join(parts[:n]))), 1)
        found.append(",".join(parts[:length]).strip())
        parts = parts[length:]
    return [name for name in found if name]


def print_help(context: typer.Context) -> None:
    """Print the help of a group that is called without a subcommand."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
