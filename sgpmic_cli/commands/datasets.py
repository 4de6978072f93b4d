"""`sgpmic datasets` and `sgpmic info`: the data sets and the installation on this machine."""

import sys
from pathlib import Path
from typing import Any

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, facts, rich_table, value_text

datasets_app = typer.Typer(
    help="List, show and fetch the data sets.",
    invoke_without_command=True,
    callback=shared.print_help,
)


@datasets_app.command("list")
def list_(json: shared.Json = False) -> None:
    """List the registered data sets."""
    from sgpmic_cli.data.registered import describe_all

    columns = ("name", "n", "p", "n_classes", "state", "licence", "title")
    _print([{column: data[column] for column in columns} for data in describe_all()], Output(json))


@datasets_app.command()
def show(
    name: str = typer.Argument(help="Name of a data set."),
    json: shared.Json = False,
) -> None:
    """Show the shape, licence, attribution and source of a data set."""
    from sgpmic_cli.data.registered import describe
    from sgpmic_cli.data.registry import entry

    data = describe(entry(name))
    Output(json).result(data, [facts(data)])


@datasets_app.command()
def fetch(
    names: list[str] | None = typer.Argument(
        None, help="Names of data sets.", show_default="all that are not bundled"
    ),
    file: Path | None = typer.Option(
        None,
        "--from",
        exists=True,
        dir_okay=False,
        help="The publisher's file of one data set, instead of a download.",
    ),
    json: shared.Json = False,
) -> None:
    """Download data sets that are not bundled, or import a local file, and check their hashes.

    The environment variable SGPMIC_DATA names the folder, instead of one in the user's cache.
    """
    from sgpmic_cli.data.registered import describe, describe_all, import_file
    from sgpmic_cli.data.registered import fetch as fetch_one
    from sgpmic_cli.data.registry import entry
    from sgpmic_cli.errors import DataUnavailable, UsageError

    output = Output(json)
    downloads = [data["name"] for data in describe_all() if data["kind"] == "download"]
    found, reasons = [entry(name) for name in names or downloads], []
    if file is not None:
        if len(found) > 1 or found[0].kind != "download":
            raise UsageError("--from needs the name of one data set that is not bundled.")
        import_file(found[0], file)
    for each in found:
        if each.kind == "download":
            try:
                fetch_one(each)
            except DataUnavailable as error:  # the others are fetched
                reasons.append(str(error))
    states = [describe(each) for each in found]
    _print([{key: data[key] for key in ("name", "state", "path")} for data in states], output)
    if reasons:
        raise DataUnavailable("; ".join(reasons))


def _print(rows: list[dict[str, Any]], output: Output) -> None:
    cells = [[value_text(value) for value in row.values()] for row in rows]
    left = ["name", "state", "path", "licence", "title"]
    output.result({"datasets": rows}, [rich_table(list(rows[0]), cells, left=left)])


def info(json: shared.Json = False) -> None:
    """Print versions, linear algebra libraries, threads and paths."""
    import sgpmic_cli
    from sgpmic_cli.data.registered import cache_folder
    from sgpmic_cli.data.registry import bundled_folder
    from sgpmic_cli.manifest import commit, environment

    content = {
        **environment(),
        "commit": commit(),
        "paths": {
            "python": sys.executable,
            "package": str(Path(sgpmic_cli.__file__).parent),
            "bundled data": str(bundled_folder()),
            "downloaded data": str(cache_folder()),
            "results": str(shared.OUTPUT_FOLDER.resolve()),
        },
    }
    Output(json).result(content, [facts(content)])
