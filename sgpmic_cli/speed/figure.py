"""Cost of an evaluation against the number of rows."""

from pathlib import Path
from typing import Any

from sgpmic_cli.figures.style import COLUMN, FAINT, canvas, look


def draw_growth(stem: Path, growth: dict[str, Any]) -> None:
    """Milliseconds against N on logarithmic axes, beside a line of slope one."""
    n, ms = [row["n"] for row in growth["rows"]], [row["ms"] for row in growth["rows"]]
    with canvas(stem, width=COLUMN, height=2.6) as figure:
        axes = figure.subplots()
        axes.loglog(n, [ms[-1] * x / n[-1] for x in n], color=FAINT, linestyle="--", label="proportional to N")
        label = "one evaluation"
        if growth["exponent"] is not None:
            label += f", N^{growth['exponent']:.2f}"
        colour, marker = look(0)
        axes.loglog(n, ms, label=label, color=colour, marker=marker)
        axes.set_xlabel("rows N")
        axes.set_ylabel("bound and gradient (ms)")
        axes.set_title("P = {p}, Q = {q}, K = {k}, M = {m}, one thread".format(**growth))
        axes.legend()
