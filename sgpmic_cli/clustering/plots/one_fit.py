"""Draw the figures of one fit, for `sgpmic fit` and `sgpmic plot`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sgpmic_cli.clustering.plots.latent_space import (
    class_groups,
    cluster_groups,
    plot_mixture,
    plot_points,
)
from sgpmic_cli.clustering.plots.plotting import plot_profile, plot_selection, profile_size
from sgpmic_cli.clustering.result.fitting import Fitted, fit
from sgpmic_cli.clustering.result.interpretation import numbers_tried
from sgpmic_cli.clustering.result.settings import Setting
from sgpmic_cli.data import load
from sgpmic_cli.data.registry import names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.figure_style import COLOURS, COLUMN, PAGE, canvas, legend_columns
from sgpmic_cli.paper.figures.plot_options import PlotOptions

MOST_MARKED = 90  # bounds; more markers overlap
LEGEND_LINE = 0.16  # inches

Draw = Callable[[Fitted, Path], None]


def draw_all(fitted: Fitted, folder: Path) -> list[str]:
    """Draw all figures of a fit. Return a sentence for each figure that failed."""
    figures: dict[str, Draw] = {"convergence": draw_convergence, "embedding": draw_embedding}
    if len(fitted.model.weights_) > 1:
        figures["profile"] = draw_profile
    if numbers_tried(fitted):
        figures["numbers-tried"] = draw_numbers_tried
    failures = []
    for name, draw in figures.items():
        try:
            draw(fitted, folder / name)
        except Exception as error:  # a figure that fails must not lose the fit
            for kind in ("png", "pdf"):
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
            reason = f"{type(error).__name__}: {error}"
            failures.append(f"the figure {name} could not be drawn ({reason}).")
    return failures


def draw_convergence(fitted: Fitted, stem: Path) -> None:
    """Draw the bound against the iteration, and for the paper's model also the ACC, if known."""
    from matplotlib.ticker import MaxNLocator

    bounds, of_paper = fitted.model.lower_bounds_, fitted.setting == "paper"
    iterations = np.arange(1, len(bounds) + 1) / (2 if of_paper else 1)
    line = "o-" if len(bounds) <= MOST_MARKED else "-"
    with_acc = of_paper and fitted.data.labels is not None  # other models keep their labels
    with canvas(stem, height=3.0 if with_acc else 2.2) as figure:
        panels = figure.subplots(2 if with_acc else 1, sharex=True, squeeze=False)[:, 0]
        panels[0].plot(iterations, bounds, line, color=COLOURS[0])
        panels[0].set(title="the bound that the fit maximises", ylabel="lower bound")
        if with_acc:
            panels[1].plot(iterations, fitted.trace()["acc"], line, color=COLOURS[2])
            panels[1].set_ylabel("ACC (%)")
        panels[-1].set_xlabel("iteration")
        panels[-1].xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_embedding(fitted: Fitted, stem: Path) -> None:
    """Draw the latent points, coloured by cluster and, if classes are known, by class."""
    model, data = fitted.model, fitted.data
    panels = [cluster_groups(model)]
    if data.labels is not None:
        panels.append(class_groups(data.labels, data.class_names, model.labels_))
    width = COLUMN if len(panels) == 1 else PAGE
    each = width / len(panels) - 0.5
    lines = max(-(-len(names) // legend_columns(names, each)) for _, _, names, _ in panels)
    with canvas(stem, width=width, height=2.7 + LEGEND_LINE * lines) as figure:
        planar = model.embedding_.shape[1] > 1
        row = figure.subplots(1, len(panels), squeeze=False, sharex=True, sharey=planar)[0]
        for axes, groups in zip(row, panels, strict=True):
            plot_points(axes, model.embedding_, groups, each)
        plot_mixture(row[0], model)


def draw_profile(fitted: Fitted, stem: Path) -> None:
    """Draw the means of the features in each cluster."""
    width, height = profile_size(fitted.profile)
    with canvas(stem, width=width, height=height) as figure:
        plot_profile(figure.subplots(), fitted.profile)


def draw_numbers_tried(fitted: Fitted, stem: Path) -> None:
    """Draw the silhouette against the number of clusters."""
    with canvas(stem, height=2.6) as figure:
        plot_selection(fitted.model, ax=figure.subplots())


def _fit_and_draw(draw: Draw, stem: Path, options: PlotOptions) -> list[str]:
    """Fit registered data sets with the paper's model, files with the default model; draw it."""
    if options.data is None:
        raise UsageError("this figure needs a data set: name it, such as --data iris.")
    setting: Setting = "paper" if options.data in names() else "default"
    choices: Any = {"clusters": options.clusters, "scale": options.scale, "seed": options.seed}
    where: Any = {
        name: getattr(options.running, name) for name in ("data_dir", "mirror", "offline")
    }
    data = load(options.data, table=options.table, **where)
    with threadpool_limits(limits=1):
        fitted = fit(data, setting=setting, **choices)
    draw(fitted, stem)
    return [*data.notes, *fitted.warnings]


embedding = partial(_fit_and_draw, draw_embedding)
convergence = partial(_fit_and_draw, draw_convergence)
