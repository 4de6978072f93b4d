"""All figures of one fit."""

from pathlib import Path

from sgpmic_cli.figures.convergence import draw_convergence, draw_convergence_by_round
from sgpmic_cli.figures.embedding import draw_embedding
from sgpmic_cli.figures.numbers_tried import draw_numbers_tried
from sgpmic_cli.figures.profile_heat_map import draw_profile
from sgpmic_cli.single_fit.choice import numbers_tried
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.settings import full_covariances


def draw_all(fitted: Fitted, folder: Path) -> None:
    """Draw convergence, embedding, profile and, where there was a choice, the numbers of clusters tried."""
    model, data = fitted.model, fitted.data
    if fitted.setting == "paper":
        accs = [each.acc for each in fitted.trace() if each.step == "E" and each.acc is not None]
        draw_convergence(folder / "convergence", model.lower_bounds_, accs or None)
    else:
        draw_convergence_by_round(folder / "convergence", model.lower_bounds_)
    draw_embedding(
        folder / "embedding",
        model.embedding_,
        model.labels_,
        means=model.means_,
        covariances=full_covariances(model),
        classes=data.labels,
        class_names=data.class_names,
    )
    draw_profile(folder / "profile", fitted.profile)
    if tried := numbers_tried(fitted):
        draw_numbers_tried(folder / "numbers-tried", tried, len(model.weights_))
