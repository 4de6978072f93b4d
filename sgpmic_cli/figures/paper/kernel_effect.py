"""Figure 5: what the kernel does, on Iris and Wine in two dimensions."""

from dataclasses import replace
from pathlib import Path

from sgpmic_cli.experiments.compare.paper import FIGURE_ACC
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.figures.panels import fit_panels, in_two_dimensions
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS, below, legend, scatter
from sgpmic_cli.figures.style import PAGE, canvas

KERNELS = {"linear": "linear kernel", "rbf": "RBF kernel"}
DATASETS = {"iris": "Iris", "wine": "Wine"}


def figure5(stem: Path, options: PlotOptions) -> list[str]:
    """A row for each data set, a column for each kernel; both have three classes, Iris's named first."""
    panels = fit_panels(options.study(DATASETS, ["sgp-mic"], _with_both_kernels), options)
    wanted = [(name, kernel) for name in DATASETS for kernel in KERNELS]
    with canvas(stem, width=PAGE * 0.8, height=5.2) as figure:
        grid = figure.subplots(2, 2)
        for letter, axes, panel, (name, kernel) in zip(
            LETTERS, grid.flat, panels, wanted, strict=False
        ):
            scatter(axes, panel.X, panel.classes, panel.clusters, larger=1.6)
            axes.set_title(f"({letter}) {DATASETS[name]}, {KERNELS[kernel]}")
            below(axes, panel, FIGURE_ACC["figure5", name][kernel])
        iris, wine = (panel.data.class_names for panel in (panels[0], panels[-1]))
        legend(figure, [f"{one} / {other}" for one, other in zip(iris, wine, strict=True)], 3)
    return []


def _with_both_kernels(cell: Cell) -> list[Cell]:
    """In the order of KERNELS. The linear one is a method of its own name, so that it has seeds of its own."""
    (rbf,) = in_two_dimensions(cell)
    method = replace(cell.method, name="sgp-mic-linear", in_paper=False)
    return [replace(rbf, method=method, settings={**cell.settings, "kernel": "linear"}), rbf]
