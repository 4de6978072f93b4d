"""Figures of the measured times."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.other_libraries import NAMES
from sgpmic_cli.figures.style import FAINT, PAGE, canvas, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_speed(stem: Path, document: Mapping[str, Any]) -> None:
    """Draw growth, whole fits, threads and files as `stem`.png and `stem`.pdf."""
    with canvas(stem, width=PAGE, height=5.8) as figure:
        (growth, fits), (threads, files) = figure.subplots(2, 2)
        _draw_growth(growth, document)
        _draw_fits(fits, document["whole_fits"])
        _draw_threads(threads, document["threads"])
        _draw_files(files, document["streamed"])


def draw_gpu(stem: Path, document: Mapping[str, Any]) -> None:
    """Draw the seconds of an EM iteration on the GPU beside one core."""
    rows = {"{n:,} rows, K = {k}".format(**row): row for row in document["iterations"]}
    series = {
        document["device"]["name"]: {name: row["ms"] for name, row in rows.items()},
        "one core": {name: row["core_ms"] for name, row in rows.items() if "core_ms" in row},
    }
    with canvas(stem, width=PAGE, height=2.6) as figure:
        axes = figure.subplots()
        _points(axes, series, [2, 0])
        axes.set_xlabel("milliseconds")
        axes.set_title(
            "One EM iteration of the default model, {m} components, P = {p}, Q = {q}".format(
                **document
            )
        )
        axes.legend(loc="lower right")


def _draw_growth(axes: "Axes", document: Mapping[str, Any]) -> None:
    """Draw time against rows, with a line of slope one, and the times of one component."""
    growth = document["growth"]
    n, ms = ([row[key] for row in growth["rows"]] for key in ("n", "ms"))
    axes.loglog(
        n, [ms[-1] * each / n[-1] for each in n], "--", color=FAINT, label="proportional to N"
    )
    fitted = "" if growth["exponent"] is None else f", fitted N^{growth['exponent']:.2f}"
    axes.loglog(n, ms, color=look(0)[0], marker=look(0)[1], label=f"measured{fitted}")
    for index, (key, name) in enumerate({"one": "ours", "gpy": "GPy"}.items(), start=2):
        points = [(size["N"], size["ms"][key]) for size in document["sizes"] if key in size["ms"]]
        if points:
            colour, marker = look(index)
            label = f"one component, {name}"
            axes.loglog(*zip(*points, strict=True), marker, color=colour, label=label)
    axes.set_xlabel("rows N")
    axes.set_ylabel("bound and gradient (ms)")
    axes.set_title("(a) {m} components, P = {p}, Q = {q}, K = {k}".format(**growth))
    axes.legend(loc="upper left")


def _draw_fits(axes: "Axes", fits: Sequence[Mapping[str, Any]]) -> None:
    """Draw one point per library and data set."""
    series = {
        name: {fit["name"]: fit["ms"][key] for fit in fits if key in fit["ms"]}
        for key, name in {"ours": "ours", **NAMES}.items()
    }
    _points(axes, series, [2, 3, 0])  # the colours of the first panel
    axes.set_xlabel("milliseconds")
    axes.set_title(f"(b) whole fits, one component, {fits[0]['steps']} steps")
    axes.legend(loc="lower right", fontsize="x-small")


def _draw_threads(axes: "Axes", threads: Sequence[Mapping[str, Any]]) -> None:
    """Draw the time with two threads over the time with one."""
    series = {
        setting: {row["work"]: row["ratio"] for row in threads if row["setting"] == setting}
        for setting in ("paper", "default")
    }
    _points(axes, series, [0, 1])
    axes.axvline(1.0, color=FAINT, linestyle="--")
    axes.set(xscale="linear", xlim=(0.0, 1.4))
    axes.set_xlabel("time with two threads / time with one")
    axes.set_title("(c) threads")
    axes.legend(loc="upper right")


def _draw_files(axes: "Axes", files: Sequence[Mapping[str, Any]]) -> None:
    """Draw the seconds of fit and predict, with the peak memory at each point."""
    axes.set_visible(bool(files))
    for index, name in enumerate(("fit", "predict")):
        colour, marker = look(index)
        n, seconds = [row["n"] for row in files], [row[f"{name}_seconds"] for row in files]
        axes.loglog(n, seconds, color=colour, marker=marker, label=name)
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
    axes.set_title("(d) files read in blocks")
    axes.legend(loc="upper left")


def _points(
    axes: "Axes", series: Mapping[str, Mapping[str, float]], colours: Sequence[int]
) -> None:
    """Draw a point of each series on a line for every name of the first series.

    The axis is logarithmic, on which a bar would have no foot. The legend lists what is missing.
    """
    names = list(next(iter(series.values())))
    for index, (label, values) in zip(colours, series.items(), strict=True):
        if not values:
            continue
        colour, marker = look(index)
        missing = ", ".join(name for name in names if name not in values)
        text = f"{label} (not run: {missing})" if missing else label
        lines = [names.index(name) for name in values]
        axes.plot(list(values.values()), lines, marker, color=colour, label=text, markersize=5)
    style: Any = {"color": FAINT, "linewidth": 0.4, "zorder": 0}
    axes.hlines(range(len(names)), 0, 1, transform=axes.get_yaxis_transform(), **style)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), labels=names)
    axes.tick_params(axis="y", labelsize="x-small", length=0)
    axes.set_ylim(len(names) + 0.5, -0.5)  # leaves space for the legend
