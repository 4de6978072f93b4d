"""SGP-MIC on any data set: its latent space, and how the fit went."""

from pathlib import Path

from threadpoolctl import threadpool_limits

from sgpmic_cli.figures.one_fit.convergence import draw_convergence
from sgpmic_cli.figures.one_fit.embedding import draw_embedding
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.single_fit.fitting import Fitted, fit


def embedding(stem: Path, options: PlotOptions) -> list[str]:
    """Clusters and classes in the latent space of a fit with 95 % of the variance."""
    fitted = _fit(options)
    model, data = fitted.model, fitted.data
    draw_embedding(
        stem, model.embedding_, model.labels_, means=model.means_, classes=data.labels, class_names=data.class_names
    )
    return fitted.remarks


def convergence(stem: Path, options: PlotOptions) -> list[str]:
    """Bound and ACC of the same fit."""
    fitted = _fit(options)
    accs = [each.acc for each in fitted.trace() if each.step == "E" and each.acc is not None]
    draw_convergence(stem, fitted.model.lower_bounds_, accs or None)
    return fitted.remarks


def _fit(options: PlotOptions) -> Fitted:
    with threadpool_limits(limits=1):
        return fit(options.load_named(), setting="paper", clusters=options.clusters, seed=options.seed)
