"""Write docs/command-line.md from the help texts of the commands."""

import sys
from collections import Counter
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

from sgpmic_cli.commands import app

PAGE = Path(__file__).with_name("command-line.md")
HEAD = """# Command line

This page is for users who look up a command or an option. `make docs` writes it from the help
texts, and `sgpmic COMMAND --help` shows the same. Results go to stdout, as a table or, with
`--json`, as one JSON document. Progress and warnings go to stderr. Options that several commands
share are at the end, and their defaults in brackets. [Error messages](faq.md) lists the exit codes.
"""


def commands(group: Any, prefix: str) -> list[tuple[str, Any]]:
    """Return every command of a group with its full name, in the order of `--help`."""
    found: list[tuple[str, Any]] = []
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        found += commands(command, full) if hasattr(command, "commands") else [(full, command)]
    return found


def entry(name: str, command: Any, shared: Container[str]) -> str:
    """Return the section of one command: purpose, options of its own, and names of shared ones."""
    parts = [f"## {name}", " ".join((command.help or "").replace("\f", "").split())]
    parameters = _parameters(command)
    own = [each for each in parameters if _meaning(each) not in shared]
    if own:
        parts.append(_table(f"{_meaning(each)}{_default(each)} |" for each in own))
    if len(own) < len(parameters):
        known = [each for each in parameters if _meaning(each) in shared]
        names = ", ".join(_names(each) + _default(each, "({})") for each in known)
        anchor = _family(command).lower().replace(" ", "-")
        parts.append(f"[Shared](#{anchor}): {names}.")
    return "\n\n".join(parts)


def _family(command: Any) -> str:
    """Return the heading of the options that a command shares with others."""
    names = [each.name for each in command.params]
    return "Options for one table" if "data" in names else "Options of the other commands"


def _parameters(command: Any) -> list[Any]:
    return [
        each
        for each in command.params
        if each.name != "help" and not getattr(each, "hidden", False)
    ]


def _table(rows: Iterable[str]) -> str:
    return "\n".join(["| | |", "|---|---|", *rows])


def _names(parameter: Any) -> str:
    if parameter.param_type_name != "option":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    return ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any) -> str:
    """Return the row of a parameter without its default, which differs between commands."""
    text = " ".join((parameter.help or "").split()).replace("|", "\\|").replace("<", "&lt;")
    variable = getattr(parameter, "envvar", None)
    also = f" Or set {variable}." if variable else ""
    return f"| {_names(parameter)} | {text}{_values(parameter)}{also}"


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


def _default(parameter: Any, form: str = "Default: {}.") -> str:
    """Return the default of a parameter in a form, after a space, if it is shown."""
    shown, plain = getattr(parameter, "show_default", None), parameter.default
    if isinstance(shown, str):
        return f" {form.format(shown)}"
    if not shown or callable(plain) or plain is None or plain is False or plain is ...:
        return ""
    return f" {form.format(f'`{plain}`')}"


def text() -> str:
    """Return the page."""
    found = commands(typer.main.get_command(app), "sgpmic")
    uses: dict[str, Counter[str]] = {}
    for _, command in found:
        uses.setdefault(_family(command), Counter()).update(map(_meaning, _parameters(command)))
    shared = {
        family: [meaning for meaning, count in counts.items() if count > 1]
        for family, counts in uses.items()
    }
    parts = [entry(name, command, shared[_family(command)]) for name, command in found]
    for family, meanings in shared.items():
        parts += [f"## {family}", _table(f"{meaning} |" for meaning in meanings)]
    return "\n\n".join([HEAD.strip(), *parts]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(PAGE, file=sys.stderr)
