"""SGP-MIC on any data set: its latent space, and how the fit went."""

from pathlib import Path

from threadpoolctl import threadpool_limits

from sgpmic_cli.data.registry import names
from sgpmic_cli.figures.one_fit.all_of_them import pictures
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.single_fit.fitting import Fitted, fit
from sgpmic_cli.single_fit.settings import Setting


def embedding(stem: Path, options: PlotOptions) -> list[str]:
    """Clusters and classes in the latent space of a fit."""
    return _draw("embedding", stem, options)


def convergence(stem: Path, options: PlotOptions) -> list[str]:
    """Bound and, in the paper's setting, ACC of the same fit."""
    return _draw("convergence", stem, options)


def _draw(name: str, stem: Path, options: PlotOptions) -> list[str]:
    fitted = _fit(options)
    pictures(fitted)[name](stem)
    return [*fitted.data.notes, *fitted.remarks]


def _fit(options: PlotOptions) -> Fitted:
    """Registered sets as the paper fits them, people's own as `sgpmic fit` does."""
    setting: Setting = "paper" if options.data in names() else "default"
    data = options.load_named()
    with threadpool_limits(limits=1):
        return fit(
            data, setting=setting, clusters=options.clusters, scale=options.scale, seed=options.seed
        )
