"""List the figures of the paper, which `sgpmic plot` draws and the report shows.

Shell completion needs their names, so this module imports neither NumPy nor matplotlib.
"""

import importlib
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.paper.figures.panels import PlotOptions

Draw = Callable[[Path, "PlotOptions"], list[str]]


class Figure(NamedTuple):
    """A figure: its name, drawing function, title and caption."""

    name: str
    target: str  # "module:function" in this folder; the function returns notes
    title: str
    caption: str

    def load(self) -> Draw:
        """Import the drawing function."""
        module, _, function = self.target.partition(":")
        return getattr(importlib.import_module(f"{__package__}.{module}"), function)


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


def resolve(names: Iterable[str], more: Sequence[str] = ()) -> list[str]:
    """Return the names of figures without repetition; `all` means those of the paper.

    `more` are names of other figures.
    """
    from sgpmic_cli.benchmark.methods import unknown

    valid = [*all_figures(), *more, "all"]
    for name in names:
        if name not in valid:
            raise UsageError(unknown("figure", name, valid))
    every = ([*all_figures()] if name == "all" else [name] for name in names)
    return list(dict.fromkeys(chain.from_iterable(every)))
