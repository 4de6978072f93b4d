"""All figures of one fit."""

from collections.abc import Callable
from pathlib import Path

from sgpmic_cli.figures.one_fit.convergence import draw_convergence, draw_convergence_by_round
from sgpmic_cli.figures.one_fit.embedding import draw_embedding
from sgpmic_cli.figures.one_fit.numbers_tried import draw_numbers_tried
from sgpmic_cli.figures.one_fit.profile_heat_map import draw_profile
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.interpretation import numbers_tried
from sgpmic_cli.single_fit.settings import full_covariances


def draw_all(fitted: Fitted, folder: Path) -> list[str]:
    """Draw what there is to see of a fit; a sentence for each figure that could not be drawn: none is worth a fit."""
    undrawn = []
    for name, draw in pictures(fitted).items():
        try:
            draw(folder / name)
        except Exception as error:
            for kind in ("png", "pdf"):
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
            undrawn.append(
                f"the figure {name} could not be drawn ({type(error).__name__}: {error})."
            )
    return undrawn


def pictures(fitted: Fitted) -> dict[str, Callable[[Path], object]]:
    """What draws each: convergence, embedding, profile and, where there was a choice, the numbers of clusters tried."""
    model, data = fitted.model, fitted.data

    def convergence(stem: Path) -> None:
        if fitted.setting == "paper":
            accs = [
                each.acc for each in fitted.trace() if each.step == "E" and each.acc is not None
            ]
            draw_convergence(stem, model.lower_bounds_, accs or None)
        else:
            draw_convergence_by_round(stem, model.lower_bounds_)

    def embedding(stem: Path) -> None:
        draw_embedding(
            stem,
            model.embedding_,
            model.labels_,
            means=model.means_,
            covariances=full_covariances(model),
            classes=data.labels,
            class_names=data.class_names,
        )

    found: dict[str, Callable[[Path], object]] = {
        "convergence": convergence,
        "embedding": embedding,
        "profile": lambda stem: draw_profile(stem, fitted.profile),
    }
    if tried := numbers_tried(fitted):
        found["numbers-tried"] = lambda stem: draw_numbers_tried(stem, tried, len(model.weights_))
    return found
