"""Figures of the measured times.

    python -m benchmarks.speed_figures

Draws results/figures/speed.png and .pdf from results/speed.json.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.figure_style import FAINT, PAGE, canvas, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_speed(stem: Path, document: Mapping[str, Any]) -> None:
    """Draw time against the number of rows, for arrays and for files, as `stem`.png and .pdf."""
    with canvas(stem, width=PAGE, height=2.9) as figure:
        growth, files = figure.subplots(1, 2)
        _draw_growth(growth, document)
        _draw_files(files, document["streamed"])


def _draw_growth(axes: "Axes", document: Mapping[str, Any]) -> None:
    """Draw time against rows, with a line of slope one, and the times of one component."""
    growth = document["growth"]
    measured = [(row["n"], row["ms"]) for row in growth["rows"]]
    most, slowest = measured[-1]
    line = [(n, slowest * n / most) for n, _ in measured]
    axes.loglog(*zip(*line, strict=True), "--", color=FAINT, label="proportional to N")
    fitted = "" if growth["exponent"] is None else f": N^{growth['exponent']:.2f}"
    shape = "ours, {m} components, P = {p}, K = {k}".format(**growth)
    _draw_line(axes, 0, measured, f"{shape}{fitted}")
    for index, (key, name) in enumerate({"one": "ours", "gpy": "GPy"}.items(), start=2):
        points = [(size["N"], size["ms"][key]) for size in document["sizes"] if key in size["ms"]]
        _draw_line(axes, index, points, f"{name}, one component, five data sets", line="none")
    axes.set(xlabel="rows N", ylabel="milliseconds")
    axes.set_title("(a) one bound with its gradient, paper's model")
    axes.legend(loc="upper left")


def _draw_files(axes: "Axes", files: Sequence[Mapping[str, Any]]) -> None:
    """Draw the seconds of fit and predict, with the peak memory at each point."""
    for index, name in enumerate(("fit", "predict")):
        _draw_line(axes, index, [(row["n"], row[f"{name}_seconds"]) for row in files], name)
        for row in files:
            axes.annotate(
                f"{row[f'{name}_gb']:.1f} GB",
                (row["n"], row[f"{name}_seconds"]),
                xytext=(0, 6 if name == "fit" else -12),
                textcoords="offset points",
                ha="center",
                fontsize="x-small",
            )
    axes.margins(x=0.12, y=0.2)
    axes.set(xlabel="rows of a file", ylabel="seconds")
    axes.set_title("(b) default model, from a file of 20 columns")
    axes.legend(loc="upper left")


def _draw_line(
    axes: "Axes", index: int, points: Sequence[tuple[float, float]], label: str, line: str = "-"
) -> None:
    if points:
        colour, marker = look(index)
        x, y = zip(*points, strict=True)
        axes.loglog(x, y, linestyle=line, marker=marker, color=colour, label=label)


if __name__ == "__main__":
    measured = json.loads(Path("results/speed.json").read_text(encoding="utf-8"))
    draw_speed(Path("results/figures/speed"), measured)
