"""How a fit went: the bound after every update and, where classes are known, the ACC after every round."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sgpmic_cli.figures.style import COLOURS, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = 90  # updates; more markers than that run into each other


def draw_convergence_by_round(stem: Path, bounds: Sequence[float]) -> None:
    """Draw bounds, one after the M-step of each round and one at the end."""
    from matplotlib.ticker import MaxNLocator

    with canvas(stem, height=2.2) as figure:
        axes = figure.subplots()
        axes.plot(
            range(1, len(bounds)),
            bounds[:-1],
            "o-" if len(bounds) <= MARKED else "-",
            color=COLOURS[0],
        )
        axes.set(title="the bound that the fit climbs", xlabel="round", ylabel="lower bound")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_convergence(
    stem: Path, bounds: Sequence[float], accs: Sequence[float] | None = None
) -> None:
    """Draw bounds (an E- and an M-step for each round, then one E-step) and ACCs (one for each E-step)."""
    from matplotlib.ticker import MaxNLocator

    bound = np.asarray(bounds, dtype=float)
    rounds = (
        np.arange(len(bound)) / 2.0 + 0.5
    )  # an E-step opens its round half way, the M-step closes it
    with canvas(stem, height=2.2 if accs is None else 3.0) as figure:
        if accs is None:
            upper = figure.subplots()
        else:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
            lower.plot(rounds[::2], accs, "o-" if len(bound) <= MARKED else "-", color=COLOURS[2])
            lower.set_ylabel("ACC (%)")
        _draw_bound(upper, rounds, bound)
        figure.axes[-1].set_xlabel("round")
        figure.axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_bound(axes: "Axes", rounds: np.ndarray, bound: np.ndarray) -> None:
    axes.plot(rounds, bound, "-", color=COLOURS[0])
    axes.set_ylabel("lower bound")
    if len(bound) <= MARKED:
        axes.plot(
            rounds[::2],
            bound[::2],
            "o",
            color="white",
            markeredgecolor=COLOURS[0],
            label="after E-step",
        )
        axes.plot(rounds[1::2], bound[1::2], "o", color=COLOURS[0], label="after M-step")
        axes.legend(loc="lower right")
