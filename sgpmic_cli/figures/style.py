"""One look for all figures: readable at the width of a column, safe for colour-blind eyes, equal bytes every time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.5, 7.2  # inches: one column of a journal, and both
DPI = 200
INK, FAINT = "#262626", "#b0b0b0"
# Okabe and Ito's colours, told apart with any common colour blindness; black is kept for ink.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")

_SETTINGS: Any = {
    "font.family": "DejaVu Sans",  # comes with Matplotlib, so that every machine draws the same letters
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handletextpad": 0.3,
    "legend.columnspacing": 1.0,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # letters stay letters: searchable, and editable in a drawing program
    "svg.hashsalt": "sgpmic",
}


def look(index: int) -> tuple[str, str]:
    """Colour and marker of a group; no two of the first 77 share both."""
    return COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]


@contextmanager
def canvas(stem: Path, *, width: float = COLUMN, height: float = 2.4) -> Iterator["Figure"]:
    """A figure to draw on, written as `stem`.png and `stem`.pdf at the end."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever a user's own style file says
        matplotlib.rcParams.update(_SETTINGS)
        figure = Figure(figsize=(width, height), dpi=DPI)
        FigureCanvasAgg(figure)
        yield figure
        # Without dates and version marks equal content gives equal files.
        figure.savefig(stem.with_suffix(".png"), metadata={"Software": None})
        figure.savefig(stem.with_suffix(".pdf"), metadata={"CreationDate": None, "Creator": None, "Producer": None})


def legend_columns(labels: Sequence[str], width: float) -> int:
    """How many entries of a legend stand beside each other within `width` inches."""
    longest = max((len(label) for label in labels), default=0)
    return max(1, min(len(labels), int(width / (0.25 + 0.052 * longest))))
