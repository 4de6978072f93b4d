"""Figures 2 to 5: data sets in the latent spaces of SGP-MIC and of other methods."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from sgpmic_cli.experiments.compare.paper import FIGURE_ACC, FIGURE_ARCS
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.figures.panels import fit_panels, in_two_dimensions
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS, label_axes, legend, scatter
from sgpmic_cli.figures.style import PAGE, canvas

METHODS = {  # of figures 2 and 3, in the order of the panels, as the paper calls them
    "isomap-fcm": "ISOMAP",
    "ppca-fcm": "PPCA",
    "aml": "AML",
    "unca": "UNCA",
    "gplvm-fcm": "GP-LVM",
    "sgp-mic": "SGP-MIC",
}
KERNELS = {"linear": "linear kernel", "rbf": "RBF kernel"}  # of figure 5
DATASETS = {"iris": "Iris", "wine": "Wine"}


def _draw_methods(name: str, dataset: str, stem: Path, options: PlotOptions) -> list[str]:
    """Draw a data set in the latent spaces of six methods.

    Wine is drawn without the column that the printed numbers omit.
    """
    printed = FIGURE_ACC[name, dataset]
    panels = fit_panels(options.study([dataset], METHODS, in_two_dimensions), options)
    with canvas(stem, width=PAGE, height=5.6) as figure:
        grid = figure.subplots(2, 3)
        for letter, axes, panel in zip(LETTERS, grid.flat, panels, strict=False):
            name = panel.cell.method.name
            scatter(axes, panel.X, panel.classes, panel.clusters)
            lam = panel.result.settings.get("lam")
            chosen = "" if lam is None else f", λ = {lam:g}"
            axes.set_title(f"({letter}) {METHODS[name]}{chosen}")
            label_axes(axes, panel, printed[name])
        legend(figure, panels[0].data.class_names, panels[0].cell.n_clusters)
    return []


figure2 = partial(_draw_methods, "figure2", "iris")
figure3 = partial(_draw_methods, "figure3", "wine")


def figure4(stem: Path, options: PlotOptions) -> list[str]:
    """Draw the two generated sets: their points on the left, their latent space on the right."""
    panels = fit_panels(options.study(["spiral", "arcs"], ["sgp-mic"], in_two_dimensions), options)
    with canvas(stem, width=PAGE * 0.8, height=5.6) as figure:
        for i, (row, panel) in enumerate(zip(figure.subplots(2, 2), panels, strict=True)):
            data, stats = panel.data, panel.result.ours
            before, after = row
            scatter(before, data.Y[:, :2], panel.classes, panel.clusters)
            before.set_aspect("equal", adjustable="datalim")
            shape = f"{len(data.Y)} rows, {data.n_classes} classes"
            before.set_title(f"({'ac'[i]}) {data.name.capitalize()}: {shape}")
            before.set_xlabel(data.feature_names[0])
            before.set_ylabel(data.feature_names[1])
            scatter(after, panel.X, panel.classes, panel.clusters)
            after.set_title(f"({'bd'[i]}) SGP-MIC")
            repeats = panel.result.repeats - panel.result.failed
            scores = f"ACC {stats['acc'].mean:.2f} %, NMI {stats['nmi'].mean:.2f} %"
            text = f"latent dimension 1\n{scores} (mean of {repeats})"
            if data.name == "arcs":
                paper = f"{FIGURE_ARCS['acc']:.2f} and {FIGURE_ARCS['nmi']:.2f}"
                text += f"\npaper, on other data: {paper}"
            after.set_xlabel(text)
            after.set_ylabel("latent dimension 2")
        figure.supxlabel("marker: class; colour: cluster; the run nearest to the mean", fontsize=7)
    return []


def figure5(stem: Path, options: PlotOptions) -> list[str]:
    """Draw a row for each data set and a column for each kernel."""
    panels = fit_panels(options.study(DATASETS, ["sgp-mic"], _with_both_kernels), options)
    wanted = [(name, kernel) for name in DATASETS for kernel in KERNELS]
    with canvas(stem, width=PAGE * 0.8, height=5.2) as figure:
        grid = figure.subplots(2, 2)
        for i, (axes, panel, (name, kernel)) in enumerate(
            zip(grid.flat, panels, wanted, strict=True)
        ):
            scatter(axes, panel.X, panel.classes, panel.clusters, larger=1.6)
            axes.set_title(f"({LETTERS[i]}) {DATASETS[name]}, {KERNELS[kernel]}")
            label_axes(axes, panel, FIGURE_ACC["figure5", name][kernel])
        iris, wine = (panel.data.class_names for panel in (panels[0], panels[-1]))
        legend(figure, [f"{one} / {other}" for one, other in zip(iris, wine, strict=True)], 3)
    return []


def _with_both_kernels(cell: Cell) -> list[Cell]:
    """Return the cell with each kernel, in the order of KERNELS.

    The linear kernel is a method with its own name, so that it has its own seeds.
    """
    (rbf,) = in_two_dimensions(cell)
    method = replace(cell.method, name="sgp-mic-linear", in_paper=False)
    return [replace(rbf, method=method, settings={**cell.settings, "kernel": "linear"}), rbf]
