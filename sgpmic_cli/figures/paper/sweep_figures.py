"""Figures 7 and 8: scores against the number of clusters and of inducing points.

The curves come from the sweep.csv of a sweep: the mean over the repeats, with a band of one
standard deviation.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import INK, PAGE, as_drawn, canvas, look
from sgpmic_cli.files.atomic import read_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER = "sgp-mic"
OURS = {PAPER: "o", "sgp-mic+": "s"}  # markers of the two models, which are drawn in ink
MOST_TICKS = 7
MOST_ACROSS = 3  # panels in a row; with more the numbers of the axes overlap
METRICS = {"acc": "ACC (%)", "nmi": "NMI (%)", "seconds": "run time (s)"}
INDUCING_TICKS = (1, 3, 10, 30, 100)


class Curve(NamedTuple):
    """One metric of one method on one data set along the sweep."""

    x: np.ndarray  # (points,)
    mean: np.ndarray
    std: np.ndarray


Curves = Mapping[tuple[str, str, str], Curve]  # by data set, method and metric


def read_sweep(folder: Path, column: str, command: str) -> Curves:
    """Read the curves from the file that `command` writes, in the order of the file."""
    path = folder / "sweep.csv"
    refusal = f"{str(path)!r} is not a table of `sgpmic {command}`"
    try:
        rows = list(csv.DictReader(io.StringIO(read_whole(path).decode(), newline="")))
    except FileNotFoundError:
        raise UsageError(
            f"there is no {str(path)!r} to draw: run `sgpmic {command} --out {folder}` first."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise SgpmicError(f"{refusal}: run it again.") from None
    groups: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    try:
        for row in rows:
            if row["mean"]:  # empty where no run succeeded
                point = float(row[column]), float(row["mean"]), float(row["std"])
                if not all(map(math.isfinite, point)) or point[2] < 0:
                    raise ValueError("it has an infinite number or a negative deviation")
                groups.setdefault((row["dataset"], row["method"], row["metric"]), []).append(point)
    except (KeyError, ValueError, TypeError) as error:
        raise SgpmicError(f"{refusal}: {error}; run it again.") from None
    if not groups:
        raise SgpmicError(f"{str(path)!r} has no numbers: run `sgpmic {command}` again.")
    return {key: Curve(*np.array(sorted(points)).T) for key, points in groups.items()}


def figure7(stem: Path, options: PlotOptions) -> list[str]:
    """Draw ACC against the number of clusters: a panel per data set, a curve per method."""
    curves = read_sweep(options.results / "sweep-clusters", "n_clusters", "sweep-clusters")
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in curves))
    across = min(len(datasets), MOST_ACROSS)
    down = -(-len(datasets) // across)
    with canvas(stem, width=PAGE, height=0.8 + 2.4 * down) as figure:
        grid = figure.subplots(down, across, squeeze=False)
        for axes in grid.flat[len(datasets) :]:
            axes.remove()
        for i, (axes, dataset) in enumerate(zip(grid.flat, datasets, strict=False)):
            letter = LETTERS[i % len(LETTERS)] * (1 + i // len(LETTERS))  # aa follows z
            axes.set_title(f"({letter}) {as_drawn(dataset.capitalize())}")
            _draw_methods(axes, curves, dataset)
        for axes in grid[:, 0]:
            axes.set_ylabel("ACC (%)")
    return []


def _draw_methods(axes: "Axes", curves: Curves, dataset: str) -> None:
    """Draw the curves of all methods on one data set."""
    methods = list(dict.fromkeys(method for _, method, _ in curves))
    others = [method for method in methods if method not in OURS]
    looks = {method: (look(j), 1.0) for j, method in enumerate(others)}
    looks |= {method: ((INK, marker), 1.8) for method, marker in OURS.items()}
    here = {
        method: curves[dataset, method, "acc"]
        for method in methods
        if (dataset, method, "acc") in curves
    }
    for method, curve in here.items():
        label = known()[method].label if method in known() else method
        draw_curve(axes, curve, as_drawn(label), *looks[method])
    counts = np.unique(
        np.concatenate([curve.x for key, curve in curves.items() if key[0] == dataset])
    )
    ticks = counts[:: -(-len(counts) // MOST_TICKS)].astype(int).tolist()
    papers = {
        method: here[method] for method in known() if known()[method].in_paper and method in here
    }
    count_axis(axes, ticks, f"number of clusters{ahead(papers)}")
    label_ends(axes)


def ahead(curves: Mapping[str, Curve]) -> str:
    """Return a line with the numbers of clusters at which SGP-MIC has the highest mean."""
    others = [curve for method, curve in curves.items() if method != PAPER]
    if PAPER not in curves or not others:
        return ""
    best = [
        str(int(x))
        for x, mean in zip(curves[PAPER].x, curves[PAPER].mean, strict=True)
        if all(np.all(other.mean[other.x == x] <= mean) for other in others)
    ]
    return f"\nSGP-MIC highest of the paper's methods at {', '.join(best) or 'none'}"


def figure8(stem: Path, options: PlotOptions) -> list[str]:
    """Draw ACC, NMI and run time against the number of inducing points."""
    curves = read_sweep(options.results / "sweep-inducing", "n_inducing", "sweep-inducing")
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in curves))
    with canvas(stem, width=PAGE, height=2.7) as figure:
        row = figure.subplots(1, 3)
        for letter, axes, (metric, title) in zip("abc", row, METRICS.items(), strict=True):
            for j, dataset in enumerate(datasets):
                if (dataset, PAPER, metric) in curves:
                    differ = dataset in names() and entry(dataset).data_differ
                    note = " (data differ from the paper's)" if differ else ""
                    label = as_drawn(dataset.capitalize() + note)
                    draw_curve(axes, curves[dataset, PAPER, metric], label, look(j))
            count_axis(axes, INDUCING_TICKS, "inducing points K")
            axes.set_ylabel(title)
            axes.set_title(f"({letter}) {title.partition(' (')[0]}")
        row[2].set_yscale("log")
        handles, labels = row[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(datasets))
    return []


def draw_curve(
    axes: "Axes", curve: Curve, label: str, style: tuple[str, str], width: float = 1.2
) -> None:
    """Draw one curve in a colour and marker. The band ends at zero, as scores and seconds do."""
    colour, marker = style
    low, high = np.maximum(curve.mean - curve.std, 0.0), curve.mean + curve.std
    axes.fill_between(curve.x, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(curve.x, curve.mean, "-", color=colour, marker=marker, linewidth=width, label=label)


def count_axis(axes: "Axes", ticks: Sequence[int], title: str) -> None:
    """Make the x axis logarithmic, with plain numbers at the given ticks."""
    axes.set_xscale("log")
    axes.set_xticks(list(ticks), [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(title)


def label_ends(axes: "Axes", gap: float = 0.055) -> None:
    """Write the name of each curve at its right end, at least `gap` of the height apart."""
    lines = sorted(axes.get_lines(), key=lambda line: float(np.asarray(line.get_ydata())[-1]))
    ends = [
        (float(x[-1]), float(y[-1]))
        for x, y in (map(np.asarray, line.get_data()) for line in lines)
    ]
    low, high = axes.get_ylim()
    places = np.array([(y - low) / (high - low) for _, y in ends])
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    places[-1] = min(places[-1], 1.0)  # move names down that would stand above the panel
    for i in range(len(places) - 1, 0, -1):
        places[i - 1] = min(places[i - 1], places[i] - gap)
    arrow: Any = {
        "arrowstyle": "-",
        "linewidth": 0.4,
        "shrinkA": 1,
        "shrinkB": 3,
        "relpos": (0.0, 0.5),
    }
    for line, end, place in zip(lines, ends, places, strict=True):
        axes.annotate(
            str(line.get_label()),
            end,
            xytext=(1.03, place),
            textcoords=axes.transAxes,
            va="center",
            fontsize=7,
            color=line.get_color(),
            arrowprops={**arrow, "color": line.get_color()},
        )
