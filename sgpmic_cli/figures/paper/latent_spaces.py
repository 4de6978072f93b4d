"""Figures 2 and 3: one data set in two dimensions, by six methods."""

from pathlib import Path

from sgpmic_cli.experiments.compare.paper import FIGURE_ACC
from sgpmic_cli.figures.panels import fit_panels, in_two_dimensions
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS, below, legend, scatter
from sgpmic_cli.figures.style import PAGE, canvas

METHODS = {  # in the order of the panels, as the paper calls them
    "isomap-fcm": "ISOMAP",
    "ppca-fcm": "PPCA",
    "aml": "AML",
    "unca": "UNCA",
    "gplvm-fcm": "GP-LVM",
    "sgp-mic": "SGP-MIC",
}


def figure2(stem: Path, options: PlotOptions) -> list[str]:
    """Iris."""
    return _draw(stem, "iris", FIGURE_ACC["figure2", "iris"], options)


def figure3(stem: Path, options: PlotOptions) -> list[str]:
    """Wine, without the column the printed numbers were made without."""
    return _draw(stem, "wine", FIGURE_ACC["figure3", "wine"], options)


def _draw(stem: Path, dataset: str, printed: dict[str, float], options: PlotOptions) -> list[str]:
    panels = fit_panels(options.study([dataset], METHODS, in_two_dimensions), options)
    with canvas(stem, width=PAGE, height=5.6) as figure:
        grid = figure.subplots(2, 3)
        for letter, axes, panel in zip(LETTERS, grid.flat, panels, strict=False):
            name = panel.cell.method.name
            scatter(axes, panel.X, panel.classes, panel.clusters)
            lam = panel.outcome.settings.get("lam")
            chosen = "" if lam is None else f", λ = {lam:g}"
            axes.set_title(f"({letter}) {METHODS[name]}{chosen}")
            below(axes, panel, printed[name])
        legend(figure, panels[0].data.class_names, panels[0].cell.n_clusters)
    return []
