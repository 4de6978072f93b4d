"""The KL-corrected bound beside the standard one: what both reach, round by round, from the same start."""

from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.run.pipeline import prepare
from sgpmic_cli.experiments.studies.two_bounds import bounds_by_round, start_of
from sgpmic_cli.figures.paper.convergence_behaviour import DATASETS, SHAPE
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import COLOURS, PAGE, canvas
from sgpmic_cli.files.array_cache import Arrays, kept

ROUNDS = 30
LOOKS = {"KL-corrected": (COLOURS[0], "-"), "standard": (COLOURS[3], "--")}


def bounds(stem: Path, options: PlotOptions) -> list[str]:
    """A panel for each data set; how far the run is from the best bound of either, on a logarithmic axis."""
    prepared = prepare(options.study(DATASETS, ["sgp-mic"]), options.run_options())
    folder = prepared.store.folder / "panels"
    with canvas(stem, width=PAGE, height=4.2) as figure:
        rows, columns = SHAPE
        grid = figure.subplots(rows, columns)
        for i, (axes, cell) in enumerate(zip(grid.flat, prepared.cells, strict=True)):
            run = prepared.runs_of(cell)[0]
            curves = kept(
                folder / f"{run.key}-bounds.npz", partial(_both, run, prepared.store.memory)
            )
            best = max(curve.max() for curve in curves.values())
            for name, (colour, line) in LOOKS.items():
                missing = np.where(
                    curves[name] < best, best - curves[name], np.nan
                )  # the best itself lies at no place
                axes.semilogy(
                    np.arange(1, len(missing) + 1),
                    missing,
                    line,
                    color=colour,
                    label=f"{name} bound",
                )
            axes.set_title(f"({LETTERS[i]}) {DATASETS[cell.dataset]}, Q = {cell.q}")
            axes.locator_params(axis="x", integer=True, nbins=6)
            if i % columns == 0:
                axes.set_ylabel("nats below the best")
            if i >= len(prepared.cells) - columns:
                axes.set_xlabel("round")
        handles, labels = grid.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return []


def _both(run: Run, memory: Path) -> Arrays:
    """Both ways from the start of a run of the table."""
    with threadpool_limits(limits=1):
        found = bounds_by_round(*start_of(run, memory), rounds=ROUNDS)
    return {name: np.array(values) for name, values in found.items()}
