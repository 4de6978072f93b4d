"""Curves from the tidy CSV of a sweep: mean over the repeats, with a band of one standard deviation."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import read_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Curve:
    """One metric of one method on one data set along the sweep."""

    x: np.ndarray  # (points,)
    mean: np.ndarray
    std: np.ndarray


def read_sweep(folder: Path, column: str, command: str) -> dict[tuple[str, str, str], Curve]:
    """Curves by (data set, method, metric), in the order of the file that `command` writes."""
    path = folder / "sweep.csv"
    try:
        rows = list(csv.DictReader(io.StringIO(read_whole(path).decode(), newline="")))
    except FileNotFoundError:
        raise UsageError(
            f"there is no {str(path)!r} to draw: run `sgpmic {command} --out {folder}` first."
        ) from None
    except OSError as error:
        raise SgpmicError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise SgpmicError(
            f"{str(path)!r} is no table of `sgpmic {command}`: run it again."
        ) from None
    groups: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    try:
        for row in rows:
            if row["mean"]:  # a point at which no run succeeded has no number
                point = float(row[column]), float(row["mean"]), float(row["std"])
                if not all(map(math.isfinite, point)) or point[2] < 0:
                    raise ValueError("a number in it is none that a sweep writes")
                groups.setdefault((row["dataset"], row["method"], row["metric"]), []).append(point)
    except (KeyError, ValueError, TypeError) as error:
        raise SgpmicError(
            f"{str(path)!r} is no table of `sgpmic {command}`: {error}; run it again."
        ) from None
    if not groups:
        raise SgpmicError(f"{str(path)!r} holds no numbers; run `sgpmic {command}` again.")
    return {key: Curve(*np.array(sorted(points)).T) for key, points in groups.items()}


def draw_curve(
    axes: "Axes", curve: Curve, label: str, look: tuple[str, str], width: float = 1.2
) -> None:
    """Draw one curve in a colour and marker; scores and seconds are never below zero, so neither is the band."""
    colour, marker = look
    low, high = np.maximum(curve.mean - curve.std, 0.0), curve.mean + curve.std
    axes.fill_between(curve.x, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(curve.x, curve.mean, "-", color=colour, marker=marker, linewidth=width, label=label)


def count_axis(axes: "Axes", ticks: Sequence[int], title: str) -> None:
    """A logarithmic axis with plain numbers at the given places."""
    axes.set_xscale("log")
    axes.set_xticks(list(ticks), [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(title)


def label_ends(axes: "Axes", apart: float = 0.055) -> None:
    """Write every curve's name at its right end, in its colour; names keep a share of the height apart."""
    curves = sorted(axes.get_lines(), key=lambda line: float(np.asarray(line.get_ydata())[-1]))
    ends = [
        (float(np.asarray(line.get_xdata())[-1]), float(np.asarray(line.get_ydata())[-1]))
        for line in curves
    ]
    low, high = axes.get_ylim()
    places = np.array([(y - low) / (high - low) for _, y in ends])
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + apart)
    places[-1] = min(places[-1], 1.0)  # those at the top go down again as far as they must
    for i in range(len(places) - 1, 0, -1):
        places[i - 1] = min(places[i - 1], places[i] - apart)
    leader = {
        "arrowstyle": "-",
        "linewidth": 0.4,
        "shrinkA": 1,
        "shrinkB": 3,
        "relpos": (0.0, 0.5),
    }  # left of a name
    for line, (x, y), place in zip(curves, ends, places, strict=True):
        axes.annotate(
            str(line.get_label()),
            (x, y),
            xytext=(1.03, place),
            textcoords=axes.transAxes,
            va="center",
            fontsize=7,
            color=line.get_color(),
            arrowprops={**leader, "color": line.get_color()},
        )
