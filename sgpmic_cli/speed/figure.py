"""What an evaluation costs and what it grows with, beside GPy's, what else costs, and all of it on a GPU."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.figures.style import FAINT, PAGE, canvas, look
from sgpmic_cli.speed.rival import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_growth(stem: Path, document: Mapping[str, Any]) -> None:
    """Milliseconds against N and K, ratios of E-step and threads, whole fits, files, and seconds of every method."""
    growth, inducing = document["growth"], document["inducing"]
    with canvas(stem, width=PAGE, height=8.4) as figure:
        (by_rows, by_inducing), (ratios, methods), (fits, files) = figure.subplots(3, 2)
        _draw(by_rows, growth, "n", 1)
        _sizes(by_rows, document["sizes"])
        by_rows.set_xlabel("rows N")
        by_rows.set_title("(a) {m} components, P = {p}, Q = {q}, K = {k}".format(**growth))
        _draw(by_inducing, inducing, "k", 2)
        counts = [row["k"] for row in inducing["rows"]]
        by_inducing.set_xticks(counts, labels=[str(k) for k in counts])
        by_inducing.minorticks_off()
        by_inducing.set_xlabel("inducing inputs K")
        by_inducing.set_title("(b) the same with N = {n}".format(**inducing))
        for axes in (by_rows, by_inducing):
            axes.set_ylabel("bound and gradient (ms)")
            axes.legend(loc="upper left")
        _ratios(ratios, document)
        _methods(methods, document["table2"]["seconds"])
        _whole_fits(fits, document["whole_fits"])
        _files(files, document["streamed"])


def draw_device(stem: Path, document: Mapping[str, Any]) -> None:
    """Milliseconds of bound and gradient on a GPU, beside one core of its machine and beside GPyTorch on it."""
    rows = {"{setting}, {n:,} rows, K = {k}".format(**row): row for row in document["evaluations"]}
    found = {
        document["device"]["name"]: {name: row["ms"] for name, row in rows.items()},
        "one core": {name: row["core_ms"] for name, row in rows.items() if "core_ms" in row},
    }
    if document["gpytorch"]:  # its rows are as many as those of the first evaluation
        fastest = min(each["ms"] for each in document["gpytorch_passes"])
        found["GPyTorch on that GPU, one component"] = {next(iter(rows)): fastest}
    with canvas(stem, width=PAGE, height=3.2) as figure:
        axes = figure.subplots()
        _bars(axes, found, [2, 0, 3])
        axes.set_xscale("log")
        axes.set_xlim(left=1.0)
        axes.set_xlabel("milliseconds")
        axes.set_title(
            "Bound and gradient with {m} components, P = {p}, Q = {q}".format(**document)
        )
        axes.legend(loc="lower right")


def _draw(axes: "Axes", growth: Mapping[str, Any], along: str, power: int) -> None:
    """The measured times, and a line of the power that the paper's complexity promises."""
    x, ms = [row[along] for row in growth["rows"]], [row["ms"] for row in growth["rows"]]
    letter = along.upper()
    promised = letter if power == 1 else f"{letter}^{power}"
    line = [ms[-1] * (each / x[-1]) ** power for each in x]
    axes.loglog(x, line, color=FAINT, linestyle="--", label=f"proportional to {promised}")
    fitted = "" if growth["exponent"] is None else f", fitted {letter}^{growth['exponent']:.2f}"
    colour, marker = look(0)
    axes.loglog(x, ms, label=f"measured{fitted}", color=colour, marker=marker)


def _sizes(axes: "Axes", sizes: list[Mapping[str, Any]]) -> None:
    """One component at the sizes of five data sets, ours and GPy's; the other dimensions differ between them."""
    for i, (name, label) in enumerate(
        {"one": "one component, ours", "gpy": "one component, GPy"}.items(), start=2
    ):
        points = [(size["N"], size["ms"][name]) for size in sizes if name in size["ms"]]
        if points:
            colour, marker = look(i)
            axes.loglog(
                *zip(*points, strict=True), marker, color=colour, linestyle="none", label=label
            )


def _ratios(axes: "Axes", document: Mapping[str, Any]) -> None:
    """What an E-step costs beside an evaluation, and two threads beside one, in both settings; below one is better."""
    found: dict[str, dict[str, float]] = {"paper": {}, "default": {}}
    for size in document["sizes"]:
        name = f"E-step / evaluation, {size['name']}"
        found["paper"][name] = size["ratios"]["E-step / all"]
        found["default"][name] = size["ratios"]["default E-step / default"]
    for row in document["threads"]:
        found[row["setting"]][f"2 threads / 1, {row['work']}"] = row["ratio"]
    _bars(axes, found, [0, 1])
    axes.axvline(1.0, color=FAINT, linestyle="--")
    axes.set_xlim(right=1.4)  # room for the legend
    axes.legend(loc="upper right", fontsize="x-small")
    axes.set_xlabel("ratio of times")
    axes.set_title("(c) E-step and threads")


def _methods(axes: "Axes", seconds: Mapping[str, float]) -> None:
    _bars(axes, {"": seconds}, [0])
    axes.set_xscale("log")
    axes.set_xlabel("seconds")
    axes.set_title("(d) one run of each method, Segment at 95 %")


def _whole_fits(axes: "Axes", fits: list[Mapping[str, Any]]) -> None:
    """One bar of each library for every size."""
    found = {
        name: {fit["name"]: fit["ms"][key] for fit in fits if key in fit["ms"]}
        for key, name in {"ours": "ours", **NAMES}.items()
    }
    _bars(axes, found, [2, 3, 0])  # the colours of (a)
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds")
    axes.set_title("(e) whole fits, one component, {} steps".format(fits[0]["steps"]))
    axes.legend(loc="upper right")


def _files(axes: "Axes", files: list[Mapping[str, Any]]) -> None:
    """Seconds of fit and predict, with the peak of memory at every point; nothing where no file was read."""
    axes.set_visible(bool(files))
    for i, name in enumerate(("fit", "predict")):
        colour, marker = look(i)
        rows, seconds = [row["n"] for row in files], [row[f"{name}_seconds"] for row in files]
        axes.loglog(rows, seconds, color=colour, marker=marker, label=name)
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
    axes.set_xlabel("rows of a file")
    axes.set_ylabel("seconds")
    axes.set_title("(f) files read in blocks")
    axes.legend(loc="upper left")


def _bars(axes: "Axes", series: Mapping[str, Mapping[str, float]], colours: Sequence[int]) -> None:
    """A bar of each series for every name that the first has; none where a series lacks it."""
    names = list(next(iter(series.values())))
    thickness = 0.75 / len(series)
    for i, (label, values) in enumerate(series.items()):
        if not values:
            continue
        heights = [names.index(name) + thickness * (i - 0.5 * (len(series) - 1)) for name in values]
        axes.barh(
            heights, list(values.values()), height=thickness, color=look(colours[i])[0], label=label
        )
    axes.set_yticks(range(len(names)), labels=names)
    axes.tick_params(axis="y", labelsize="x-small", length=0)
    axes.invert_yaxis()
