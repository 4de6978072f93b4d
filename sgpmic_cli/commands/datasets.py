"""`sgpmic datasets` and `sgpmic info`: the data sets and the installation on this machine."""

import sys
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from sgpmic_cli.commands import print_help
from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, facts, rich_table, value_text

datasets_app = typer.Typer(
    help="List, show, fetch and verify the data sets.",
    invoke_without_command=True,
    callback=print_help,
)
_COLOURS = {"ok": "green", "failed": "bold red", "unavailable": "yellow", "absent": "yellow"}


@datasets_app.command("list")
def list_(json: shared.Json = False, data_dir: shared.DataDir = None) -> None:
    """List the registered data sets."""
    from sgpmic_cli.data.inventory import describe_all

    columns = ("name", "n", "p", "n_classes", "state", "licence", "title")
    rows = [{column: data[column] for column in columns} for data in describe_all(data_dir)]
    _print({"datasets": rows}, json, rows)


@datasets_app.command()
def show(
    name: str = typer.Argument(help="Name of a data set.", autocompletion=shared.complete_datasets),
    json: shared.Json = False,
    data_dir: shared.DataDir = None,
) -> None:
    """Show the shape, licence, attribution and source of a data set."""
    from sgpmic_cli.data import entry
    from sgpmic_cli.data.inventory import describe_entry

    data = describe_entry(entry(name), data_dir)
    _print(data, json, [{"field": key, "value": value} for key, value in data.items()])


@datasets_app.command()
@shared.option_groups
def fetch(
    names: list[str] | None = typer.Argument(
        None,
        help="Names of data sets.",
        show_default="all that are not bundled",
        autocompletion=shared.complete_datasets,
    ),
    *,
    json: shared.Json = False,
    source: shared.SourceOptions,
) -> None:
    """Download data sets that are not bundled, check their hashes and store them."""
    from sgpmic_cli.data.inventory import fetch_all
    from sgpmic_cli.errors import DataUnavailable

    fetched = fetch_all(names or (), **vars(source))
    rows = [{key: data[key] for key in ("name", "state", "path")} for data in fetched]
    _print({"datasets": fetched}, json, rows)
    if reasons := [data["reason"] for data in fetched if data["reason"]]:
        raise DataUnavailable("; ".join(reasons))


@datasets_app.command()
@shared.option_groups
def verify(*, json: shared.Json = False, source: shared.SourceOptions) -> None:
    """Check the hashes of all data and, with a mirror, compare every value with the publishers'."""
    from sgpmic_cli.data.inventory import verify_all
    from sgpmic_cli.errors import DataUnavailable, SgpmicError

    rows = [check._asdict() for check in verify_all(**vars(source))]
    errors = {"failed": SgpmicError, "unavailable": DataUnavailable}  # the worst one first
    found = [(kind, row) for state, kind in errors.items() for row in rows if row["state"] == state]
    _print({"ok": not found, "checks": rows}, json, rows)
    for kind, row in found[:1]:
        some = f"{len(found)} of {len(rows)} checks did not succeed"
        raise kind(f"{some}, the first of {row['dataset']}: {row['detail']}")


def _print(document: dict[str, Any], json: bool, rows: list[dict[str, Any]]) -> None:
    cells = [
        [Text(value_text(value), style=_COLOURS.get(str(value), "")) for value in row.values()]
        for row in rows
    ]
    first = rows[0] if rows else {}
    left = [column for column, value in first.items() if not isinstance(value, int)]
    Output(json).result(document, [rich_table(list(first), cells, left=left)])


def info(data_dir: shared.DataDir = None, json: shared.Json = False) -> None:
    """Print versions, linear algebra libraries, threads, paths, data sets and methods."""
    import sgpmic_cli
    from sgpmic_cli.data.inventory import describe_all
    from sgpmic_cli.data.registered import cache_folder
    from sgpmic_cli.data.registry import bundled_folder
    from sgpmic_cli.files.manifest import commit, environment
    from sgpmic_cli.paper.experiments.protocols import paper_suite

    content = {
        **environment(),
        "commit": commit(),
        "paths": {
            "python": sys.executable,
            "package": str(Path(sgpmic_cli.__file__).parent),
            "bundled data": str(bundled_folder()),
            "downloaded data": str(cache_folder(data_dir)),
            "results": str(shared.OUTPUT_FOLDER.resolve()),
        },
        "datasets": {data["name"]: data["state"] for data in describe_all(data_dir)},
        "methods": list(paper_suite().methods),
    }
    Output(json).result(
        content, [facts({key: value_text(value) for key, value in content.items()})]
    )
