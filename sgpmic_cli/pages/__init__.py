"""HTML elements and the frame of a page. All text is escaped here."""

import base64
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

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
    """Return the content as escaped text; HTML is returned unchanged."""
    return content if isinstance(content, Html) else Html(escape(for_html(str(content))))


def tag(name: str, *content: object, **attributes: str | None) -> Html:
    """Return an element.

    The attribute `class_` becomes class and `data_x` becomes data-x. An attribute that is None is
    omitted.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(for_html(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{''.join(map(text, content))}</{name}>")


def table(
    heading: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    caption: str,
    class_: str | None = None,
) -> Html:
    """Return a table that scrolls horizontally; the first cell of a row is its header."""
    # A column without a name has no header cell, so that screen readers announce none.
    heads = [tag("th", entry, scope="col") if entry else tag("td") for entry in heading]
    head = tag("thead", tag("tr", *heads))
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", entry) for entry in row[1:]))
        for row in rows
    ]
    content = tag("table", tag("caption", caption), head, tag("tbody", *body), class_=class_)
    return box(content, caption)


def box(content: Html, label: str) -> Html:
    """Return a box that can be scrolled with the keyboard."""
    return tag("div", content, class_="box", tabindex="0", role="region", aria_label=label)


@cache
def texts() -> dict[str, Any]:
    """Return the content of texts.toml."""
    return tomllib.loads(_read("texts.toml"))


def paragraph(name: str, **values: object) -> Html:
    """Return a paragraph of texts.toml with the values filled in."""
    return tag("p", texts()["paragraphs"][name].format(**values))


def items(entries: Iterable[object]) -> Html:
    """Return an unordered list."""
    return tag("ul", *(tag("li", entry) for entry in entries))


def picture(path: Path, title: str, caption: str) -> Html:
    """Return a PNG embedded in the page, or a sentence if the file does not exist."""
    if not path.is_file():
        return tag("p", f"{title}: this figure could not be drawn.")
    content = base64.b64encode(path.read_bytes()).decode("ascii")
    image = Html(f'<img src="data:image/png;base64,{content}" alt="{text(title)}">')
    return tag("figure", image, tag("figcaption", caption))


def document(
    title: str,
    lead: str,
    sections: Sequence[Section],
    scripts: Sequence[str] = (),
    *,
    bare: bool = False,
) -> str:
    """Return a page; `scripts` are names of files in this folder. A bare page has no headings."""
    links = [tag("a", each.title, href=f"#{each.anchor}") for each in sections]
    parts = [
        tag("section", *([] if bare else [tag("h2", each.title)]), *each.content, id=each.anchor)
        for each in sections
    ]
    top = [
        tag("header", tag("h1", title), tag("p", lead)),
        tag("nav", *links, aria_label="Sections"),  # outside the header, so that it can be sticky
    ]
    code = [tag("script", _read(script)) for script in scripts]
    body = tag("body", *([] if bare else top), tag("main", *parts), *code)
    head = (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<link rel="icon" href="data:,">\n<title>{text(title)}</title>\n'
        f"<style>{_read('page.css')}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def refuse_other_file(target: Path) -> None:
    """Raise UsageError if a file exists there that is no page of sgpmic."""
    if target.is_file():
        with target.open("rb") as file:
            if POLICY.encode() not in file.read(1000):
                raise UsageError(f"'{target}' is no page of sgpmic: name another file with --out.")


def _read(name: str) -> Html:
    return Html((files("sgpmic_cli.pages") / name).read_text(encoding="utf-8"))
