"""List the figures that `sgpmic plot` draws and the report shows. Import nothing heavy."""

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.figures.plot_options import PlotOptions

Draw = Callable[[Path, "PlotOptions"], list[str]]


class Figure(NamedTuple):
    """A figure: its name, drawing function, title and caption."""

    name: str
    target: str  # "module:function" below sgpmic_cli.figures; the function returns notes
    title: str
    caption: str
    in_all: bool = True  # False for figures of a data set that the user names

    def load(self) -> Draw:
        """Import the drawing function."""
        module, _, function = self.target.partition(":")
        return getattr(importlib.import_module(f"sgpmic_cli.figures.{module}"), function)


_EMBEDDING = (
    "Every row is drawn at its place in two dimensions: the marker shows its class, the colour "
    "its cluster. The run shown is the repeat whose ACC is nearest to the mean of all. That mean "
    "stands below the panel, beside the number printed in the paper. A place with more than a "
    "tenth of the rows is labelled with their number. "
)

_CHOSEN = (
    " The paper gives no deviation under its figure, and for AML, UNCA and SGP-MIC not always the "
    "mean of Table 2 at Q = 2, so these numbers are probably from single runs. λ of AML and UNCA "
    "is that of our table. The number of steps of GP-LVM was chosen by closeness to the two "
    "numbers printed for it in figures 2 and 3."
)

_FIGURES = (
    Figure(
        "figure1",
        "paper.graphical_model:figure1",
        "Figure 1: the model",
        "SGP-MIC as a graphical model. Rows y of the data are noisy values of a function f. The "
        "function is drawn from the Gaussian process of the row's component s. u are the values "
        "of the function at the inducing inputs Z (X_u in the paper). The latent points x come "
        "from the component's Gaussian.",
    ),
    Figure(
        "figure2",
        "paper.latent_spaces:figure2",
        "Figure 2: Iris in two dimensions",
        _EMBEDDING
        + "ISOMAP leaves all 50 setosa rows at one point, because they are not connected with "
        "the others.",
    ),
    Figure(
        "figure3",
        "paper.latent_spaces:figure3",
        "Figure 3: Wine in two dimensions",
        _EMBEDDING + "Wine is drawn without proline, as in the printed numbers." + _CHOSEN,
    ),
    Figure(
        "figure4",
        "paper.latent_spaces:figure4",
        "Figure 4: spiral and arcs, before and after",
        "Two generated sets (left: their first two coordinates) and their latent space in SGP-MIC "
        "(right); marker and colour show class and cluster on both sides. The paper says only "
        "that its sets lie on a spiral in three dimensions and on arcs of five circles in the "
        "plane, so its numbers for the arcs are about other data. Our arcs are interlocking half "
        "circles, which k-means and fuzzy c-means cut.",
    ),
    Figure(
        "figure5",
        "paper.latent_spaces:figure5",
        "Figure 5: linear against RBF kernel",
        _EMBEDDING
        + "SGP-MIC with either kernel on Iris and on Wine without proline. The paper concludes "
        "that the RBF kernel is better than the linear one.",
    ),
    Figure(
        "figure6",
        "paper.convergence_behaviour:figure6",
        "Figure 6: convergence",
        "Loss (minus the bound) and ACC after every update, an E-step (open) or an M-step "
        "(filled), of one run on each data set at 95 % of the variance. The run shown is the "
        "repeat of the table's cell whose ACC is nearest to the mean of all. All ACC axes span "
        "the same number of points. The paper shows one run with one seed on each data set. It "
        "says that the loss falls and the accuracy rises in all cases, except for rare rises of "
        "the loss after an E-step. The line below the panels lists where our runs differ. They "
        "end after the ten rounds of the table, and most have not converged by then.",
    ),
    Figure(
        "figure7",
        "paper.sweep_figures:figure7",
        "Figure 7: the number of clusters",
        "ACC at multiples of the number of classes, always fewer clusters than rows; mean over "
        "the repeats, the band is one standard deviation. ACC is purity, which rises with the "
        "number of clusters by itself. The paper says that SGP-MIC is best near the number of "
        "classes, and that methods which end in fuzzy c-means may overtake it when there are many "
        "clusters. The line below each panel lists where SGP-MIC is best. Its covariance floor, "
        "which is our addition, shrinks with the number of clusters.",
    ),
    Figure(
        "figure8",
        "paper.sweep_figures:figure8",
        "Figure 8: the number of inducing points",
        "ACC, NMI and run time of SGP-MIC against the number of inducing points K (N' in the "
        "paper); mean over the repeats, the band is one standard deviation. The paper says that "
        "all three rise with K, and from some number on only the run time. Its text has 95 % of "
        "the variance on all three data sets; Yale is drawn here with Q = 3, its only row in "
        "Table 2. The run times are those of fits in processes side by side, which share the "
        "machine. The ISOMAP start is computed once per data set and shared, so only the run that "
        "computed it includes its time.",
    ),
    Figure(
        "critical-difference",
        "critical_difference:critical_difference",
        "Critical differences",
        "Mean ranks by ACC over the data sets, of the paper's numbers and of ours. Methods joined "
        "by a bar do not differ significantly by Nemenyi's test at the 5 % level.",
    ),
    Figure(
        "embedding",
        "one_fit:embedding",
        "Latent space of one fit",
        "SGP-MIC on a data set of your choice, coloured by cluster and by class.",
        in_all=False,
    ),
    Figure(
        "convergence",
        "one_fit:convergence",
        "Convergence of one fit",
        "Bound and ACC of SGP-MIC on a data set of your choice.",
        in_all=False,
    ),
)


def known() -> dict[str, Figure]:
    """Return every figure by name, in the order of the report."""
    return {figure.name: figure for figure in _FIGURES}


def resolve(names: Iterable[str]) -> list[Figure]:
    """Return the figures of the given names; `all` means those that need no data set."""
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
            guess = nearest(name, valid)
            raise UsageError(f"unknown figure {name!r}{guess}; valid: {', '.join(valid)}.")
    return list(chosen.values())
