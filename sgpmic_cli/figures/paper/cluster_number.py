"""Figure 7: ACC against the number of clusters."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import INK, PAGE, as_drawn, canvas, look
from sgpmic_cli.figures.sweep_curves import Curve, count_axis, draw_curve, label_ends, read_sweep

OWN = "sgp-mic"
MOST_TICKS = 7
MOST_ACROSS = 3  # panels beside each other: more leave no room for the numbers of the axis


def figure7(stem: Path, options: PlotOptions) -> list[str]:
    """A panel for each data set of the sweep, a curve for each method."""
    curves = read_sweep(options.results / "sweep-clusters", "n_clusters", "sweep-clusters")
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in curves))
    methods = list(dict.fromkeys(method for _, method, _ in curves))
    # SGP-MIC is drawn in bold ink, the other methods in colours.
    others = [method for method in methods if method != OWN]
    looks = {method: (look(j), 1.0) for j, method in enumerate(others)}
    looks[OWN] = (INK, "o"), 1.8
    titles = {name: method.label for name, method in known().items()}
    papers = [name for name, method in known().items() if method.in_paper]
    across = min(len(datasets), MOST_ACROSS)
    down = -(-len(datasets) // across)
    with canvas(stem, width=PAGE, height=0.8 + 2.4 * down) as figure:
        grid = figure.subplots(down, across, squeeze=False)
        for axes in grid.flat[len(datasets) :]:
            axes.remove()
        for i, (axes, dataset) in enumerate(zip(grid.flat, datasets, strict=False)):
            for method in methods:
                if (dataset, method, "acc") in curves:
                    label = as_drawn(titles.get(method, method))
                    draw_curve(axes, curves[dataset, method, "acc"], label, *looks[method])
            counts = np.unique(
                np.concatenate([curve.x for key, curve in curves.items() if key[0] == dataset])
            )
            ticks = counts[:: -(-len(counts) // MOST_TICKS)].astype(int).tolist()
            here = {
                method: curves[dataset, method, "acc"]
                for method in papers
                if (dataset, method, "acc") in curves
            }
            count_axis(axes, ticks, f"number of clusters{ahead(here)}")
            letter = LETTERS[i % len(LETTERS)] * (1 + i // len(LETTERS))  # aa comes after z
            axes.set_title(f"({letter}) {as_drawn(dataset.capitalize())}")
            label_ends(axes)
        for axes in grid[:, 0]:
            axes.set_ylabel("ACC (%)")
    return []


def ahead(curves: Mapping[str, Curve]) -> str:
    """A line on where SGP-MIC has the highest mean of these methods; none where it has no rival."""
    rivals = [curve for method, curve in curves.items() if method != OWN]
    if OWN not in curves or not rivals:
        return ""
    best = [
        int(x)
        for x, mean in zip(curves[OWN].x, curves[OWN].mean, strict=True)
        if _highest(x, mean, rivals)
    ]
    return f"\nSGP-MIC highest of the paper's methods at {', '.join(map(str, best)) or 'none'}"


def _highest(x: float, mean: float, rivals: Sequence[Curve]) -> bool:
    return all(np.all(rival.mean[rival.x == x] <= mean) for rival in rivals)
