"""Write docs/command-line.md from the help texts of the commands."""

import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

from sgpmic_cli.commands import app

PAGE = Path(__file__).with_name("command-line.md")
HEAD = """# Command line

This page is the reference of all commands and options. `make docs` writes it from the help texts,
and `sgpmic COMMAND --help` shows the same. Results go to stdout, as a table or, with `--json`, as
one JSON document. Progress and warnings go to stderr. [Error messages](faq.md) lists the exit
codes.
"""


def commands(group: Any, prefix: str) -> list[tuple[str, Any]]:
    """Return every command of a group with its full name, in the order of `--help`."""
    found: list[tuple[str, Any]] = []
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        found += commands(command, full) if hasattr(command, "commands") else [(full, command)]
    return found


def entry(name: str, command: Any) -> str:
    """Return the section of one command: purpose, arguments and options."""
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
    return f"| {names} | {text}{_values(parameter)}{_default(parameter)}{_variable(parameter)} |"


def _values(parameter: Any) -> str:
    """Return the choices or the range of a parameter."""
    annotation = parameter.type_descriptor.annotation
    if get_origin(annotation) is Literal:
        choices = sorted(get_args(annotation))  # equal literals share one order, which varies
        return f" Choices: {', '.join(f'`{choice}`' for choice in choices)}."
    low, high = parameter.min, parameter.max
    if low is not None and high is not None:
        return f" From {low:,} to {high:,}."
    return f" At least {low:,}." if low is not None else ""


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
    """Return the page."""
    parts = [
        entry(name, command) for name, command in commands(typer.main.get_command(app), "sgpmic")
    ]
    return "\n\n".join([HEAD.strip(), *parts]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(PAGE, file=sys.stderr)
