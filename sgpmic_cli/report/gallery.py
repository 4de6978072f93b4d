"""The figures, embedded in the page."""

from pathlib import Path

from sgpmic_cli.figures.catalogue import Figure, known
from sgpmic_cli.report.markup import Html, picture, section, tag
from sgpmic_cli.report.results import Results


def gallery(results: Results) -> Html:
    """Every figure that has been drawn, and the command for each that has not."""
    shown = [
        figure
        for figure in known().values()
        if figure.in_all and figure.name != "critical-difference"
    ]
    return section(
        "figures", "Figures", *(figure_or_command(results.figures, figure) for figure in shown)
    )


def figure_or_command(folder: Path, figure: Figure) -> Html:
    """One figure with its title and caption."""
    path = folder / f"{figure.name}.png"
    title = tag("h3", figure.title)
    if not path.is_file():
        command = tag("code", f"sgpmic plot {figure.name}")
        return tag(
            "article", title, tag("p", "Not drawn yet: ", command, " draws it."), id=figure.name
        )
    return tag("article", title, picture(path, figure.title, figure.caption), id=figure.name)
