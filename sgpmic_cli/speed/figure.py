"""Cost of an evaluation against the numbers of rows and of inducing inputs, beside GPy's, and what else costs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.figures.style import FAINT, PAGE, canvas, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_growth(stem: Path, document: Mapping[str, Any]) -> None:
    """Milliseconds against N and K on logarithmic axes, with the fitted exponents; the E-step and threads as ratios."""
    growth, inducing = document["growth"], document["inducing"]
    with canvas(stem, width=PAGE, height=3.2) as figure:
        by_rows, by_inducing, ratios = figure.subplots(1, 3)
        _draw(by_rows, growth, "n", 1)
        _sizes(by_rows, document["sizes"])
        by_rows.set_xlabel("rows N")
        by_rows.set_title("all {m} components: P = {p}, Q = {q}, K = {k}".format(**growth))
        _draw(by_inducing, inducing, "k", 2)
        by_inducing.set_xlabel("inducing inputs K")
        by_inducing.set_title("the same with N = {n}".format(**inducing))
        for axes in (by_rows, by_inducing):
            axes.set_ylabel("bound and gradient (ms)")
            axes.legend()
        _ratios(ratios, document)


def _draw(axes: "Axes", growth: Mapping[str, Any], along: str, power: int) -> None:
    """The measured times, and a line of the power that the paper's complexity promises."""
    x, ms = [row[along] for row in growth["rows"]], [row["ms"] for row in growth["rows"]]
    letter = along.upper()
    promised = letter if power == 1 else f"{letter}^{power}"
    line = [ms[-1] * (each / x[-1]) ** power for each in x]
    axes.loglog(x, line, color=FAINT, linestyle="--", label=f"proportional to {promised}")
    fitted = "" if growth["exponent"] is None else f", fitted {letter}^{growth['exponent']:.2f}"
    colour, marker = look(0)
    axes.loglog(x, ms, label=f"one evaluation{fitted}", color=colour, marker=marker)


def _ratios(axes: "Axes", document: Mapping[str, Any]) -> None:
    """What an E-step costs beside an evaluation, and two threads beside one; below one is better."""
    found = {f"E-step / evaluation, {size['name']}": size["ratios"]["E-step / all"] for size in document["sizes"]}
    found |= {f"2 threads / 1, {row['setting']}: {row['work']}": row["ratio"] for row in document["threads"]}
    axes.barh(list(found), list(found.values()), color=look(0)[0])
    axes.axvline(1.0, color=FAINT, linestyle="--")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize="x-small")
    axes.set_xlabel("ratio of times")


def _sizes(axes: "Axes", sizes: list[Mapping[str, Any]]) -> None:
    """One component at the sizes of five data sets, ours and GPy's; the other dimensions differ between them."""
    for i, (name, label) in enumerate({"one": "one component, ours", "gpy": "one component, GPy"}.items(), start=2):
        points = [(size["N"], size["ms"][name]) for size in sizes if name in size["ms"]]
        if points:
            colour, marker = look(i)
            axes.loglog(
                *zip(*points, strict=True), marker, color=colour, linestyle="none", label=f"{label}, five data sets"
            )
