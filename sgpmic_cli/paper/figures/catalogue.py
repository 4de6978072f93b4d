"""List the figures that `sgpmic plot` draws and the report shows. Import nothing heavy."""

import importlib
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.paper.figures.panels import PlotOptions

Draw = Callable[[Path, "PlotOptions"], list[str]]


class Figure(NamedTuple):
    """A figure: its name, drawing function, title and caption."""

    name: str
    target: str  # "module:function" below sgpmic_cli; the function returns notes
    title: str
    caption: str
    in_all: bool = True  # False for figures of a data set that the user names

    def load(self) -> Draw:
        """Import the drawing function."""
        module, _, function = self.target.partition(":")
        return getattr(importlib.import_module(f"sgpmic_cli.{module}"), function)


@cache
def all_figures() -> dict[str, Figure]:
    """Return every figure by name, in the order of the report."""
    content = (files("sgpmic_cli.paper.figures") / "catalogue.toml").read_text(encoding="utf-8")
    document = tomllib.loads(content)
    figures = [Figure(**entry) for entry in document["figures"]]
    return {
        figure.name: figure._replace(
            caption=figure.caption.replace("{embedding}", document["embedding"])
        )
        for figure in figures
    }


def resolve(names: Iterable[str]) -> list[Figure]:
    """Return the figures of the given names; `all` means those that need no data set."""
    from sgpmic_cli.benchmark.methods import unknown

    figures = all_figures()
    chosen: dict[str, Figure] = {}
    for name in names:
        if name == "all":
            chosen |= {figure.name: figure for figure in figures.values() if figure.in_all}
        elif name in figures:
            chosen[name] = figures[name]
        else:
            raise UsageError(unknown("figure", name, [*figures, "all"]))
    return list(chosen.values())
