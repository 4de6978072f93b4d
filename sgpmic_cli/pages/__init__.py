"""The frame of a page, and templates that are filled with escaped text."""

import base64
import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import for_html

# A browser that follows this policy loads nothing from outside the page.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


class Html(str):
    """Text that is already HTML."""


class Section(NamedTuple):
    """A section of a page; the anchor is the target of links."""

    anchor: str
    title: str
    content: Sequence[Html]


def text(content: object) -> Html:
    """Return the content as escaped text; HTML is not changed, and parts of a list are joined."""
    if isinstance(content, Html):
        return content
    if isinstance(content, list | tuple):
        return Html("".join(map(text, content)))
    return Html(escape(for_html(str(content))))


def fill(template: str, **values: object) -> Html:
    """Return a template of HTML in which `$name` is replaced by the escaped value.

    Examples
    --------
    >>> fill("<p>$words</p>", words="a < b")
    '<p>a &lt; b</p>'
    """
    filled = {name: text(value) for name, value in values.items()}
    return Html(Template(template).substitute(filled))


@cache
def templates(package: str, name: str) -> dict[str, str]:
    """Return the templates of a file in a package by their ids."""
    content = (files(package) / name).read_text(encoding="utf-8")
    return dict(re.findall(r'<template id="([\w-]+)">\n?(.*?)\n?</template>', content, re.S))


def table(
    heading: Sequence[object], rows: Iterable[Sequence[object]], *, caption: str, class_: str = ""
) -> Html:
    """Return a table that scrolls horizontally; the first cell of a row is its header."""
    # A column without a name has no header cell, so that screen readers announce none.
    heads = [fill('<th scope="col">$it</th>' if it else "<td></td>", it=it) for it in heading]
    lines = [
        fill('<tr><th scope="row">$head</th>$cells</tr>', head=head, cells=_each("td", cells))
        for head, *cells in rows
    ]
    parts = {"caption": caption, "class_": class_, "heads": heads, "lines": lines}
    return box(fill(_own("table"), **parts), caption)


def box(content: Html, label: str) -> Html:
    """Return a box that can be scrolled with the keyboard."""
    return fill(_own("box"), content=content, label=label)


def items(entries: Iterable[object]) -> Html:
    """Return an unordered list."""
    return fill("<ul>$entries</ul>", entries=_each("li", entries))


def picture(path: Path, title: str, caption: str) -> Html:
    """Return a PNG embedded in the page, or a sentence if the file does not exist."""
    if not path.is_file():
        return fill("<p>$title: this figure could not be drawn.</p>", title=title)
    content = Html(base64.b64encode(path.read_bytes()).decode("ascii"))
    return fill(_own("picture"), content=content, title=title, caption=caption)


def document(
    title: str,
    lead: str,
    sections: Sequence[Section],
    scripts: Sequence[str] = (),
    *,
    bare: bool = False,
) -> str:
    """Return a page; `scripts` are names of files in this folder. A bare page has no headings."""
    top: list[Html] = []
    if not bare:
        links = [fill('<a href="#$anchor">$title</a>', **each._asdict()) for each in sections]
        top = [fill(_own("top"), title=title, lead=lead, links=links)]
    heading = "" if bare else "<h2>$title</h2>"
    section = f'<section id="$anchor">{heading}$content</section>\n'
    return fill(
        _own("page"),
        policy=Html(POLICY),
        title=title,
        style=_read("page.css"),
        top=top,
        sections=[fill(section, **each._asdict()) for each in sections],
        scripts=[fill("<script>$code</script>\n", code=_read(name)) for name in scripts],
    )


def refuse_other_file(target: Path) -> None:
    """Raise UsageError if a file exists there that is no page of sgpmic."""
    if target.is_file():
        with target.open("rb") as file:
            if POLICY.encode() not in file.read(1000):
                raise UsageError(f"'{target}' is no page of sgpmic: name another file with --out.")


def _each(name: str, entries: Iterable[object]) -> list[Html]:
    return [fill(f"<{name}>$entry</{name}>", entry=entry) for entry in entries]


def _own(name: str) -> str:
    return templates(__name__, "frame.html")[name]


def _read(name: str) -> Html:
    return Html((files(__name__) / name).read_text(encoding="utf-8"))
