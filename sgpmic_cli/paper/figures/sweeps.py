"""Figures 7 and 8: scores against the number of clusters and of inducing points.

The curves come from the sweep.csv of a sweep: the mean over the repeats, with a band of one
standard deviation.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sgpmic_cli.data.registry import entry, find
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.paper.experiments.protocols import paper_suite
from sgpmic_cli.paper.figures import PlotOptions
from sgpmic_cli.style import INK, LETTERS, PAGE, as_drawn, canvas, look

PAPER = "sgp-mic"
METRICS = {"acc": "ACC (%)", "nmi": "NMI (%)", "seconds": "run time (s)"}
LINES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (2, 1)))  # of the other methods
TICKS = (1, 3, 10, 30, 100)  # of the inducing points
BAND = "Bands are one standard deviation of the runs."
FLOOR = "SGP-MIC's covariance floor is scaled with the number of clusters M, by M^(-2/Q)."
TIMES = "Run times are processor seconds of fits that ran one at a time."


def read_sweep(folder: Path, column: str, command: str) -> pd.DataFrame:
    """Read the file of a sweep without points that have no run.

    The folder is that of the sweep or contains it under the name of its `command`. The columns
    are dataset, method, metric, x (the values of `column`), mean, std and n (runs).
    """
    path = folder if (folder / "sweep.csv").exists() else folder / command
    if not (path / "sweep.csv").exists():
        raise UsageError(
            f"there is no '{path}/sweep.csv' to draw: run `sgpmic {command} --out {path}` first."
        )
    types = {**dict.fromkeys((column, "mean", "std", "n"), float), "dataset": str, "method": str}
    try:
        table = pd.read_csv(path / "sweep.csv", usecols=[*types, "metric"], dtype=types).dropna()
    except ValueError as error:
        raise SgpmicError(
            f"'{path}/sweep.csv' is not a table of `sgpmic {command}`: {error}; run it again."
        ) from None
    return table.rename(columns={column: "x"})


def figure7(stem: Path, options: PlotOptions) -> None:
    """Draw ACC against the number of clusters: a panel per data set, a curve per method."""
    table = read_sweep(options.results, "n_clusters", "sweep-clusters")
    table = table[table["metric"] == "acc"]
    panels = dict(list(table.groupby("dataset", sort=False)))
    others = [method for method in table["method"].unique() if method != PAPER]
    looks: dict[str, Any] = {
        method: {"style": look(j), "line": LINES[j % len(LINES)], "width": 1.0}
        for j, method in enumerate(others)
    }
    looks[PAPER] = {"style": (INK, "o"), "width": 1.8}  # SGP-MIC is black and thicker
    methods = paper_suite().methods
    with canvas(stem, width=PAGE, height=3.2) as figure:
        grid = figure.subplots(1, len(panels), squeeze=False)[0]
        for i, (axes, (dataset, panel)) in enumerate(zip(grid, panels.items(), strict=True)):
            axes.set_title(f"({LETTERS[i % len(LETTERS)]}) {as_drawn(str(dataset).capitalize())}")
            for method in panel["method"].unique():
                label = as_drawn(methods[method].label if method in methods else method)
                draw_curve(axes, panel[panel["method"] == method], label, **looks[method])
            _log_ticks(axes, sorted(panel["x"].astype(int).unique()))
            axes.set_xlabel(f"number of clusters (mean of {panel['n'].max():.0f} runs)")
        grid[0].set_ylabel("ACC (%)")
        _legend(figure, 7, f"{FLOOR} {BAND}")


def figure8(stem: Path, options: PlotOptions) -> None:
    """Draw ACC, NMI and run time against the number of inducing points."""
    table = read_sweep(options.results, "n_inducing", "sweep-inducing")
    table = table[table["method"] == PAPER]
    datasets = table["dataset"].unique().tolist()
    with canvas(stem, width=PAGE, height=2.7) as figure:
        row = figure.subplots(1, 3)
        for letter, axes, (metric, title) in zip("abc", row, METRICS.items(), strict=True):
            shown = table[table["metric"] == metric]
            for j, dataset in enumerate(datasets):
                differ = find(dataset) and entry(dataset).data_differ
                note = " (data differ from the paper's)" if differ else ""
                curve = shown[shown["dataset"] == dataset]
                draw_curve(axes, curve, as_drawn(dataset.capitalize() + note), look(j))
            _log_ticks(axes, TICKS)
            axes.set_xlabel("inducing points K, up to all rows")
            axes.set_ylabel(title)
            axes.set_title(f"({letter}) {title.partition(' (')[0]}")
        row[2].set_yscale("log", subs=[2, 5])
        for formatted in (row[2].yaxis.set_major_formatter, row[2].yaxis.set_minor_formatter):
            formatted("{x:g}")  # 0.1, not a power of ten
        _legend(figure, len(datasets), f"{BAND} {TIMES}")


def draw_curve(
    axes: Axes,
    curve: pd.DataFrame,
    label: str,
    style: tuple[str, str],
    width: float = 1.2,
    line: Any = "-",
) -> None:
    """Draw one curve in a colour and marker. The band ends at zero, as scores and seconds do."""
    colour, marker = style
    x, mean, std = curve.sort_values("x")[["x", "mean", "std"]].to_numpy().T
    band: Any = {"color": colour, "alpha": 0.15, "linewidth": 0}
    axes.fill_between(x, np.maximum(mean - std, 0.0), mean + std, **band)
    axes.plot(x, mean, linestyle=line, color=colour, marker=marker, linewidth=width, label=label)


def _log_ticks(axes: Axes, ticks: Any) -> None:
    axes.set_xscale("log")
    axes.set_xticks(ticks, map(str, ticks))
    axes.minorticks_off()


def _legend(figure: Figure, columns: int, title: str) -> None:
    """Draw one legend of the curves of all panels below them, with a remark above it."""
    handles = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    place: Any = {"loc": "outside lower center", "ncols": columns, "title_fontsize": 7}
    figure.legend(list(handles.values()), list(handles), title=title, **place)
