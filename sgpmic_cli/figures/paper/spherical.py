"""Figure 4: the two generated sets, before and after SGP-MIC."""

from pathlib import Path

from sgpmic_cli.experiments.compare.paper import FIGURE_ARCS
from sgpmic_cli.figures.panels import Panel, fit_panels, in_two_dimensions
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import scatter
from sgpmic_cli.figures.style import PAGE, canvas


def figure4(stem: Path, options: PlotOptions) -> list[str]:
    """A row for each set: its points (left), and its latent space (right)."""
    panels = fit_panels(options.study(["spiral", "arcs"], ["sgp-mic"], in_two_dimensions), options)
    with canvas(stem, width=PAGE * 0.8, height=5.6) as figure:
        for i, (row, panel) in enumerate(zip(figure.subplots(2, 2), panels, strict=True)):
            data = panel.data
            before, after = row
            scatter(before, data.Y[:, :2], panel.classes, panel.clusters)
            before.set_aspect("equal", adjustable="datalim")
            before.set_title(
                f"({'ac'[i]}) {data.name.capitalize()}: {len(data.Y)} rows, {data.n_classes} classes"
            )
            before.set_xlabel(data.feature_names[0])
            before.set_ylabel(data.feature_names[1])
            scatter(after, panel.X, panel.classes, panel.clusters)
            after.set_title(f"({'bd'[i]}) SGP-MIC")
            after.set_xlabel(
                "latent dimension 1\n"
                + _scores(panel, FIGURE_ARCS if data.name == "arcs" else None)
            )
            after.set_ylabel("latent dimension 2")
        figure.supxlabel("marker: class; colour: cluster; the run nearest to the mean", fontsize=7)
    return []


def _scores(panel: Panel, printed: dict[str, float] | None) -> str:
    stats, n = panel.outcome.stats, panel.outcome.repeats - panel.outcome.failed
    text = f"ACC {stats['acc'].mean:.2f} %, NMI {stats['nmi'].mean:.2f} % (mean of {n})"
    paper = (
        ""
        if printed is None
        else f"\npaper, on other data: {printed['acc']:.2f} and {printed['nmi']:.2f}"
    )
    return f"{text}{paper}"
