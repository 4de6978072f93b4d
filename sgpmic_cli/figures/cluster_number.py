"""Figure 7: ACC against the number of clusters."""

from pathlib import Path

import numpy as np

from sgpmic_cli.experiments.methods import known
from sgpmic_cli.figures.request import Request
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import INK, PAGE, canvas, look
from sgpmic_cli.figures.sweep import count_axis, draw_curve, read_sweep

MOST_TICKS = 7


def figure7(stem: Path, request: Request) -> list[str]:
    """A panel for each data set of the sweep, a curve for each method."""
    curves = read_sweep(request.results / "sweep-clusters", "n_clusters", "sweep-clusters")
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in curves))
    methods = list(dict.fromkeys(method for _, method, _ in curves))
    # Our own method in ink and bold, the others in the colours.
    others = [method for method in methods if method != "sgp-mic"]
    looks = {method: (look(j), 1.0) for j, method in enumerate(others)} | {"sgp-mic": ((INK, "o"), 1.8)}
    titles = {name: method.label for name, method in known().items()}
    with canvas(stem, width=PAGE, height=3.2) as figure:
        for i, axes in enumerate(figure.subplots(1, len(datasets), squeeze=False)[0]):
            dataset = datasets[i]
            for method in methods:
                if (dataset, method, "acc") in curves:
                    label = titles.get(method, method)
                    draw_curve(axes, curves[dataset, method, "acc"], label, *looks[method])
            counts = np.unique(np.concatenate([curve.x for key, curve in curves.items() if key[0] == dataset]))
            ticks = counts[:: -(-len(counts) // MOST_TICKS)].astype(int).tolist()
            count_axis(axes, ticks, "number of clusters")
            axes.set_title(f"({LETTERS[i]}) {dataset.capitalize()}")
        figure.axes[0].set_ylabel("ACC (%)")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return []
