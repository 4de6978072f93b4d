"""HTML elements and the frame of a page. All text is escaped here."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from sgpmic_cli.safe_text import for_html

# A browser that follows this policy loads nothing from outside the page.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


class Html(str):
    """Text that is already HTML."""


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


def table(heading: Sequence[object], rows: Iterable[Sequence[object]], *, caption: str) -> Html:
    """Return a table that scrolls horizontally; the first cell of a row is its header."""
    # A column without a name has no header cell, so that screen readers announce none.
    heads = [tag("th", entry, scope="col") if entry else tag("td") for entry in heading]
    head = tag("thead", tag("tr", *heads))
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", entry) for entry in row[1:]))
        for row in rows
    ]
    return box(tag("table", tag("caption", caption), head, tag("tbody", *body)), caption)


def box(content: Html, label: str) -> Html:
    """Return a box that can be scrolled with the keyboard."""
    return tag("div", content, class_="box", tabindex="0", role="region", aria_label=label)


def section(anchor: str, title: str, *content: object) -> Html:
    """Return a section with a heading and an anchor."""
    return tag("section", tag("h2", title), *content, id=anchor)


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
    anchors: Mapping[str, str],
    sections: Sequence[Html],
    *,
    script: str | None = None,
) -> str:
    """Return a page of sections; `anchors` maps their anchors to names, `script` is a file here."""
    links = [tag("a", name, href=f"#{anchor}") for anchor, name in anchors.items()]
    body = tag(
        "body",
        tag("header", tag("h1", title), tag("p", lead)),
        tag("nav", *links, aria_label="Sections"),  # outside the header, so that it can be sticky
        tag("main", *sections),
        tag("script", _read(script)) if script else Html(""),
    )
    head = (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<link rel="icon" href="data:,">\n<title>{text(title)}</title>\n'
        f"<style>{_read('page.css')}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def _read(name: str) -> Html:
    return Html((files("sgpmic_cli.report") / name).read_text(encoding="utf-8"))
