"""Style and folder of the gallery's pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

PICTURES = Path(__file__).parent / "pictures"
COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#F0E442",
)  # safe for colour-blind readers
SETTINGS: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


@contextmanager
def picture(name: str, *, width: float = 6.5, height: float = 2.8) -> Iterator[Figure]:
    """Yield a figure, and write it to `pictures/` at the end."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), dpi=110)
        FigureCanvasAgg(figure)
        yield figure
        PICTURES.mkdir(exist_ok=True)
        # No version of matplotlib in the file, so that equal drawings give equal files.
        figure.savefig(PICTURES / f"{name}.png", metadata={"Software": None})


def scatter(axes: Any, points: Any, labels: Any, title: str) -> None:
    """Draw points in the colours of their clusters."""
    for label in sorted(set(labels)):
        chosen = labels == label
        axes.scatter(
            *points[chosen].T[:2], s=7, color=COLOURS[label % len(COLOURS)], label=str(label)
        )
    axes.set(title=title, xticks=[], yticks=[])
