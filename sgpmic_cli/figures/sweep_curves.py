"""Curves from the tidy CSV of a sweep: mean over the repeats, with a band of one standard deviation."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sgpmic_cli.errors import SgpmicError, UsageError

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
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise UsageError(f"there is no {str(path)!r} to draw: run `sgpmic {command} --out {folder}` first.") from None
    groups: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    try:
        for row in rows:
            if row["mean"]:  # a point at which no run succeeded has no number
                point = float(row[column]), float(row["mean"]), float(row["std"])
                groups.setdefault((row["dataset"], row["method"], row["metric"]), []).append(point)
    except (KeyError, ValueError, TypeError) as error:
        raise SgpmicError(f"{str(path)!r} is no table of `sgpmic {command}`: {error}; run it again.") from None
    if not groups:
        raise SgpmicError(f"{str(path)!r} holds no numbers; run `sgpmic {command}` again.")
    return {key: Curve(*np.array(sorted(points)).T) for key, points in groups.items()}


def draw_curve(axes: "Axes", curve: Curve, label: str, look: tuple[str, str], width: float = 1.2) -> None:
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
