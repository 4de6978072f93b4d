"""Draw convergence, cluster profiles and the choice of the number of clusters."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli.figures.style import COLOURS, FAINT, INK, canvas
from sgpmic_cli.single_fit.profile import Profile, readable

MOST_MARKED = 90  # updates; more markers overlap
MOST_FEATURES = 40  # of a profile: those that differ most
STRONGEST = 3.0  # standard deviations of the darkest colour
DARK_PURPLE, DARK_ORANGE = -1.2, 2.4  # standard deviations beyond which text is white
LONGEST = 28  # letters of a feature's name
MOST_WRITTEN = 12  # clusters; with more the numbers do not fit


def draw_convergence_by_round(stem: Path, bounds: Sequence[float]) -> None:
    """Draw the bound after the M-step of each iteration, without the last E-step."""
    from matplotlib.ticker import MaxNLocator

    line = "o-" if len(bounds) <= MOST_MARKED else "-"
    with canvas(stem, height=2.2) as figure:
        axes = figure.subplots()
        axes.plot(range(1, len(bounds)), bounds[:-1], line, color=COLOURS[0])
        axes.set(title="the bound that the fit climbs", xlabel="round", ylabel="lower bound")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_convergence(
    stem: Path, bounds: Sequence[float], accs: Sequence[float] | None = None
) -> None:
    """Draw the bound after each E- and M-step and, if given, the ACC after each E-step."""
    from matplotlib.ticker import MaxNLocator

    bound = np.asarray(bounds, dtype=float)
    rounds = np.arange(len(bound)) / 2.0 + 0.5  # the M-step completes a round
    marked = len(bound) <= MOST_MARKED
    with canvas(stem, height=2.2 if accs is None else 3.0) as figure:
        if accs is None:
            upper = figure.subplots()
        else:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
            lower.plot(rounds[::2], accs, "o-" if marked else "-", color=COLOURS[2])
            lower.set_ylabel("ACC (%)")
        upper.plot(rounds, bound, "-", color=COLOURS[0])
        upper.set_ylabel("lower bound")
        if marked:
            e_steps: Any = {
                "color": "white",
                "markeredgecolor": COLOURS[0],
                "label": "after E-step",
            }
            upper.plot(rounds[::2], bound[::2], "o", **e_steps)
            upper.plot(rounds[1::2], bound[1::2], "o", color=COLOURS[0], label="after M-step")
            upper.legend(loc="lower right")
        figure.axes[-1].set_xlabel("round")
        figure.axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_numbers_tried(stem: Path, tried: Sequence[dict[str, Any]], chosen: int) -> None:
    """Draw the silhouette against the number of clusters, beside that of null reference data."""
    from matplotlib.ticker import MaxNLocator

    shown = [row for row in tried if row["n_clusters"] > 1]
    numbers = [row["n_clusters"] for row in shown]
    found, reference = ([row[key] for row in shown] for key in ("silhouette", "reference"))
    with canvas(stem, height=2.6) as figure:
        axes = figure.subplots()
        axes.plot(numbers, found, "o-", color=COLOURS[0], label="these data")
        axes.plot(numbers, reference, "s--", color=FAINT, label="a cloud without clusters")
        if chosen in numbers:
            axes.axvline(chosen, color=COLOURS[3], linewidth=0.8, label=f"chosen: {chosen}")
        axes.set(xlabel="number of clusters", ylabel="silhouette")
        axes.set_title("how far apart the clusters are", color=INK)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(loc="upper right")


def draw_profile(stem: Path, profile: Profile) -> None:
    """Draw features as rows and clusters as columns, coloured by the distance from other rows.

    The numbers are means, or percentages for categories.
    """
    shown = sorted(profile.telling[:MOST_FEATURES])
    m = len(profile.sizes)
    width, height = float(np.clip(2.4 + 0.6 * m, 3.5, 9.0)), 0.9 + 0.2 * len(shown)
    differences = np.ma.masked_invalid(profile.differences[:, shown].T)
    clusters = [f"{k}\n{size} rows" for k, size in enumerate(profile.sizes)]
    with canvas(stem, width=width, height=height) as figure:
        axes = figure.subplots()
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
        figure.colorbar(image, ax=axes, label="standard deviations", shrink=shrink)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
