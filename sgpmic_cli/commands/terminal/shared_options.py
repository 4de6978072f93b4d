"""Options that several commands share: declared once, so that they read and behave the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

from sgpmic_cli.commands.terminal import completion

Datasets = Annotated[
    str,
    typer.Option(
        help="Data sets: names, 'all' of the paper's, CSV files or a quoted 'FOLDER/*.csv'; several with commas.",
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
BackendName = Annotated[str, typer.Option(help="loky: processes of this machine; dask: the workers of a Dask cluster.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of the Dask scheduler, such as tcp://HOST:8786.")]
ProtocolName = Annotated[
    str, typer.Option(help="as-run: what reproduces the paper's numbers; as-stated: what its text says.")
]
Label = Annotated[str | None, typer.Option(help="Label column of a CSV file.")]
Out = Annotated[Path, typer.Option(help="Folder for the tables and the manifest.")]
Store = Annotated[Path | None, typer.Option(help="Folder of run records.", show_default="OUT/runs")]
Force = Annotated[bool, typer.Option("--force", help="Compute every run again.")]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Compute failed runs again.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="List what would run, and stop.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder of downloaded data.", envvar="SGPMIC_DATA", show_envvar=True)
]
Mirror = Annotated[
    str | None,
    typer.Option(help="Folder or server with the publishers' files.", envvar="SGPMIC_MIRROR", show_envvar=True),
]
Offline = Annotated[bool, typer.Option("--offline", help="Never use the network.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on stderr but errors.")]


def split(names: str) -> list[str]:
    """The parts of a comma-separated list."""
    return [name.strip() for name in names.split(",") if name.strip()]
