"""The few pieces of HTML that all sections are put together from. What comes from data is escaped here, once."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from sgpmic_cli.safe_text import for_html


class Html(str):
    """Text that is markup already."""


def text(content: object) -> Html:
    """Anything as text of a page."""
    return content if isinstance(content, Html) else Html(escape(for_html(str(content))))


def tag(name: str, *content: object, **attributes: str | None) -> Html:
    """An element; `class_` becomes class, `data_x` data-x, and an attribute of None is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(for_html(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{''.join(map(text, content))}</{name}>")


def table(heading: Sequence[object], rows: Iterable[Sequence[object]], *, caption: str) -> Html:
    """A plain table in a box of its own that scrolls sideways: the first column of words, the others of numbers."""
    # A column without a name has no head to read out.
    heads = [tag("th", entry, scope="col") if entry else tag("td") for entry in heading]
    head = tag("thead", tag("tr", *heads))
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", entry) for entry in row[1:]))
        for row in rows
    ]
    return box(tag("table", tag("caption", caption), head, tag("tbody", *body)), caption)


def box(content: Html, label: str) -> Html:
    """A box that scrolls by itself, also by keyboard."""
    return tag("div", content, class_="box", tabindex="0", role="region", aria_label=label)


def section(anchor: str, title: str, *content: object) -> Html:
    """A section with a heading that can be linked to."""
    return tag("section", tag("h2", title), *content, id=anchor)


def items(entries: Iterable[object]) -> Html:
    """A list."""
    return tag("ul", *(tag("li", entry) for entry in entries))


def picture(path: Path, title: str, caption: str) -> Html:
    """A PNG, embedded in the page, with what it shows below it; one that could not be drawn is said to be missing."""
    if not path.is_file():
        return tag("p", f"{title}: this figure could not be drawn.")
    content = base64.b64encode(path.read_bytes()).decode("ascii")
    image = Html(f'<img src="data:image/png;base64,{content}" alt="{text(title)}">')
    return tag("figure", image, tag("figcaption", caption))
