"""What makes the clusters, as a map: how far each feature of each cluster is from the rows of all others."""

from pathlib import Path

import numpy as np

from sgpmic_cli.figures.style import INK, canvas
from sgpmic_cli.single_fit.profile import Profile, readable

MOST_FEATURES = 40  # those that differ most; more cannot be read
STRONGEST = 3.0  # standard deviations of the darkest colour
LIGHT = (
    1.2  # standard deviations; purple is too dark for ink from here on, orange from twice as far
)
LONGEST = 28  # letters of a feature's name
WRITTEN = 12  # clusters; with more there is no room for numbers


def draw_profile(stem: Path, profile: Profile) -> None:
    """Draw clusters as columns and features as rows; numbers are means, shares in percent for categories."""
    shown = sorted(profile.telling[:MOST_FEATURES])
    m = len(profile.sizes)
    differences = np.ma.masked_invalid(profile.differences[:, shown].T)
    with canvas(
        stem, width=float(np.clip(2.4 + 0.6 * m, 3.5, 9.0)), height=0.9 + 0.2 * len(shown)
    ) as figure:
        axes = figure.subplots()
        image = axes.imshow(
            differences, cmap="PuOr_r", vmin=-STRONGEST, vmax=STRONGEST, aspect="auto"
        )
        axes.set_xticks(
            range(m),
            [
                f"{k}\n{size} rows" if m <= WRITTEN else str(k)
                for k, size in enumerate(profile.sizes)
            ],
        )
        axes.set_yticks(range(len(shown)), [_short(profile.features[j]) for j in shown])
        axes.set_xlabel("cluster")
        axes.set_title("means, coloured by distance from all other rows")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if m <= WRITTEN:
            for row, j in enumerate(shown):
                for k in np.flatnonzero(profile.sizes).tolist():
                    dark = (
                        not -LIGHT < float(np.nan_to_num(profile.differences[k, j])) < 2.0 * LIGHT
                    )
                    text = _written(float(profile.means[k, j]), bool(profile.is_category[j]))
                    axes.text(
                        k,
                        row,
                        text,
                        ha="center",
                        va="center",
                        fontsize=6.5,
                        color="white" if dark else INK,
                    )
        figure.colorbar(
            image, ax=axes, label="standard deviations", shrink=min(1.0, 6.0 / len(shown))
        )


def _written(mean: float, is_category: bool) -> str:
    return f"{100 * mean:.0f} %" if is_category else readable(mean)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
