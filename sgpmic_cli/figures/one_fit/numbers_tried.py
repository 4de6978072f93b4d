"""What spoke for each number of clusters that was tried."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli.figures.style import COLOURS, FAINT, INK, canvas


def draw_numbers_tried(stem: Path, tried: Sequence[dict[str, Any]], chosen: int) -> None:
    """Draw the silhouette of k-means and what a cloud without clusters would have, against the number of clusters."""
    from matplotlib.ticker import MaxNLocator

    shown = [row for row in tried if row["n_clusters"] > 1]
    numbers = [row["n_clusters"] for row in shown]
    with canvas(stem, height=2.6) as figure:
        axes = figure.subplots()
        axes.plot(
            numbers,
            [row["silhouette"] for row in shown],
            "o-",
            color=COLOURS[0],
            label="these data",
        )
        axes.plot(
            numbers,
            [row["reference"] for row in shown],
            "s--",
            color=FAINT,
            label="a cloud without clusters",
        )
        if chosen in numbers:
            axes.axvline(chosen, color=COLOURS[3], linewidth=0.8, label=f"chosen: {chosen}")
        axes.set(
            xlabel="number of clusters", ylabel="silhouette", title="how far apart the clusters are"
        )
        axes.title.set_color(INK)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(loc="upper right")
