"""Figures 7 and 8: scores against the number of clusters and of inducing points.

The curves come from the sweep.csv of a sweep: the mean over the repeats, with a band of one
standard deviation.
"""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import INK, PAGE, as_drawn, canvas, look
from sgpmic_cli.files.atomic import read_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER = "sgp-mic"
DEFAULT_MODEL = "sgp-mic+"  # not in the paper's figures
LEGEND_COLUMNS = 7
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
    try:
        content = io.BytesIO(read_whole(path))
        table = pd.read_csv(content, dtype=str, keep_default_na=False)
        if not isinstance(table.index, pd.RangeIndex):
            raise ValueError("a line has more fields than the heading")
        table = table[table["mean"] != ""]  # empty if no run succeeded
        numbers = table[[column, "mean", "std"]].astype(float)
        keys = table[["dataset", "method", "metric"]]
    except FileNotFoundError:
        raise UsageError(
            f"there is no {str(path)!r} to draw: run `sgpmic {command} --out {folder}` first."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except (KeyError, ValueError) as error:
        refusal = f"{str(path)!r} is not a table of `sgpmic {command}`"
        raise SgpmicError(f"{refusal}: {' '.join(str(error).split())}; run it again.") from None
    if not np.isfinite(numbers).all(axis=None) or (numbers["std"] < 0).any():
        raise SgpmicError(
            f"{str(path)!r} has an infinite number or a negative deviation: run `sgpmic {command}` "
            "again."
        )
    if table.empty:
        raise SgpmicError(f"{str(path)!r} has no numbers: run `sgpmic {command}` again.")
    groups = numbers.sort_values(column).groupby([keys[name] for name in keys], sort=False)
    curves = {key: Curve(*group.to_numpy().T) for key, group in groups}
    return {key: curves[key] for key in dict.fromkeys(keys.itertuples(index=False, name=None))}


def figure7(stem: Path, options: PlotOptions) -> list[str]:
    """Draw ACC against the number of clusters: a panel per data set, a curve per method."""
    found = read_sweep(options.results / "sweep-clusters", "n_clusters", "sweep-clusters")
    curves = {key: curve for key, curve in found.items() if key[1] != DEFAULT_MODEL}
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
        _legend(figure, LEGEND_COLUMNS)
    return []


def _draw_methods(axes: "Axes", curves: Curves, dataset: str) -> None:
    """Draw the curves of all methods on one data set; SGP-MIC is black and thicker."""
    others = dict.fromkeys(method for _, method, _ in curves if method != PAPER)
    looks = {method: (look(j), 1.0) for j, method in enumerate(others)}
    looks[PAPER] = ((INK, "o"), 1.8)
    here = {
        method: curve
        for (name, method, metric), curve in curves.items()
        if (name, metric) == (dataset, "acc")
    }
    methods = known()
    for method, curve in here.items():
        label = methods[method].label if method in methods else method
        draw_curve(axes, curve, as_drawn(label), *looks[method])
    counts = sorted({int(x) for curve in here.values() for x in curve.x})
    ticks = counts[:: max(1, -(-len(counts) // MOST_TICKS))]
    papers = {
        name: curve for name, curve in here.items() if name in methods and methods[name].in_paper
    }
    count_axis(axes, ticks, f"number of clusters{ahead(papers)}")


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
        _legend(figure, len(datasets))
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


def _legend(figure: "Figure", columns: int) -> None:
    """Draw one legend of the curves of all panels below them."""
    handles = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    place: Any = {"loc": "outside lower center", "ncols": columns}
    figure.legend(list(handles.values()), list(handles), **place)
