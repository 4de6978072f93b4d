"""Write docs/command-line.md from the commands themselves, so that the page cannot say anything else."""

import sys
from pathlib import Path
from typing import Any

import typer

from sgpmic_cli.commands import app

PAGE = Path(__file__).with_name("command-line.md")
HEAD = """# Command line

Written from the commands by `make docs`; `sgpmic COMMAND --help` says the same. Results go to stdout (a table, or one
JSON document with `--json`), progress and remarks to stderr. Exit codes: 0 done, 1 a check failed or a file could not
be read or written, 2 wrong argument, 3 some runs failed, 4 data unavailable, 130 interrupted, 143 terminated.
"""


def commands(group: Any, prefix: str) -> list[tuple[str, Any]]:
    """Every command below a group with its full name, in the order of `--help`."""
    found: list[tuple[str, Any]] = []
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        found += commands(command, full) if hasattr(command, "commands") else [(full, command)]
    return found


def entry(name: str, command: Any) -> str:
    """One command: what it does, its arguments and options."""
    parts = [f"## {name}", " ".join((command.help or "").replace("\f", "").split())]
    rows = [
        _row(parameter)
        for parameter in command.params
        if parameter.name != "help" and not _hidden(parameter)
    ]
    if rows:
        parts.append("\n".join(["| | |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def _hidden(parameter: Any) -> bool:
    return bool(getattr(parameter, "hidden", False))


def _row(parameter: Any) -> str:
    is_option = parameter.param_type_name == "option"
    argument = parameter.metavar or parameter.name.upper()
    names = (
        ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
        if is_option
        else f"`{argument}`"
    )
    text = " ".join((parameter.help or "").split()).replace("|", "\\|").replace("<", "&lt;")
    return f"| {names} | {text}{_default(parameter)}{_variable(parameter)} |"


def _variable(parameter: Any) -> str:
    return f" Or set {parameter.envvar}." if getattr(parameter, "envvar", None) else ""


def _default(parameter: Any) -> str:
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return f" Default: {shown if shown != '.' else '`.`'}."
    plain = parameter.default
    return (
        f" Default: `{plain}`."
        if not callable(plain)
        and plain is not None
        and plain is not False
        and plain is not ...
        and shown
        else ""
    )


def text() -> str:
    """The whole page."""
    parts = [
        entry(name, command) for name, command in commands(typer.main.get_command(app), "sgpmic")
    ]
    return "\n\n".join([HEAD.strip(), *parts]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(PAGE, file=sys.stderr)
