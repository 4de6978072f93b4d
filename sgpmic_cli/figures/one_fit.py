"""Draw the figures of one fit, for `sgpmic fit` and `sgpmic plot`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from sgpmic_cli.data import load
from sgpmic_cli.data.registry import names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.figures.fit_plots import draw_convergence, draw_numbers_tried, draw_profile
from sgpmic_cli.figures.latent_space import draw_embedding
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.single_fit.fitting import Fitted, fit
from sgpmic_cli.single_fit.interpretation import numbers_tried
from sgpmic_cli.single_fit.settings import Setting


def draw_all(fitted: Fitted, folder: Path) -> list[str]:
    """Draw all figures of a fit. Return a sentence for each figure that failed."""
    failures = []
    for name, draw in fit_figures(fitted).items():
        try:
            draw(folder / name)
        except Exception as error:  # a figure that fails must not lose the fit
            for kind in ("png", "pdf"):
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
            reason = f"{type(error).__name__}: {error}"
            failures.append(f"the figure {name} could not be drawn ({reason}).")
    return failures


def fit_figures(fitted: Fitted) -> dict[str, Callable[[Path], object]]:
    """Return the drawing functions of the figures that a fit has, by name."""
    model, data = fitted.model, fitted.data
    accs, steps = None, 2 if fitted.setting == "paper" else 1
    if fitted.setting == "paper" and data.labels is not None:  # others keep their labels
        accs = fitted.trace()["acc"].dropna().tolist() or None
    figures: dict[str, Callable[[Path], object]] = {
        "convergence": lambda stem: draw_convergence(stem, model.lower_bounds_, accs, steps),
        "embedding": lambda stem: draw_embedding(
            stem,
            model.embedding_,
            model.labels_,
            means=model.means_,
            covariances=model.covariances_,
            classes=data.labels,
            class_names=data.class_names,
        ),
    }
    if len(model.weights_) > 1:
        figures["profile"] = lambda stem: draw_profile(stem, fitted.profile)
    if tried := numbers_tried(fitted):
        figures["numbers-tried"] = lambda stem: draw_numbers_tried(stem, tried, len(model.weights_))
    return figures


def _fit_and_draw(name: str, stem: Path, options: PlotOptions) -> list[str]:
    """Fit registered data sets with the paper's model, files with the default model; draw it."""
    if options.data is None:
        raise UsageError("this figure needs a data set: name it, such as --data iris.")
    setting: Setting = "paper" if options.data in names() else "default"
    choices: Any = {"clusters": options.clusters, "scale": options.scale, "seed": options.seed}
    where: Any = {
        name: getattr(options.running, name) for name in ("data_dir", "mirror", "offline")
    }
    data = load(options.data, table=options.table, **where)
    with threadpool_limits(limits=1):
        fitted = fit(data, setting=setting, **choices)
    fit_figures(fitted)[name](stem)
    return [*data.notes, *fitted.remarks]


embedding = partial(_fit_and_draw, "embedding")
convergence = partial(_fit_and_draw, "convergence")
