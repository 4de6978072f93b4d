"""Figure 5: what the kernel does, on Iris and Wine in two dimensions."""

from dataclasses import replace
from pathlib import Path

from sgpmic_cli.experiments.methods import resolve
from sgpmic_cli.figures.printed import ACC
from sgpmic_cli.figures.request import Request
from sgpmic_cli.figures.scatter import LETTERS, below, legend, scatter
from sgpmic_cli.figures.shown import cell, shown
from sgpmic_cli.figures.style import PAGE, canvas

KERNELS = {"linear": "linear kernel", "rbf": "RBF kernel"}
DATASETS = {"iris": "Iris", "wine": "Wine"}


def figure5(stem: Path, request: Request) -> list[str]:
    """A row for each data set, a column for each kernel; both have three classes."""
    (rbf,) = resolve(["sgp-mic"])
    linear = replace(rbf, name="sgp-mic-linear", settings={**rbf.settings, "kernel": "linear"}, in_paper=False)
    methods = {"linear": linear, "rbf": rbf}
    wanted = [(name, kernel) for name in DATASETS for kernel in KERNELS]
    panels = shown([cell(methods[kernel], name, request, q=2) for name, kernel in wanted], request)
    with canvas(stem, width=PAGE * 0.75, height=5.6) as figure:
        grid = figure.subplots(2, 2)
        for letter, axes, panel, (name, kernel) in zip(LETTERS, grid.flat, panels, wanted, strict=False):
            scatter(axes, panel.X, panel.classes, panel.clusters)
            axes.set_title(f"({letter}) {DATASETS[name]}, {KERNELS[kernel]}")
            below(axes, panel, ACC["figure5", name][kernel])
        legend(figure, ["1", "2", "3"], 3)
    return []
