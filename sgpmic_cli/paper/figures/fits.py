"""Figures 2 to 5, data sets in latent spaces, and figure 6, loss and ACC after every update.

The record of a run has scores but no coordinates. So the repeat of a cell whose ACC is nearest to
the mean is fitted again with its own seed. In a latent space the marker of a point shows its class,
the colour its cluster.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from threadpoolctl import threadpool_limits

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.page import dataset_title
from sgpmic_cli.benchmark.plan import Cell, Study
from sgpmic_cli.benchmark.run import make_estimator, run_study
from sgpmic_cli.data import Rows
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.paper.experiments.protocols import figure_acc
from sgpmic_cli.paper.figures import PlotOptions
from sgpmic_cli.scores import purity
from sgpmic_cli.style import COLOURS, LETTERS, MARKERS, PAGE, as_drawn, canvas, matched_looks

METHODS = {  # of figures 2 and 3, in the order of the panels, as the paper calls them
    **{"isomap-fcm": "ISOMAP", "ppca-fcm": "PPCA", "aml": "AML", "unca": "UNCA"},
    **{"gplvm-fcm": "GP-LVM", "sgp-mic": "SGP-MIC"},
}
GREY = "#7a7a7a"
FIGURE4_SIZE = 2.5  # times the usual area, so that the classes of dense curves can be read
CONVERGENCE = ("iris", "wine", "sonar", "wdbc", "australian", "segment")  # of figure 6
LOSS, ACC = COLOURS[0], COLOURS[3]


@dataclass(frozen=True)
class TypicalRun:
    """The run of a cell with the ACC nearest to the mean, and all that succeeded."""

    cell: Cell
    seed: int
    runs: pd.DataFrame
    data: Rows
    classes: Indices  # (N,)

    def score(self, name: str) -> Array:
        """Return a score of all repeats."""
        return self.runs[self.cell.scores.get(name, name)].to_numpy(float)


@dataclass(frozen=True)
class Panel:
    """A typical run, fitted again."""

    run: TypicalRun
    X: Array  # (N, Q)
    clusters: Indices  # (N,), numbered by the class that a cluster overlaps most


def fit_panels(study: Study, options: PlotOptions) -> list[Panel]:
    """Run or look up all repeats of a study, and fit the typical run of each cell again."""
    panels = []
    for run in typical_runs(study, options):
        with threadpool_limits(limits=1):
            model = make_estimator(run.cell, run.seed).fit(run.data.Y)
        names, clusters = np.unique(model.labels_, return_inverse=True)
        # Clusters have the numbers of the classes that they match best, so panels share colours.
        looks = matched_looks(clusters, run.classes, len(names), run.data.n_classes)
        panels.append(Panel(run, model.embedding_, np.array(looks)[clusters]))
    return panels


def typical_runs(study: Study, options: PlotOptions) -> Iterator[TypicalRun]:
    """Run or look up all repeats of a study, and yield the typical run of each cell."""
    finished = run_study(study, options.running)
    for number, cell in enumerate(finished.cells):
        runs = finished.frame[finished.frame["cell"] == number]
        good = runs[runs["status"] == "ok"]
        if good.empty:
            reasons = "; ".join(runs["reason"].unique())
            place = f"{cell.method.name} on {cell.dataset}"
            raise SgpmicError(f"no run of {place} succeeded: {reasons}")
        acc = good[cell.scores["acc"]]
        typical = int((acc - acc.mean()).abs().to_numpy().argmin())
        assert cell.data is not None
        assert cell.data.labels is not None
        seed = int(good["seed"].iloc[typical])
        yield TypicalRun(cell, seed, good, cell.data, cell.data.labels)


def in_two_dimensions(cell: Cell) -> list[Cell]:
    """Return the cell with two latent dimensions, as in the paper's figures."""
    return [replace(cell, q=2)]


def _draw_methods(name: str, dataset: str, stem: Path, options: PlotOptions) -> None:
    """Draw a data set in the latent spaces of six methods.

    Wine is drawn without the column that the printed numbers omit.
    """
    panels = fit_panels(options.study([dataset], METHODS, in_two_dimensions), options)
    with canvas(stem, width=PAGE, height=5.6) as figure:
        for i, (axes, panel) in enumerate(zip(figure.subplots(2, 3).flat, panels, strict=False)):
            method, lam = panel.run.cell.method.name, panel.run.cell.settings.get("lam")
            title = METHODS[method] if lam is None else f"{METHODS[method]}, λ = {lam:g}"
            draw_panel(axes, panel, f"({LETTERS[i]}) {title}", figure_acc()[name, dataset, method])
        legend(figure, panels[0].run.data.class_names)


figure2 = partial(_draw_methods, "figure2", "iris")
figure3 = partial(_draw_methods, "figure3", "wine")


def figure4(stem: Path, options: PlotOptions) -> None:
    """Draw the two generated sets: their points on the left, their latent space on the right."""
    panels = fit_panels(options.study(["spiral", "arcs"], ["sgp-mic"], in_two_dimensions), options)
    with canvas(stem, width=PAGE, height=6.4) as figure:
        grid = figure.subplots(2, 2, height_ratios=(3, 2))  # the arcs are wide and flat
        for letters, (before, after), panel in zip(("ab", "cd"), grid, panels, strict=True):
            data = panel.run.data
            scatter(before, data.Y[:, :2], panel, larger=FIGURE4_SIZE)
            before.set_aspect("equal", adjustable="datalim")
            shape = f"{len(data.Y)} rows, {data.n_classes} classes"
            before.set_title(f"({letters[0]}) {data.name.capitalize()}: {shape}")
            before.set(xlabel=data.feature_names[0], ylabel=data.feature_names[1])
            scatter(after, panel.X, panel, larger=FIGURE4_SIZE)
            after.set_title(f"({letters[1]}) SGP-MIC")
            acc, nmi = (panel.run.score(name) for name in ("acc", "nmi"))
            scores = f"ACC {acc.mean():.2f} %, NMI {nmi.mean():.2f} % (mean of {len(acc)})"
            if data.name == "arcs":
                scores += "\npaper, on other data: 99.32 and 97.35"
            after.set(xlabel=f"latent dimension 1\n{scores}", ylabel="latent dimension 2")
        legend(figure, [str(i + 1) for i in range(5)])


def figure5(stem: Path, options: PlotOptions) -> None:
    """Draw a row for each data set and a column for each kernel."""
    panels = fit_panels(options.study(["iris", "wine"], ["sgp-mic"], _with_both_kernels), options)
    with canvas(stem, width=PAGE * 0.8, height=5.2) as figure:
        grid = figure.subplots(2, 2).flat
        for letter, axes, panel in zip("abcd", grid, panels, strict=True):
            name, kernel = panel.run.cell.dataset, panel.run.cell.settings.get("kernel", "rbf")
            title = f"({letter}) {dataset_title(name)}, {kernel.replace('rbf', 'RBF')} kernel"
            draw_panel(axes, panel, title, figure_acc()["figure5", name, kernel], larger=1.6)
        names = (panel.run.data.class_names for panel in (panels[0], panels[-1]))
        legend(figure, [" / ".join(pair) for pair in zip(*names, strict=True)])


def _with_both_kernels(cell: Cell) -> list[Cell]:
    """Return the cell with each kernel.

    The linear kernel is a method with its own name, so that it has its own seeds.
    """
    (rbf,) = in_two_dimensions(cell)
    method = replace(cell.method, name="sgp-mic-linear")
    return [replace(rbf, method=method, settings={**cell.settings, "kernel": "linear"}), rbf]


def draw_panel(
    axes: Axes, panel: Panel, title: str, printed: float, *, larger: float = 1.0
) -> None:
    """Draw the latent points of a panel above the mean ACC of the repeats and the paper's ACC."""
    scatter(axes, panel.X, panel, larger=larger)
    acc = panel.run.score("acc")
    scores = f"ACC {acc.mean():.2f} ± {acc.std():.2f} %; paper {printed:.2f}"
    axes.set_title(title)
    axes.set_xlabel(f"latent dimension 1\n{scores}", linespacing=1.5)
    axes.set_ylabel("latent dimension 2", labelpad=1)


def scatter(axes: Axes, points: Array, panel: Panel, *, larger: float = 1.0) -> None:
    """Draw points (N, 2) in a fixed random order, so that no class hides the others."""
    size = larger * float(np.clip(2600 / len(points), 5.0, 15.0))
    order = np.random.RandomState(0).permutation(len(points))
    style: Any = {"s": size, "edgecolors": "white", "linewidths": 0.25, "alpha": 0.75}
    for part in np.array_split(order, max(1, len(points) // 50)):
        for group in np.unique(panel.run.classes[part]):
            rows = part[panel.run.classes[part] == group]
            colours = [COLOURS[cluster % len(COLOURS)] for cluster in panel.clusters[rows]]
            x, y = points[rows].T
            axes.scatter(x, y, marker=MARKERS[group % len(MARKERS)], c=colours, **style)
    axes.margins(0.06)
    axes.locator_params(nbins=4)


def legend(figure: Figure, class_names: Sequence[str]) -> None:
    """Draw one legend below all panels: a row of markers (classes), a row of colours (clusters)."""
    handles = []  # Matplotlib fills a legend column by column
    dot: Any = {"linestyle": "", "markersize": 5}
    for i, name in enumerate(class_names):
        label = f"class {as_drawn(name)}"
        handles.append(Line2D([], [], color=GREY, marker=MARKERS[i], label=label, **dot))
        label = f"cluster {i + 1}"
        handles.append(Line2D([], [], color=COLOURS[i], marker="o", label=label, **dot))
    title = "Shown is the run whose ACC is nearest to the mean of all."
    place: Any = {"loc": "outside lower center", "ncols": len(class_names), "title_fontsize": 7}
    figure.legend(handles=handles, title=title, **place)


def figure6(stem: Path, options: PlotOptions) -> None:
    """Draw a panel for each data set: the loss on the left axis, ACC on the right."""
    study = options.study(CONVERGENCE, ["sgp-mic"])
    runs = list(typical_runs(study, options))
    traces = [traced(run) for run in runs]
    # All ACC axes have the same length, so that the panels can be compared.
    span = max(float(np.ptp(acc)) for _, acc in traces) + 4.0
    white: Any = {"mfc": "white"}
    with canvas(stem, width=PAGE, height=4.6) as figure:
        grid = figure.subplots(2, 3).flat
        for letter, axes, run, (bound, acc) in zip(LETTERS, grid, runs, traces, strict=False):
            n, values = np.arange(1, len(bound) + 1), -bound / 1000
            right = axes.twinx()
            right.spines["right"].set_visible(True)
            dots: Any = {"c": LOSS, "ms": 2.8}
            handles = [
                *axes.plot(n, values, "-", color=LOSS, label="loss (left axis)"),
                *axes.plot(n[::2], values[::2], "o", label="after an E-step", **dots, **white),
                *axes.plot(n[1::2], values[1::2], "o", label="after an M-step", **dots),
                *right.plot(n, acc, "--", color=ACC, label="ACC (right axis)"),
            ]
            middle = 0.5 * (acc.min() + acc.max())
            right.set_ylim(middle - span / 2.0, middle + span / 2.0)
            axes.tick_params(axis="y", colors=LOSS)
            right.tick_params(axis="y", colors=ACC)
            axes.locator_params(nbins=5)
            axes.set_title(f"({letter}) {dataset_title(run.cell.dataset)}, Q = {run.cell.q}")
            axes.set_ylabel("loss (thousand nats)", color=LOSS)
            right.set_ylabel("ACC (%)", color=ACC)
            axes.set_xlabel("update (E- and M-steps)")
        figure.legend(handles=handles, loc="outside lower center", ncols=4)


def traced(run: TypicalRun) -> tuple[Array, Array]:
    """Fit a run of SGP-MIC again and return the bound and the ACC after each update.

    All responsibilities take part in every iteration, however small.
    """
    acc: list[float] = []

    def follow(_iteration: int, _bound: float, labels: Indices) -> None:
        acc.extend([purity(run.classes, labels)] * 2)  # labels do not move in an M-step

    model = make_estimator(run.cell, run.seed).set_params(callback=follow)
    model._negligible, model._active = np.finfo(float).tiny, 0.0
    with threadpool_limits(limits=1):
        model.fit(run.data.Y)
    acc.append(purity(run.classes, model.labels_))
    return np.array(model.lower_bounds_), np.array(acc)
