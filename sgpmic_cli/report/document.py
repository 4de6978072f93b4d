"""The frame of every page: one HTML document that needs nothing but itself."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

from sgpmic_cli.report.markup import Html, tag, text

# A browser that obeys this asks no server for anything, whatever the page holds.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def document(
    title: str,
    lead: str,
    anchors: Mapping[str, str],
    sections: Sequence[Html],
    *,
    script: str | None = None,
) -> str:
    """A page of sections, with links to them by anchor and name; `script` is a file beside this one."""
    links = [tag("a", name, href=f"#{anchor}") for anchor, name in anchors.items()]
    body = tag(
        "body",
        tag("header", tag("h1", title), tag("p", lead)),
        tag("nav", *links, aria_label="Sections"),  # beside the header, so that it can stay in view
        tag("main", *sections),
        tag("script", _part(script)) if script else Html(""),
    )
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<link rel="icon" href="data:,">\n<title>{text(title)}</title>\n<style>{_part("page.css")}</style>'
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def _part(name: str) -> Html:
    return Html((files("sgpmic_cli.report") / name).read_text(encoding="utf-8"))
