"""Figure 8: ACC, NMI and run time against the number of inducing points."""

from pathlib import Path

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import PAGE, as_drawn, canvas, look
from sgpmic_cli.figures.sweep_curves import count_axis, draw_curve, read_sweep

METRICS = {"acc": "ACC (%)", "nmi": "NMI (%)", "seconds": "run time (s)"}
TICKS = (1, 3, 10, 30, 100)


def figure8(stem: Path, options: PlotOptions) -> list[str]:
    """A panel for each metric, a curve for each data set."""
    curves = read_sweep(options.results / "sweep-inducing", "n_inducing", "sweep-inducing")
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in curves))
    with canvas(stem, width=PAGE, height=2.7) as figure:
        for i, (axes, (metric, title)) in enumerate(
            zip(figure.subplots(1, 3), METRICS.items(), strict=True)
        ):
            for j, dataset in enumerate(datasets):
                if (dataset, "sgp-mic", metric) in curves:
                    draw_curve(
                        axes, curves[dataset, "sgp-mic", metric], as_drawn(_title(dataset)), look(j)
                    )
            count_axis(axes, TICKS, "inducing points K")
            axes.set_ylabel(title)
            axes.set_title(f"({LETTERS[i]}) {title.partition(' (')[0]}")
        figure.axes[2].set_yscale("log")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(datasets))
    return []


def _title(dataset: str) -> str:
    differ = dataset in names() and entry(dataset).data_differ
    return dataset.capitalize() + (" (data differ from the paper's)" if differ else "")
