"""Draw convergence, cluster profiles and the choice of the number of clusters."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sgpmic_cli.figures.style import COLOURS, FAINT, INK, canvas
from sgpmic_cli.single_fit.profile import Profile, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MARKED = 90  # bounds; more markers overlap
MOST_FEATURES = 40  # of a profile: those that differ most
STRONGEST = 3.0  # standard deviations of the darkest colour
DARK_PURPLE, DARK_ORANGE = -1.2, 2.4  # standard deviations beyond which text is white
LONGEST = 28  # characters of a feature's name
MOST_WRITTEN = 12  # clusters; with more the numbers do not fit


def draw_convergence(
    stem: Path,
    bounds: Sequence[float],
    accs: Sequence[float] | None = None,
    steps_per_iteration: int = 1,
) -> None:
    """Draw the bound and, if given, the ACC after each step against the iteration."""
    from matplotlib.ticker import MaxNLocator

    iterations = np.arange(1, len(bounds) + 1) / steps_per_iteration
    line = "o-" if len(bounds) <= MOST_MARKED else "-"
    with canvas(stem, height=2.2 if accs is None else 3.0) as figure:
        panels = figure.subplots(1 if accs is None else 2, sharex=True, squeeze=False)[:, 0]
        panels[0].plot(iterations, bounds, line, color=COLOURS[0])
        panels[0].set(title="the bound that the fit maximises", ylabel="lower bound")
        if accs is not None:
            panels[1].plot(iterations, accs, line, color=COLOURS[2])
            panels[1].set_ylabel("ACC (%)")
        panels[-1].set_xlabel("iteration")
        panels[-1].xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_numbers_tried(stem: Path, tried: Sequence[dict[str, Any]], chosen: int) -> None:
    """Draw the silhouette against the number of clusters, beside that of null reference data."""
    with canvas(stem, height=2.6) as figure:
        plot_numbers_tried(figure.subplots(), tried, chosen)


def plot_numbers_tried(axes: "Axes", tried: Sequence[dict[str, Any]], chosen: int) -> None:
    """Plot what `draw_numbers_tried` draws."""
    from matplotlib.ticker import MaxNLocator

    shown = [row for row in tried if row["n_clusters"] > 1]
    numbers = [row["n_clusters"] for row in shown]
    found, reference = ([row[key] for row in shown] for key in ("silhouette", "reference"))
    axes.plot(numbers, found, "o-", color=COLOURS[0], label="these data")
    axes.plot(numbers, reference, "s--", color=FAINT, label="null reference data")
    if chosen in numbers:
        axes.axvline(chosen, color=COLOURS[3], linewidth=0.8, label=f"chosen: {chosen}")
    axes.set(xlabel="number of clusters", ylabel="silhouette")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)  # not on a curve


def draw_profile(stem: Path, profile: Profile) -> None:
    """Draw features as rows and clusters as columns, coloured by the distance from other rows.

    The numbers are means, or percentages for categories.
    """
    width, height = profile_size(profile)
    with canvas(stem, width=width, height=height) as figure:
        plot_profile(figure.subplots(), profile)


def profile_size(profile: Profile) -> tuple[float, float]:
    """Return width and height of the figure of a profile in inches."""
    width = float(np.clip(2.4 + 0.6 * len(profile.sizes), 3.5, 9.0))
    return width, 0.9 + 0.2 * min(len(profile.features), MOST_FEATURES)


def plot_profile(axes: "Axes", profile: Profile) -> None:
    """Plot what `draw_profile` draws."""
    shown = sorted(profile.telling[:MOST_FEATURES])
    m = len(profile.sizes)
    differences = np.ma.masked_invalid(profile.differences[:, shown].T)
    clusters = [f"{k}\n{size} rows" for k, size in enumerate(profile.sizes)]
    limits: Any = {"vmin": -STRONGEST, "vmax": STRONGEST}
    image = axes.imshow(differences, cmap="PuOr_r", aspect="auto", **limits)
    axes.set_xticks(range(m), clusters if m <= MOST_WRITTEN else [str(k) for k in range(m)])
    axes.set_yticks(range(len(shown)), [_short(profile.features[j]) for j in shown])
    axes.set_xlabel("cluster")
    axes.set_title("means, coloured by distance from all other rows")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if m <= MOST_WRITTEN:
        for row, j in enumerate(shown):
            for k in np.flatnonzero(profile.sizes).tolist():
                difference = float(np.nan_to_num(profile.differences[k, j]))
                light = DARK_PURPLE < difference < DARK_ORANGE
                mean = float(profile.means[k, j])
                text = f"{100 * mean:.0f} %" if profile.is_category[j] else readable(mean)
                look: Any = {"fontsize": 6.5, "color": INK if light else "white"}
                axes.text(k, row, text, ha="center", va="center", **look)
    shrink = min(1.0, 6.0 / len(shown))
    axes.figure.colorbar(image, ax=axes, label="standard deviations", shrink=shrink)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
