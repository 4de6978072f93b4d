"""One look for all figures: readable at the width of a column, safe for colour-blind eyes, equal bytes every time."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.safe_text import printable, shortened

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
HIDING = "_"  # Matplotlib leaves labels that begin with it out of a legend
NO_WIDTH = "\u200b"
LONGEST_NAME = 40
_TURNED = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+"
_RIGHT_TO_LEFT = re.compile(rf"{_TURNED}(?:\s+{_TURNED})*")
UNKNOWN = "\u25a1"  # an empty box, for what the font cannot draw
# Variables that Matplotlib reads, and cannot always: no figure of ours depends on them.
_ODD_VARIABLES = ("MPLBACKEND", "SOURCE_DATE_EPOCH")


def look(index: int) -> tuple[str, str]:
    """Colour and marker of a group; no two of the first 77 share both."""
    return COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]


@contextmanager
def canvas(stem: Path, *, width: float = COLUMN, height: float = 2.4) -> Iterator["Figure"]:
    """A figure to draw on, written as `stem`.png and `stem`.pdf at the end."""
    with _without(*_ODD_VARIABLES), _drawn(stem, width, height) as figure:
        yield figure


@contextmanager
def _drawn(stem: Path, width: float, height: float) -> Iterator["Figure"]:
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
        figure.savefig(
            stem.with_suffix(".pdf"),
            metadata={"CreationDate": None, "Creator": None, "Producer": None},
        )


def as_drawn(name: str, most: int = LONGEST_NAME) -> str:
    """A name from somebody's data as it can stand in a figure: no commands, nothing the font lacks, not too long.

    Matplotlib sets letters one after the other from the left, so words of right-to-left scripts are turned round.
    """
    known = _letters()
    text = shortened(printable(name), most)
    text = "".join(each if ord(each) in known else UNKNOWN for each in text)
    text = _RIGHT_TO_LEFT.sub(lambda words: words[0][::-1], text)
    text = text.replace("$", r"\$")  # the sign, and not the beginning of a formula
    return NO_WIDTH + text if text.startswith(HIDING) else text


@cache
def _letters() -> frozenset[int]:
    """The characters that the font can draw."""
    with _without(*_ODD_VARIABLES):
        from matplotlib.font_manager import FontProperties, findfont, get_font

        return frozenset(
            get_font(findfont(FontProperties(family=[_SETTINGS["font.family"]]))).get_charmap()
        )


@contextmanager
def _without(*variables: str) -> Iterator[None]:
    """The environment without some variables."""
    taken = {name: os.environ.pop(name) for name in variables if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(taken)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """How many entries of a legend stand beside each other within `width` inches."""
    longest = max((len(label) for label in labels), default=0)
    return max(1, min(len(labels), int(width / (0.25 + 0.052 * longest))))
