"""The figures that `sgpmic plot` draws and the report shows, one entry each. Loads nothing heavy by itself."""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.figures.plot_options import PlotOptions

Draw = Callable[[Path, "PlotOptions"], list[str]]


@dataclass(frozen=True)
class Figure:
    """A figure: where it is drawn, and what a reader is told about it."""

    name: str
    target: str  # "module:function"; the function takes the path without ending and the options, and returns remarks
    title: str
    caption: str
    in_all: bool = True  # those of any data set are drawn only when named

    def load(self) -> Draw:
        """Import the drawing function."""
        module, _, function = self.target.partition(":")
        return getattr(importlib.import_module(module), function)


_EMBEDDING = (
    "Every row at its place in two dimensions: the marker tells its class, the colour its cluster. Of the repeats the "
    "run is shown whose ACC is nearest to their mean; that mean stands below the panel, beside the number that the "
    "paper prints there. Where more than a tenth of the rows fall on one place, their number stands there. "
)

_CHOSEN = (
    " The paper gives no deviation under its figure, and for AML, UNCA and SGP-MIC not always the mean that Table 2 "
    "has at Q = 2: these numbers are probably of single runs. λ of AML and UNCA is the one of our table; the steps of "
    "GP-LVM were chosen by closeness to the two numbers printed for it in figures 2 and 3."
)

_FIGURES = (
    Figure(
        "figure1",
        "sgpmic_cli.figures.paper.graphical_model:figure1",
        "Figure 1: the model",
        "SGP-MIC as a graphical model. Rows y of the data are noisy values of a function f, drawn from the Gaussian "
        "process of the component s that the row belongs to; u are the function's values at the inducing inputs Z (X_u "
        "in the paper), and the latent points x come from the component's Gaussian.",
    ),
    Figure(
        "figure2",
        "sgpmic_cli.figures.paper.latent_spaces:figure2",
        "Figure 2: Iris in two dimensions",
        _EMBEDDING
        + "ISOMAP leaves all 50 setosa rows at one point, since they are not connected with the rest."
        + _CHOSEN,
    ),
    Figure(
        "figure3",
        "sgpmic_cli.figures.paper.latent_spaces:figure3",
        "Figure 3: Wine in two dimensions",
        _EMBEDDING + "Wine without proline, as the printed numbers were made." + _CHOSEN,
    ),
    Figure(
        "figure4",
        "sgpmic_cli.figures.paper.spherical:figure4",
        "Figure 4: spiral and arcs, before and after",
        "Two generated sets as they are (left; of the spiral in space the first two coordinates) and in the latent "
        "space of SGP-MIC (right); marker and colour tell class and cluster on both sides. The paper says "
        "no more of its own than that they lie on a spiral in three dimensions and on arcs of five circles in the "
        "plane, so its numbers for the arcs are about other data. Our arcs are half circles that reach into each "
        "other, so that k-means and fuzzy c-means on the plane cut them.",
    ),
    Figure(
        "figure5",
        "sgpmic_cli.figures.paper.kernel_effect:figure5",
        "Figure 5: linear against RBF kernel",
        _EMBEDDING
        + "SGP-MIC with either kernel on Iris and on Wine without proline. The paper concludes that the RBF "
        "kernel does better than the linear one.",
    ),
    Figure(
        "figure6",
        "sgpmic_cli.figures.paper.convergence_behaviour:figure6",
        "Figure 6: convergence",
        "Loss (minus the bound) and ACC after every update, an E-step (open) or an M-step (filled), of one run on each "
        "data set at 95 % of the variance: the repeat of the table's cell whose ACC is nearest to the mean of all. All "
        "ACC axes span the same number of points. The paper shows one run with one seed on each, and says that in all "
        "cases the loss falls and the accuracy rises, but for rare rises of the loss after an E-step. The line below "
        "the panels tells where ours do otherwise. They end after the ten rounds of the table, and most have not "
        "converged by then.",
    ),
    Figure(
        "figure7",
        "sgpmic_cli.figures.paper.cluster_number:figure7",
        "Figure 7: the number of clusters",
        "ACC at multiples of the number of classes, always fewer clusters than rows; mean over the repeats, the band "
        "is one standard deviation. ACC is purity, which rises with the number of clusters by itself. The paper says "
        "that SGP-MIC is ahead near the number of classes, and that methods which end in fuzzy c-means may pass it "
        "when clusters become many; below each panel stands where ours is ahead of them. SGP-MIC's covariance floor, "
        "which is our addition, shrinks with the number of clusters, as the room for each of them does.",
    ),
    Figure(
        "figure8",
        "sgpmic_cli.figures.paper.inducing_number:figure8",
        "Figure 8: the number of inducing points",
        "ACC, NMI and run time of SGP-MIC against the number of inducing points K (N' in the paper); mean over the "
        "repeats, the band is one standard deviation. The paper says that all three rise with K, and from some number "
        "on the run time alone. Its text has 95 % of the variance on all three data sets; Yale is drawn here with Q = "
        "3, its only row in Table 2. The run times are those of fits in processes side by side, which share the "
        "machine. The ISOMAP start is computed once per data set and shared, so it is in none of them except in the "
        "one run that made it.",
    ),
    Figure(
        "critical-difference",
        "sgpmic_cli.figures.critical_difference:critical_difference",
        "Critical differences",
        "Mean ranks by ACC over the data sets, in the paper's numbers and in ours. Methods joined by a bar do not "
        "differ significantly by Nemenyi's test at the 5 % level.",
    ),
    Figure(
        "bounds",
        "sgpmic_cli.figures.bounds:bounds",
        "KL-corrected against standard bound",
        "How far the bound lies below the best that either run reaches, after every round of one E-step and three "
        "L-BFGS steps, from the same start (the first repeat of the table's cell at 95 % of the variance). The run "
        "that reaches the best falls steeply towards its end, since it is measured against its own last rounds. Under "
        "the standard bound the posterior of the inducing outputs is held during an M-step; in the KL-corrected bound "
        "it is integrated out. The paper says that learning with the KL-corrected bound is faster, and shows no such "
        "curve.",
    ),
    Figure(
        "embedding",
        "sgpmic_cli.figures.one_fit.any_dataset:embedding",
        "Latent space of one fit",
        "SGP-MIC on a data set of your choice, coloured by cluster and by class.",
        in_all=False,
    ),
    Figure(
        "convergence",
        "sgpmic_cli.figures.one_fit.any_dataset:convergence",
        "Convergence of one fit",
        "Bound and ACC of SGP-MIC on a data set of your choice.",
        in_all=False,
    ),
)


def known() -> dict[str, Figure]:
    """Every figure by its name, in the order of the report."""
    return {figure.name: figure for figure in _FIGURES}


def resolve(names: Iterable[str]) -> list[Figure]:
    """Figures for the given names; `all` stands for those that need no data set named."""
    from sgpmic_cli.data.registry import nearest

    figures = known()
    chosen: dict[str, Figure] = {}
    for name in names:
        if name == "all":
            chosen |= {figure.name: figure for figure in figures.values() if figure.in_all}
        elif name in figures:
            chosen[name] = figures[name]
        else:
            valid = [*figures, "all"]
            raise UsageError(
                f"unknown figure {name!r}{nearest(name, valid)}; valid: {', '.join(valid)}."
            )
    return list(chosen.values())
