"""The style of all figures: readable in one column and safe for colour blindness."""

import string
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sgpmic_cli.text import printable, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.5, 7.2  # inches: one column of a journal, and both
DPI = 200
LETTERS = string.ascii_lowercase  # of panels
INK, FAINT = "#262626", "#b0b0b0"
# The palette of Okabe and Ito, safe for colour blindness, without black, which is for ink. The
# others are for many clusters, which markers tell apart as well.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442"),
    *("#8B5FBF", "#7F7F7F", "#8C564B", "#7FB800", "#B2182B", "#40C9C9", "#FF9896", "#5D6B1E"),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")

_SETTINGS: Any = {
    "font.size": 8,
    **dict.fromkeys(("axes.titlesize", "axes.labelsize"), 8),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 7),
    "legend.frameon": False,
    "legend.handletextpad": 0.3,
    "legend.columnspacing": 1.0,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    "axes.formatter.useoffset": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "figure.constrained_layout.use": True,
}
FONT = "DejaVu Sans"  # part of Matplotlib, so every machine has it
# Fonts of scripts that it lacks. Those that the system has are used, in this order.
FALLBACK_FONTS = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "Droid Sans Fallback"),
    *("Noto Sans Devanagari", "Lohit Devanagari", "Noto Emoji", "Symbola"),
)
NO_GLYPH = (
    "the installed fonts lack some letters, which the figures show as boxes: install a font of "
    "the script, such as Noto Sans CJK, Noto Sans Devanagari or Noto Emoji."
)


def look(index: int) -> tuple[str, str]:
    """Return colour and marker of a group. The first 165 pairs are distinct."""
    return COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]


def matched_looks(
    groups: np.ndarray, reference: np.ndarray, n_groups: int, n_reference: int
) -> list[int]:
    """Give each group the number of the reference group it overlaps most, one to one.

    Groups without a partner get new numbers.
    """
    from scipy.optimize import linear_sum_assignment

    overlap = np.zeros((n_groups, n_reference))
    np.add.at(overlap, (groups, reference), 1)
    partners = dict(np.array(linear_sum_assignment(overlap, maximize=True)).T.tolist())
    unused = iter(range(n_reference, n_reference + n_groups))
    return [partners[group] if group in partners else next(unused) for group in range(n_groups)]


@contextmanager
def canvas(stem: Path, *, width: float = COLUMN, height: float = 2.4) -> Iterator["Figure"]:
    """Yield a figure, and write it as `stem`.png at the end; equal content gives equal files."""
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        matplotlib.rcdefaults()  # ignore the user's own style file
        installed = {font.name for font in font_manager.fontManager.ttflist}
        fonts = [FONT, *(name for name in FALLBACK_FONTS if name in installed)]
        matplotlib.rcParams.update(_SETTINGS | {"font.family": fonts})
        figure = Figure(figsize=(width, height), dpi=DPI)
        yield figure
        figure.savefig(stem.with_suffix(".png"), metadata={"Software": None})
    if any(str(warning.message).startswith("Glyph") for warning in caught):
        warnings.warn(NO_GLYPH, stacklevel=3)


def as_drawn(name: str, most: int = 40) -> str:
    """Return a name from a user's data, shortened, in a form that Matplotlib can draw."""
    text = shortened(printable(name), most).replace("$", r"\$")  # no formula
    # Matplotlib omits labels that begin with an underscore from a legend; this space has no width.
    return "\u200b" + text if text.startswith("_") else text


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return how many entries of a legend fit side by side into `width` inches."""
    longest = max((len(label) for label in labels), default=0)
    return max(1, min(len(labels), int(width / (0.25 + 0.052 * longest))))
