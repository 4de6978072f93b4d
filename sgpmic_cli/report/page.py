"""The report: one HTML page that needs nothing but itself."""

from importlib.resources import files
from pathlib import Path

from sgpmic_cli.report.environment import environment
from sgpmic_cli.report.gallery import gallery
from sgpmic_cli.report.grid import grid
from sgpmic_cli.report.markup import Html, tag
from sgpmic_cli.report.protocol import protocol
from sgpmic_cli.report.ranks import ranks
from sgpmic_cli.report.results import read_folder
from sgpmic_cli.report.summary import summary

TITLE = "SGP-MIC reproduced: every printed number beside ours"
SECTIONS = {
    "summary": "Summary",
    "table2": "Table 2",
    "figures": "Figures",
    "significance": "Significance",
    "protocol": "Protocol and slips",
    "environment": "Environment",
}
# A browser that obeys this asks no server for anything, whatever the page holds.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def page(folder: Path) -> str:
    """The page about the results in a folder."""
    results = read_folder(folder)
    links = [tag("a", title, href=f"#{anchor}") for anchor, title in SECTIONS.items()]
    body = tag(
        "body",
        tag(
            "header",
            tag("h1", TITLE),
            tag(
                "p",
                "The clustering experiments of “Clustering based on Mixtures of Sparse Gaussian Processes” "
                "(arXiv 2303.13665), run again: what came out, what was printed, and how the two compare.",
            ),
            tag("nav", *links, aria_label="Sections"),
        ),
        tag(
            "main",
            summary(results),
            grid(results),
            gallery(results),
            ranks(results),
            protocol(results),
            environment(results),
        ),
        tag("script", _part("details.js")),
    )
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<link rel="icon" href="data:,">\n<title>{TITLE}</title>\n<style>{_part("page.css")}</style>'
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body}\n</html>\n'


def _part(name: str) -> Html:
    return Html((files("sgpmic_cli.report") / name).read_text(encoding="utf-8"))
