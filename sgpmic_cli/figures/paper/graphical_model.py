"""Figure 1: SGP-MIC as a graphical model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.style import COLOURS, INK, PAGE, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RADIUS, DOT, KEY = 0.42, 0.09, 0.17
WIDTH, UNITS = PAGE * 0.7, 11.2  # of the figure, in inches and in units of the drawing
SHADE = "#c9d6e2"

VARIABLES = {  # name -> (x, y, label, observed)
    "s": (3.6, 1.1, r"$s_n$", False),
    "x": (3.6, 2.9, r"$\mathbf{x}_n$", False),
    "y": (5.8, 1.7, r"$y_{n,i}$", True),
    "f": (5.8, 4.6, r"$f_{n,i}^{(m)}$", False),
    "u": (8.2, 4.6, r"$\mathbf{u}_{:,i}^{(m)}$", False),
}
PARAMETERS = {  # name -> (x, y, label, side on which the label stands)
    "pi": (1.1, 4.2, r"$\pi_m$", "left"),
    "mean": (1.1, 5.0, r"$\bar{\mathbf{x}}_m$", "left"),
    "cov": (2.1, 5.2, r"$\mathbf{C}_m$", "top"),
    "theta": (10.0, 4.6, r"$\theta_m$", "right"),
    "Z": (7.0, 6.7, r"$\mathbf{Z}$", "top"),
    "beta": (10.0, 1.7, r"$\beta$", "right"),
}
ARROWS = {  # variable or parameter -> the variables that depend on it
    "pi": "s",
    "mean": "x",
    "cov": "x",
    "s": "xy",
    "x": "f",
    "u": "f",
    "f": "y",
    "Z": "uf",
    "theta": "uf",
    "beta": "y",
}
BEND = {("theta", "f"): 0.32}  # curvature of the arrow that would cross u
PLATES = (  # left, bottom, right, top, label, corner of the label
    (2.75, 0.25, 6.75, 5.45, r"$n = 1 \ldots N$", "lower left"),
    (5.0, 0.85, 9.15, 5.65, r"$i = 1 \ldots P$", "lower right"),
    (0.25, 3.75, 10.9, 5.95, r"$m = 1 \ldots M$", "upper left"),
)


def figure1(stem: Path, _options: PlotOptions) -> list[str]:
    """Draw plates, arrows and nodes, and a key to the three kinds of nodes."""
    with canvas(stem, width=WIDTH, height=3.5) as figure:
        axes = figure.subplots()
        axes.set_xlim(0, UNITS)
        axes.set_ylim(0, 7.4)
        axes.set_aspect("equal")
        axes.axis("off")
        for plate in PLATES:
            _draw_plate(axes, *plate)
        for start, ends in ARROWS.items():
            for end in ends:
                _draw_arrow(axes, start, end)
        for x, y, label, observed in VARIABLES.values():
            _draw_circle(axes, x, y, RADIUS, SHADE if observed else "white")
            axes.text(x, y, label, ha="center", va="center", fontsize=8, zorder=4)
        for x, y, label, side in PARAMETERS.values():
            _draw_circle(axes, x, y, DOT, INK)
            dx, dy = {"left": (-0.2, 0), "right": (0.2, 0), "top": (0, 0.2)}[side]
            align = {"left": "right", "right": "left", "top": "center"}[side]
            vertical = "bottom" if side == "top" else "center"
            axes.text(x + dx, y + dy, label, ha=align, va=vertical, fontsize=9)
        key = (("observed", KEY, SHADE), ("latent", KEY, "white"), ("parameter", DOT, INK))
        for i, (name, radius, face) in enumerate(key):
            y = 1.45 - 0.5 * i
            _draw_circle(axes, 0.45, y, radius, face)
            axes.text(0.75, y, name, va="center", fontsize=7)
    return []


def _draw_circle(axes: "Axes", x: float, y: float, radius: float, face: str) -> None:
    from matplotlib.patches import Circle

    width = 1.0 if face == INK else 0.9
    axes.add_patch(Circle((x, y), radius, facecolor=face, edgecolor=INK, linewidth=width, zorder=3))


def _draw_arrow(axes: "Axes", start: str, end: str) -> None:
    """Draw an arrow from edge to edge. Matplotlib shortens arrows in points, not in units."""
    from matplotlib.patches import FancyArrowPatch

    points = 72 * WIDTH / UNITS * 0.96  # approximate points per unit
    nodes = {**VARIABLES, **PARAMETERS}
    arrow = FancyArrowPatch(
        nodes[start][:2],
        nodes[end][:2],
        arrowstyle="-|>",
        mutation_scale=7,
        color=INK,
        linewidth=0.8,
        connectionstyle=f"arc3,rad={BEND.get((start, end), 0.0)}",
        shrinkA=points * (RADIUS if start in VARIABLES else DOT),
        shrinkB=points * RADIUS,
        zorder=2,
    )
    axes.add_patch(arrow)


def _draw_plate(
    axes: "Axes", left: float, bottom: float, right: float, top: float, label: str, corner: str
) -> None:
    from matplotlib.patches import FancyBboxPatch

    rounded = "round,pad=0,rounding_size=0.15"
    style: Any = {"facecolor": "none", "edgecolor": COLOURS[0], "linewidth": 0.8}
    size = right - left, top - bottom
    axes.add_patch(FancyBboxPatch((left, bottom), *size, boxstyle=rounded, **style))
    vertical, horizontal = corner.split()
    x = left + 0.12 if horizontal == "left" else right - 0.12
    y, align = (bottom + 0.1, "bottom") if vertical == "lower" else (top - 0.1, "top")
    axes.text(x, y, label, ha=horizontal, va=align, fontsize=7, color=COLOURS[0])
