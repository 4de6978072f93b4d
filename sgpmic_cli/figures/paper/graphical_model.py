"""Figure 1: SGP-MIC as a graphical model."""

from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.style import COLOURS, INK, PAGE, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RADIUS, DOT = 0.42, 0.09
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
# (from, to, how far the arrow bends)
ARROWS = (
    ("pi", "s", 0.0),
    ("mean", "x", 0.0),
    ("cov", "x", 0.0),
    ("s", "x", 0.0),
    ("s", "y", 0.0),
    ("x", "f", 0.0),
    ("u", "f", 0.0),
    ("f", "y", 0.0),
    ("Z", "u", 0.0),
    ("Z", "f", 0.0),
    ("theta", "u", 0.0),
    ("theta", "f", 0.32),
    ("beta", "y", 0.0),
)
PLATES = (  # left, bottom, right, top, label, corner of the label
    (2.75, 0.25, 6.75, 5.45, r"$n = 1 \ldots N$", "lower left"),
    (5.0, 0.85, 9.15, 5.65, r"$i = 1 \ldots P$", "lower right"),
    (0.25, 3.75, 10.9, 5.95, r"$m = 1 \ldots M$", "upper left"),
)


def figure1(stem: Path, _options: PlotOptions) -> list[str]:
    """Nodes, arrows and plates; a key to the three kinds of nodes."""
    with canvas(stem, width=PAGE * 0.7, height=3.5) as figure:
        axes = figure.subplots()
        axes.set_xlim(0, 11.2)
        axes.set_ylim(0, 7.4)
        axes.set_aspect("equal")
        axes.axis("off")
        for plate in PLATES:
            _plate(axes, *plate)
        for start, end, bend in ARROWS:
            _arrow(axes, start, end, bend)
        for x, y, label, observed in VARIABLES.values():
            _variable(axes, x, y, observed)
            axes.text(x, y, label, ha="center", va="center", fontsize=8, zorder=4)
        for x, y, label, side in PARAMETERS.values():
            _parameter(axes, x, y)
            dx, dy = {"left": (-0.2, 0), "right": (0.2, 0), "top": (0, 0.2)}[side]
            align = {"left": "right", "right": "left", "top": "center"}[side]
            axes.text(
                x + dx,
                y + dy,
                label,
                ha=align,
                va="bottom" if side == "top" else "center",
                fontsize=9,
            )
        _key(axes)
    return []


def _variable(axes: "Axes", x: float, y: float, observed: bool, radius: float = RADIUS) -> None:
    from matplotlib.patches import Circle

    face = SHADE if observed else "white"
    axes.add_patch(Circle((x, y), radius, facecolor=face, edgecolor=INK, linewidth=0.9, zorder=3))


def _parameter(axes: "Axes", x: float, y: float) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle((x, y), DOT, facecolor=INK, edgecolor=INK, zorder=3))


def _arrow(axes: "Axes", start: str, end: str, bend: float) -> None:
    """From rim to rim: Matplotlib shortens an arrow in points, so the radii are turned into points first."""
    from matplotlib.patches import FancyArrowPatch

    points = (
        72 * PAGE * 0.7 / 11.2 * 0.96
    )  # of one unit, near enough for a gap that nobody measures
    origin, target = {**VARIABLES, **PARAMETERS}[start], {**VARIABLES, **PARAMETERS}[end]
    axes.add_patch(
        FancyArrowPatch(
            origin[:2],
            target[:2],
            arrowstyle="-|>",
            mutation_scale=7,
            color=INK,
            linewidth=0.8,
            connectionstyle=f"arc3,rad={bend}",
            shrinkA=points * (RADIUS if start in VARIABLES else DOT),
            shrinkB=points * RADIUS,
            zorder=2,
        )
    )


def _plate(
    axes: "Axes", left: float, bottom: float, right: float, top: float, label: str, corner: str
) -> None:
    from matplotlib.patches import FancyBboxPatch

    box = FancyBboxPatch(
        (left, bottom),
        right - left,
        top - bottom,
        boxstyle="round,pad=0,rounding_size=0.15",
        facecolor="none",
        edgecolor=COLOURS[0],
        linewidth=0.8,
    )
    axes.add_patch(box)
    vertical, horizontal = corner.split()
    x = left + 0.12 if horizontal == "left" else right - 0.12
    y = bottom + 0.1 if vertical == "lower" else top - 0.1
    align = "bottom" if vertical == "lower" else "top"
    axes.text(x, y, label, ha=horizontal, va=align, fontsize=7, color=COLOURS[0])


def _key(axes: "Axes") -> None:
    entries = (("observed", True), ("latent", False), ("parameter", None))
    for i, (name, observed) in enumerate(entries):
        y = 1.45 - 0.5 * i
        if observed is None:
            _parameter(axes, 0.45, y)
        else:
            _variable(axes, 0.45, y, observed, radius=0.17)
        axes.text(0.75, y, name, va="center", fontsize=7)
