"""`sgpmic info`: what a report of a problem should carry."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sgpmic_cli.commands.terminal.output import Output


def info(
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of downloaded data.", envvar="SGPMIC_DATA", show_envvar=True)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a list.")] = False,
) -> None:
    """Print versions, linear algebra and threads, paths, and the data sets and methods at hand."""
    output = Output(as_json=json)
    content = _facts(data_dir)
    if json:
        output.document(content)
        return
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in content.items():
        table.add_row(name, _text(value))
    output.console().print(table)


def _facts(data_dir: Path | None) -> dict[str, Any]:
    import sys

    import sgpmic_cli
    from sgpmic_cli.data.originals import cache_folder
    from sgpmic_cli.data.registry import bundled_folder
    from sgpmic_cli.experiments.plan.methods import known
    from sgpmic_cli.experiments.run.manifest import commit, environment

    return {
        **environment(),
        "commit": commit(),
        "paths": {
            "python": sys.executable,
            "package": str(Path(sgpmic_cli.__file__).parent),
            "bundled data": str(bundled_folder()),
            "downloaded data": str(cache_folder(data_dir)),
            "results": str(Path("results/benchmark").resolve()),
        },
        "datasets": _datasets_present(data_dir),
        "methods": list(known()),
    }


def _datasets_present(data_dir: Path | None) -> dict[str, str]:
    """Every registered data set, and whether it can be used without a network."""
    from sgpmic_cli.data.originals import cached
    from sgpmic_cli.data.registry import entry, names

    present = {}
    for found in map(entry, names()):
        if found.kind != "download":
            present[found.name] = found.kind
        elif cached(found, data_dir) is not None:
            present[found.name] = "downloaded"
        else:
            present[found.name] = f"not downloaded (sgpmic datasets fetch {found.name})"
    return present


def _text(value: Any) -> str:
    """A fact for people: nested ones line by line."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return "\n".join(", ".join(_text(entry).splitlines()) for entry in value)
    return "–" if value is None else str(value)
