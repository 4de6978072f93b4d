"""Figure 1: SGP-MIC as a graphical model."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch

from sgpmic_cli.paper.figures import PlotOptions
from sgpmic_cli.style import COLOURS, INK, PAGE, canvas

RADIUS, DOT, KEY = 0.42, 0.09, 0.17
SHADE = "#c9d6e2"

VARIABLES = {  # name -> (x, y, label, colour)
    "s": (3.6, 1.1, r"$s_n$", "white"),
    "x": (3.6, 2.9, r"$\mathbf{x}_n$", "white"),
    "y": (5.8, 1.7, r"$y_{n,i}$", SHADE),
    "f": (5.8, 4.6, r"$f_{n,i}^{(m)}$", "white"),
    "u": (8.2, 4.6, r"$\mathbf{u}_{:,i}^{(m)}$", "white"),
}
LEFT = (-0.2, 0.0), ("right", "center")  # offset and alignment of a label beside its dot
RIGHT = (0.2, 0.0), ("left", "center")
ABOVE = (0.0, 0.2), ("center", "bottom")
PARAMETERS = {  # name -> (x, y, label, offset, alignment)
    "pi": (1.1, 4.2, r"$\pi_m$", *LEFT),
    "mean": (1.1, 5.0, r"$\bar{\mathbf{x}}_m$", *LEFT),
    "cov": (2.1, 5.2, r"$\mathbf{C}_m$", *ABOVE),
    "theta": (10.0, 4.6, r"$\theta_m$", *RIGHT),
    "Z": (7.0, 6.7, r"$\mathbf{Z}$", *ABOVE),
    "beta": (10.0, 1.7, r"$\beta$", *RIGHT),
}
ARROWS = {  # variable or parameter -> the variables that depend on it
    **{"pi": "s", "mean": "x", "cov": "x", "s": "xy", "x": "f", "u": "f", "f": "y"},
    **{"Z": "uf", "theta": "uf", "beta": "y"},
}
BEND = {("theta", "f"): 0.32}  # curvature of the arrow that would cross u
PLATES = (  # left, bottom, right, top, label, corner of the label
    (2.75, 0.25, 6.75, 5.45, r"$n = 1 \ldots N$", "lower left"),
    (5.0, 0.85, 9.15, 5.65, r"$i = 1 \ldots P$", "lower right"),
    (0.25, 3.75, 10.9, 5.95, r"$m = 1 \ldots M$", "upper left"),
)


def figure1(stem: Path, _options: PlotOptions) -> None:
    """Draw plates, arrows and nodes, and a key to the three kinds of nodes."""
    with canvas(stem, width=PAGE * 0.7, height=3.5) as figure:
        axes = figure.subplots()
        axes.set(xlim=(0, 11.2), ylim=(0, 7.4), aspect="equal")
        axes.axis("off")
        for left, bottom, right, top, label, corner in PLATES:
            rounded: Any = {"boxstyle": "round,pad=0,rounding_size=0.15", "facecolor": "none"}
            rounded |= {"edgecolor": COLOURS[0], "linewidth": 0.8}
            box = FancyBboxPatch((left, bottom), right - left, top - bottom, **rounded)
            axes.add_patch(box)
            x, ha = (left + 0.12, "left") if "left" in corner else (right - 0.12, "right")
            y, va = (bottom + 0.1, "bottom") if "lower" in corner else (top - 0.1, "top")
            axes.text(x, y, label, ha=ha, va=va, fontsize=7, color=COLOURS[0])
        nodes = {}
        for name, (x, y, label, colour) in VARIABLES.items():
            nodes[name] = _circle(axes, x, y, RADIUS, colour)
            axes.text(x, y, label, ha="center", va="center", fontsize=8, zorder=4)
        for name, (x, y, label, (dx, dy), (ha, va)) in PARAMETERS.items():
            nodes[name] = _circle(axes, x, y, DOT, INK)
            axes.text(x + dx, y + dy, label, ha=ha, va=va, fontsize=9)
        look: Any = {"arrowstyle": "-|>", "mutation_scale": 7, "color": INK, "linewidth": 0.8}
        for start, ends in ARROWS.items():
            for end in ends:
                a, b, bend = nodes[start], nodes[end], BEND.get((start, end), 0.0)
                edges: Any = {"patchA": a, "patchB": b, "shrinkA": 0, "shrinkB": 0}
                arrow = {**edges, **look, "connectionstyle": f"arc3,rad={bend}"}
                axes.annotate("", b.center, a.center, arrowprops=arrow, zorder=2)
        key = (("observed", KEY, SHADE), ("latent", KEY, "white"), ("parameter", DOT, INK))
        for i, (name, radius, colour) in enumerate(key):
            _circle(axes, 0.45, 1.45 - 0.5 * i, radius, colour)
            axes.text(0.75, 1.45 - 0.5 * i, name, va="center", fontsize=7)


def _circle(axes: Axes, x: float, y: float, radius: float, colour: str) -> Circle:
    circle = Circle((x, y), radius, facecolor=colour, edgecolor=INK, linewidth=0.9, zorder=3)
    axes.add_patch(circle)
    return circle
