"""The HTML report of one fit."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sgpmic_cli._version import __version__
from sgpmic_cli.data.intake.columns import TextColumn
from sgpmic_cli.figures.fit_plots import MOST_FEATURES
from sgpmic_cli.report.markup import Html, Section, document, items, paragraph, picture, table, tag
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.interpretation import (
    choice_in_words,
    doubtful_rows,
    numbers_tried,
    typical_rows,
)
from sgpmic_cli.single_fit.profile import readable

N_TYPICAL, N_DOUBTFUL = 5, 20


def fit_page(fitted: Fitted, figures: Path, out: Path | None, arguments: Mapping[str, Any]) -> str:
    """Return the HTML page of a fit.

    Parameters
    ----------
    fitted : Fitted
        The fitted model and its data.
    figures : Path
        Folder with the PNG files of the figures.
    out : Path or None
        Folder in which the user will find the model. None if there is none.
    arguments : Mapping
        Arguments of the command.
    """
    data = fitted.data
    new_rows = [] if out is None else [Section("predict", "New rows", _new_rows(out))]
    return document(
        f"Clusters of {data.name}",
        f"{data.Y.shape[0]} rows, {data.Y.shape[1]} features. {choice_in_words(fitted)}",
        [
            Section("clusters", "Number of clusters", _clusters(fitted, figures)),
            Section("profiles", "Distinguishing features", _profiles(fitted, figures)),
            Section("latent-space", "Latent space", [_latent_space(fitted, figures)]),
            Section("rows", "Typical and uncertain rows", _rows(fitted)),
            Section("data", "Input data", _data(fitted)),
            Section("convergence", "Convergence", [_convergence(fitted, figures)]),
            Section("settings", "Settings", _settings(fitted, arguments)),
            *new_rows,
        ],
    )


def _clusters(fitted: Fitted, figures: Path) -> list[Html]:
    """Return how the number was chosen, the warnings, the clusters and the numbers tried."""
    sizes, certainty = fitted.outcome.sizes, fitted.outcome.certainty
    clusters = [
        [f"cluster {m}", size, f"{100 * size / sizes.sum():.0f} %", f"{value:.2f}" if size else "–"]
        for m, (size, value) in enumerate(zip(sizes.tolist(), certainty.tolist(), strict=True))
    ]
    parts = [tag("p", tag("strong", choice_in_words(fitted)))]
    if notes := [*fitted.remarks, *fitted.advice]:
        parts.append(items(notes))
    parts += [
        table(["", "rows", "fraction", "certainty"], clusters, caption="The clusters"),
        paragraph("certainty"),
    ]
    if numbers_tried(fitted):
        parts += _numbers_tried(fitted, figures)
    return parts


def _numbers_tried(fitted: Fitted, figures: Path) -> list[Html]:
    tried = numbers_tried(fitted)
    names = [name for name in tried[0] if name != "n_clusters"]
    rows = [[row["n_clusters"], *(f"{row[name]:.3f}" for name in names)] for row in tried]
    return [
        picture(
            figures / "numbers-tried.png",
            "Silhouette against the number of clusters",
            "Silhouette of k-means for each number of clusters, compared with null reference "
            "data of the same covariance. A larger gap between the two supports the number.",
        ),
        table(["clusters", *names], rows, caption="The numbers tried"),
        paragraph("score"),
        *([paragraph("gap_drop")] if "gap_drop" in names else []),
    ]


def _profiles(fitted: Fitted, figures: Path) -> list[Html]:
    """Return the distinguishing features of each cluster and the heat map of all features."""
    profile = fitted.profile
    rows = [
        [f"cluster {m}", size, "; ".join(profile.in_words(m)) or "none"]
        for m, size in enumerate(profile.sizes.tolist())
    ]
    hidden = len(profile.features) - MOST_FEATURES
    more = f" {hidden} features that differ less are in profile.csv only." if hidden > 0 else ""
    heading = ["", "rows", "distinguishing features"]
    return [
        table(heading, rows, caption="Each cluster compared with all other rows"),
        paragraph("elsewhere"),
        picture(
            figures / "profile.png",
            "Features by cluster",
            "Mean of every feature in every cluster, in the units of the file; categories in "
            "percent. The colour shows the distance from the mean of all other rows in standard "
            "deviations." + more,
        ),
    ]


def _latent_space(fitted: Fitted, figures: Path) -> Html:
    q = fitted.model.embedding_.shape[1]
    caption = f"The rows in the latent space of {q} dimension{'s' * (q > 1)}."
    if q > 2:
        caption += " The figure shows the first two principal axes of the points."
    if q > 1:
        caption += " The shaded regions hold 50 and 90 % of the probability of a cluster."
    return picture(figures / "embedding.png", "Latent space", caption)


def _rows(fitted: Fitted) -> list[Html]:
    typical = [
        [f"cluster {m}", ", ".join(typical_rows(fitted, m, N_TYPICAL))]
        for m, size in enumerate(fitted.outcome.sizes.tolist())
        if size
    ]
    uncertain = [
        [name, first, f"{p_first:.2f}", second, f"{p_second:.2f}"]
        for name, first, p_first, second, p_second in doubtful_rows(fitted, N_DOUBTFUL)
    ]
    heading = ["row", "cluster", "probability", "second cluster", "probability"]
    return [
        table(["", "nearest to the centre"], typical, caption="The most typical rows"),
        table(heading, uncertain, caption="The least certain rows")
        if uncertain
        else paragraph("no_uncertain_row"),
    ]


def _data(fitted: Fitted) -> list[Html]:
    """Return the columns that were used and ignored, and the notes on them."""
    data, recipe = fitted.data, fitted.data.recipe
    size = f"{data.name}: {data.Y.shape[0]} rows, {data.Y.shape[1]} features."
    names = f" Column “{recipe.id}” names the rows." if recipe and recipe.id else ""
    parts = [tag("p", size + names)]
    if data.notes:
        parts.append(items(data.notes))
    if recipe is None:
        return parts
    used = []
    for column in recipe.columns:
        if isinstance(column, TextColumn):
            used.append([column.name, "text", ", ".join(column.categories)])
        else:
            median, spread = readable(column.median), readable(column.spread)
            values = f"median {median}, standard deviation {spread}"
            used.append([column.name, "numbers", values])
    parts.append(table(["column", "kind", "values"], used, caption="Columns used"))
    if recipe.left_out:
        ignored = list(recipe.left_out.items())
        parts.append(table(["column", "reason"], ignored, caption="Columns ignored"))
    return parts


def _convergence(fitted: Fitted, figures: Path) -> Html:
    model = fitted.model
    end = "converged" if model.converged_ else "stopped at the maximum number of iterations"
    time = "" if fitted.seconds is None else f", in {fitted.seconds:.1f} s"
    return picture(
        figures / "convergence.png",
        "Lower bound by iteration",
        f"Lower bound on the log likelihood. The fit {end} after {model.n_iter_} iterations{time}, "
        f"at {model.lower_bound_:.2f}.",
    )


def _settings(fitted: Fitted, arguments: Mapping[str, Any]) -> list[Html]:
    """Return the arguments of the command and the parameters of the estimator."""
    given = {name: value for name, value in arguments.items() if value is not None}
    run = [["sgpmic", __version__]]
    run += [[name, value] for name, value in given.items() if not isinstance(value, dict)]
    if fitted.scores is not None:
        run += [[f"score: {name}", f"{value:.2f}"] for name, value in fitted.scores.items()]
    run.append(["columns scaled", fitted.summary()["scale"]])
    parameters = [
        [name, value]
        for name, value in fitted.model.get_params().items()
        if name not in ("callback", "memory")
    ]
    estimator = f"The estimator, {type(fitted.model).__name__}"
    return [
        table(["", ""], run, caption="The run"),
        table(["parameter", "value"], parameters, caption=estimator),
    ]


def _new_rows(out: Path) -> list[Html]:
    """Return the command that assigns new rows, and the same in Python."""
    code = (
        "import sgpmic\n\n"
        f"model = sgpmic.load({str(out / 'model.npz')!r})\n"
        "model.predict(frame)  # a data frame with the columns of the file"
    )
    return [
        paragraph("new_rows"),
        tag("pre", tag("code", f"sgpmic predict {shlex.quote(str(out))} NEW.csv")),
        tag("p", "In Python:"),
        tag("pre", tag("code", code)),
    ]
