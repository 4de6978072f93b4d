"""`sgpmic datasets`: list, show, fetch and verify the data."""

import json
from typing import Annotated, Any

import typer

from sgpmic_cli.commands.terminal.options.shared_options import DataDir, Json, Mirror, Offline
from sgpmic_cli.commands.terminal.output import Output

app = typer.Typer(help="List, show, fetch and verify the data sets.", no_args_is_help=True)


def _complete(incomplete: str) -> list[str]:
    from sgpmic_cli.data import names

    return [name for name in names() if name.startswith(incomplete)]


_COLOURS = {"ok": "green", "failed": "bold red", "unavailable": "yellow", "absent": "yellow"}


@app.command("list")
def list_(as_json: Json = False, data_dir: DataDir = None) -> None:
    """List the data sets that have a name."""
    from sgpmic_cli.data.inventory import describe_all

    columns = ("name", "n", "p", "n_classes", "state", "licence", "title")
    rows = [{column: found[column] for column in columns} for found in describe_all(data_dir)]
    _print({"datasets": rows}, as_json, rows)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a data set.", autocompletion=_complete)],
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Show everything known about a data set: shape, licence, attribution, source."""
    from sgpmic_cli.data import entry
    from sgpmic_cli.data.inventory import describe

    found = describe(entry(name), data_dir)
    _print(found, as_json, [{"field": key, "value": _words(value)} for key, value in found.items()])


@app.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names; all downloads when left out.", autocompletion=_complete),
    ] = None,
    as_json: Json = False,
    data_dir: DataDir = None,
    mirror: Mirror = None,
    offline: Offline = False,
) -> None:
    """Download data sets that are not bundled, check their hashes and keep them."""
    from sgpmic_cli.data.inventory import fetch_all
    from sgpmic_cli.errors import DataUnavailable

    outcomes = fetch_all(names or (), data_dir=data_dir, mirror=mirror, offline=offline)
    _print(
        {"datasets": outcomes},
        as_json,
        [{key: one[key] for key in ("name", "state", "path")} for one in outcomes],
    )
    reasons = [one["reason"] for one in outcomes if one["reason"]]
    if reasons:
        raise DataUnavailable("; ".join(reasons))


@app.command()
def verify(
    as_json: Json = False,
    data_dir: DataDir = None,
    mirror: Mirror = None,
    offline: Offline = False,
) -> None:
    """Hash everything again and, with a mirror, compare the publishers' files value by value."""
    from dataclasses import asdict

    from sgpmic_cli.data.verifying import exit_code, verify

    checks = verify(data_dir=data_dir, mirror=mirror, offline=offline)
    rows = [asdict(check) for check in checks]
    code = exit_code(checks)
    _print({"ok": code == 0, "checks": rows}, as_json, rows)
    if code:
        raise typer.Exit(code)


def _print(document: Any, as_json: bool, rows: list[dict[str, Any]]) -> None:
    if as_json:
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for column in rows[0] if rows else ():
        number = isinstance(rows[0][column], int)
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(
            *(Text(_words(value), style=_COLOURS.get(str(value), "")) for value in row.values())
        )
    Output().console().print(table)


def _words(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {part}" for key, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return "\n".join(str(part) for part in value) or "-"
    return str(value) or "-"
