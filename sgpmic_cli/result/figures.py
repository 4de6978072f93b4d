"""Draw the figures of one fit into files."""

from pathlib import Path

import numpy as np

from sgpmic_cli.figure_style import COLOURS, COLUMN, PAGE, canvas, legend_columns
from sgpmic_cli.result.fitting import Fitted
from sgpmic_cli.result.plots import (
    class_groups,
    cluster_groups,
    plot_mixture,
    plot_points,
    plot_profile,
    profile_size,
)

MOST_MARKED = 90  # bounds; more markers overlap
LEGEND_LINE = 0.16  # inches


def draw_all(fitted: Fitted, folder: Path, *, pdf: bool = False) -> list[str]:
    """Draw the figures that the page of a fit shows as PNG.

    With `pdf`, draw profile and convergence as well, and all figures also as PDF. Return a sentence
    for each figure that failed.
    """
    figures = {"embedding": draw_embedding}
    if pdf:
        figures["convergence"] = draw_convergence
    if pdf and fitted.model.n_clusters_ > 1:
        figures["profile"] = draw_profile
    failures = []
    for name, draw in figures.items():
        try:
            draw(fitted, folder / name, pdf=pdf)
        except Exception as error:  # a figure that fails must not lose the fit
            for kind in ("png", "pdf"):
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
            reason = f"{type(error).__name__}: {error}"
            failures.append(f"the figure {name} could not be drawn ({reason}).")
    return failures


def draw_convergence(fitted: Fitted, stem: Path, *, pdf: bool = True) -> None:
    """Draw the bound against the iteration, and the ACC if classes are known and labels change."""
    from matplotlib.ticker import MaxNLocator

    bounds, n_updates = fitted.model.lower_bounds_, len(fitted.model.updates)
    iterations = np.arange(1, len(bounds) + 1) / n_updates
    line = "o-" if len(bounds) <= MOST_MARKED else "-"
    with_acc = n_updates > 1 and fitted.data.labels is not None  # GroupMap keeps its labels
    with canvas(stem, height=3.0 if with_acc else 2.2, pdf=pdf) as figure:
        panels = figure.subplots(2 if with_acc else 1, sharex=True, squeeze=False)[:, 0]
        panels[0].plot(iterations, bounds, line, color=COLOURS[0])
        panels[0].set(title="the bound that the fit maximises", ylabel="lower bound")
        if with_acc:
            panels[1].plot(iterations, fitted.trace()["acc"], line, color=COLOURS[2])
            panels[1].set_ylabel("ACC (%)")
        panels[-1].set_xlabel("iteration")
        panels[-1].xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_embedding(fitted: Fitted, stem: Path, *, pdf: bool = True) -> None:
    """Draw the latent points, coloured by cluster and, if classes are known, by class."""
    data, X = fitted.data, fitted.prediction.embedding
    panels = [cluster_groups(fitted.model)]
    if data.labels is not None:
        panels.append(class_groups(data.labels, data.class_names, fitted.prediction.labels))
    width = COLUMN if len(panels) == 1 else PAGE
    panel = width / len(panels) - 0.5
    lines = max(-(-len(names) // legend_columns(names, panel)) for _, _, names, _ in panels)
    with canvas(stem, width=width, height=2.7 + LEGEND_LINE * lines, pdf=pdf) as figure:
        planar = X.shape[1] > 1
        row = figure.subplots(1, len(panels), squeeze=False, sharex=True, sharey=planar)[0]
        for axes, groups in zip(row, panels, strict=True):
            plot_points(axes, X, groups, panel)
        plot_mixture(row[0], fitted.model, X)


def draw_profile(fitted: Fitted, stem: Path, *, pdf: bool = True) -> None:
    """Draw the means of the features in each cluster."""
    width, height = profile_size(fitted.profile)
    with canvas(stem, width=width, height=height, pdf=pdf) as figure:
        plot_profile(figure.subplots(), fitted.profile)
