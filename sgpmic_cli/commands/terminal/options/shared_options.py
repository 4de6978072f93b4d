"""Options that several commands share: declared once, so that they read and behave the same everywhere."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgpmic_cli.commands.terminal.options import completion
from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.experiments.run.one_run import Limits

EXPLORED = Path(
    "sgpmic-out"
)  # where commands write that people try things with; never the published results


def datasets_option(usual: str | None = None) -> Any:
    """The option that names the data sets of an experiment; `usual` are those of the paper's figure."""
    return typer.Option(
        help="Data sets: names, 'all' of the paper's, CSV files or a quoted 'FOLDER/*.csv'; several with commas.",
        show_default=usual or False,
        autocompletion=completion.datasets,
    )


Datasets = Annotated[str | None, datasets_option()]
# Beside the option, the data sets may stand alone, and beside the argument they may be an option: `named` joins both.
DatasetsArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[DATA]", help="The data sets, as in --dataset.", autocompletion=completion.datasets
    ),
]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help="The same as DATA.",
        show_default=False,
        autocompletion=completion.datasets,
    ),
]
Methods = Annotated[
    str,
    typer.Option(
        help="Methods: names, 'all' of the paper's, 'peers' of everyday use, or module:Class of your own.",
        autocompletion=completion.methods,
    ),
]
Repeats = Annotated[int, typer.Option(help="Runs of each cell, every one with its own seed.")]
Seed = Annotated[int, typer.Option(help="What all seeds are derived from.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for one per core.")]
BackendName = Annotated[
    str, typer.Option(help="loky: processes of this machine; dask: the workers of a Dask cluster.")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of the Dask scheduler, such as tcp://HOST:8786.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        help="Seconds that one run may take; a longer one has failed.", show_default="no limit"
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        help="Memory that one run may take, such as 500MB or 2GB.", show_default="no limit"
    ),
]
ProtocolName = Annotated[
    str,
    typer.Option(
        help="as-run: what reproduces the paper's numbers; as-stated: what its text says."
    ),
]
Label = Annotated[str | None, typer.Option(help="Label column of a CSV file.")]
Out = Annotated[Path, typer.Option(help="Folder for the tables and the manifest.")]
Store = Annotated[Path | None, typer.Option(help="Folder of run records.", show_default="OUT/runs")]
Force = Annotated[bool, typer.Option("--force", help="Compute every run again.")]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Compute failed runs again.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="List what would run, and stop.")]
DataDir = Annotated[
    Path | None,
    typer.Option(help="Folder of downloaded data.", envvar="SGPMIC_DATA", show_envvar=True),
]
Mirror = Annotated[
    str | None,
    typer.Option(
        help="Folder or server with the publishers' files.",
        envvar="SGPMIC_MIRROR",
        show_envvar=True,
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Never use the network.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on stderr but errors.")]


def named(argument: str | None, option: str | None, usual: str | None = None) -> str:
    """The data sets that were named as an argument or as an option."""
    if argument is not None and option is not None:
        raise UsageError(
            f"the data are named twice, {argument!r} and --dataset {option!r}: name them once."
        )
    for found in (argument, option, usual):
        if found is not None:
            return found
    raise UsageError("no data are named: give a data set such as iris, or the path of a CSV file.")


def limits(timeout: float | None, memory_limit: str | None) -> "Limits":
    """The limits of a run."""
    from sgpmic_cli.experiments.run.one_run import Limits

    if timeout is not None and not 0 < timeout < float("inf"):
        raise UsageError(f"--timeout {timeout:g}: give the seconds of a run, more than 0.")
    if memory_limit is None:
        return Limits(timeout)
    found = re.fullmatch(
        r"(\d{1,6}(?:\.\d{1,6})?)\s*([MG])i?B?", memory_limit.strip(), flags=re.IGNORECASE
    )
    if found is None or float(found[1]) == 0:
        raise UsageError(f"--memory-limit {memory_limit!r}: give a size such as 500MB or 2GB.")
    return Limits(timeout, int(float(found[1]) * {"M": 1 << 20, "G": 1 << 30}[found[2].upper()]))


def split(names: str) -> list[str]:
    """The parts of a comma-separated list; a file whose name has commas is one part."""
    parts, found = names.split(","), []
    while parts:
        length = next(
            (n for n in range(len(parts), 1, -1) if os.path.isfile(",".join(parts[:n]))), 1
        )
        found.append(",".join(parts[:length]).strip())
        parts = parts[length:]
    return [name for name in found if name]
