"""The HTML report of one fit: the result in plain words first, the evidence after it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from sgpmic_cli._typing import PathLike, Table
from sgpmic_cli._version import __version__
from sgpmic_cli.clustering import answer, interpretation
from sgpmic_cli.clustering.figures import draw_all
from sgpmic_cli.clustering.fitting import Fitted, fitted_of
from sgpmic_cli.clustering.plots import projection, shown_rows
from sgpmic_cli.clustering.result_tables import TABLE
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.figure_style import look
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.pages.markup import (
    Html,
    Section,
    document,
    items,
    paragraph,
    picture,
    table,
    tag,
    texts,
)

N_TYPICAL, N_DOUBTFUL, N_UNUSUAL = 5, 15, 15
MOST_NOTES = 8  # in the box at the top
MOST_FEATURES = 30  # of the profiles: those that differ most
MOST_COLUMNS = 40  # of the table that are listed
SHADES = 3  # of a profile, one for each standard deviation
SCRIPT = "map.js"  # draws the map from the rows in the page


def fit_page(
    fitted: Fitted,
    figures: Path,
    out: Path | None = None,
    arguments: Mapping[str, Any] = {},
    command: Callable[..., str] = str,
) -> str:
    """Return the HTML page of a fit.

    Parameters
    ----------
    fitted : Fitted
        The fitted model and its data.
    figures : Path
        Folder with the PNG files of the figures.
    out : Path or None
        Folder in which the user will find the model and the tables. None if there is none.
    arguments : Mapping
        Arguments of the command.
    command : callable
        Returns the command line of a fit with changed arguments. Used if there is a folder.
    """
    n, p = fitted.data.Y.shape
    sections = [
        Section("summary", "In short", [_summary(fitted, figures, out, command)]),
        Section("profiles", "Profiles", _profiles(fitted)),
        Section("map", "Map", _map(fitted, figures)),
        Section("rows", "Doubtful and unusual rows", _rows(fitted)),
        Section("columns", "Columns", _columns(fitted)),
        Section("details", "Number of clusters, settings", _details(fitted, figures, arguments)),
    ]
    if len(fitted.model.cluster_sizes_) == 1:
        del sections[1]  # nothing to compare
    lead = f"{n} rows, {p} feature{'s' * (p > 1)}."
    return document(f"Clusters of {fitted.data.name}", lead, sections, SCRIPT)


def write_report(model: LatentClusterer | Pipeline, X: Table, path: PathLike) -> None:
    """Write a page about a fit: clusters, profiles, map, doubtful rows and settings.

    Parameters
    ----------
    model : SGPMIC, PaperSGPMIC or Pipeline
        A fitted model, or a fitted pipeline that ends with one.
    X : array-like or DataFrame of shape (n_samples, n_features)
        The rows that the model or the pipeline was fitted to.
    path : str or path-like
        The HTML file to write. It needs no other file and no network.
    """
    path = Path(path)
    fitted = fitted_of(model, X, path.stem)
    found, points = fitted.prediction.embedding, fitted.model.embedding_
    known = points[fitted.model.labels_ >= 0]
    # The model gives training rows the latent points of the fit, up to rounding.
    if found.shape != known.shape or not np.allclose(found, known, atol=1e-6 * known.std()):
        raise UsageError(f"X must be the {len(points)} rows that the model was fitted to.")
    with TemporaryDirectory() as folder:
        draw_all(fitted, Path(folder))
        page = fit_page(fitted, Path(folder))
    write_whole(path, page)


def _summary(fitted: Fitted, figures: Path, out: Path | None, command: Callable[..., str]) -> Html:
    """Return the box with the answer: clusters, how sure they are, notes and what to do next."""
    parts = [tag("p", tag("strong", interpretation.headline(fitted)), class_="headline")]
    if len(fitted.model.cluster_sizes_) > 1:
        parts.append(_clusters(fitted))
    parts += [tag("h3", "How sure is this?"), items(interpretation.how_sure(fitted))]
    notes = [*fitted.warnings, *fitted.advice, *fitted.data.notes]
    shown = [note[:1].upper() + note[1:] for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        shown.append(f"{len(notes) - MOST_NOTES} more: see manifest.json.")
    if notes:
        parts += [tag("h3", "What should I know?"), items(shown)]
    if out is not None:
        parts.append(tag("h3", "What next?"))
        for words, code in interpretation.next_steps(fitted, out, command):
            parts += [tag("p", words), tag("pre", tag("code", code))]
        if len(fitted.model.cluster_sizes_) > 1:
            code = tag("code", f"model = sgpmic.load({str(out / 'model.npz')!r})")
            parts += [tag("p", "Use the model in Python:"), tag("pre", code)]
        if len(fitted.model.cluster_sizes_) > 1 and (figures / TABLE).exists():
            parts.append(paragraph("further_files", table=TABLE))
    return tag("div", *parts, class_="notice")


def _clusters(fitted: Fitted) -> Html:
    """Return one sentence about each cluster, after groups that are no cluster."""
    profile, sizes = fitted.profile, fitted.model.cluster_sizes_
    clusters = []
    for g, size, verdict, features in interpretation.groups_in_words(fitted):
        heading = tag("strong", f"Group {g}, “{fitted.group_names[g]}”")
        words = f" with {answer.listed(features)}" if features else ""
        clusters.append(tag("span", heading, f": {verdict}. {size} rows{words}."))
    for m, (name, size) in enumerate(zip(profile.proposed_names(), sizes.tolist(), strict=True)):
        title = f"Cluster {m}" + f", “{name}”" * (name != f"cluster {m}")
        words = f"{size} row{'s' * (size != 1)} ({100 * size / sizes.sum():.0f} %)"
        if features := profile.in_words(m):
            words += f" with {answer.listed(features)}"
        if fitted.verdicts and size:
            words = f"{answer.verdict_in_words(fitted.verdicts[m])}. {words}"
        swatch = tag("span", class_="swatch", style=f"background:{look(m)[0]}")
        clusters.append(tag("span", swatch, tag("strong", title), f": {words}."))
    return tag("div", items(clusters), paragraph("elsewhere"), class_="groups")


def _profiles(fitted: Fitted) -> list[Html]:
    """Return the means of the features that differ most, shaded by their difference."""
    profile = fitted.profile
    heading = ["feature", *(f"{m}: {name}" for m, name in enumerate(profile.proposed_names()))]
    rows = []
    shades = np.nan_to_num(profile.differences).round().clip(-SHADES, SHADES).astype(int)
    for j in profile.by_difference[:MOST_FEATURES]:
        cells = [
            tag("span", profile.shown(j, mean), class_=f"shade{shade}")
            for mean, shade in zip(profile.means[:, j], shades[:, j], strict=True)
        ]
        rows.append([profile.features[j], *cells])
    hidden = len(profile.features) - len(rows)
    more = f" {hidden} features that differ less are in profile.csv." if hidden else ""
    caption = "Mean of each feature in each cluster"
    content = table(heading, rows, caption=caption, class_="profile")
    return [_side_by_side(content, paragraph("profile", more=more))]


def _map(fitted: Fitted, figures: Path) -> list[Html]:
    q = fitted.model.embedding_.shape[1]
    caption = "Every point is a row; rows that are close are mostly similar."
    if q > 1:
        caption += " The shaded regions hold 50 and 90 % of a cluster."
    if q > 2:
        caption += f" The map shows the two main directions of {q}."
    static = picture(figures / "embedding.png", "Map of the rows", caption)
    return _interactive_map(fitted, static)


def _interactive_map(fitted: Fitted, picture: Html) -> list[Html]:
    """Return the picture of the map and the rows with which the script replaces it.

    One latent dimension has the picture only, a histogram.
    """
    if fitted.model.embedding_.shape[1] == 1:
        return [picture]
    # The content of a script element must not close the element.
    content = Html(json.dumps(_map_rows(fitted), separators=(",", ":")).replace("<", "\\u003c"))
    return [
        tag("div", tag("div", picture, class_="picture"), class_="map"),
        tag("script", content, type="application/json", id="map-rows"),
    ]


def _map_rows(fitted: Fitted) -> dict[str, object]:
    """Return the clusters and the rows, an evenly spaced subset if there are too many."""
    data, profile = fitted.data, fitted.profile
    rows = shown_rows(len(data.Y))
    shown = fitted.prediction.part(rows)
    labels = shown.labels
    middle, directions, _ = projection(fitted.prediction.embedding)
    points = (shown.embedding - middle) @ directions.T
    names, sizes = profile.proposed_names(), fitted.model.cluster_sizes_.tolist()
    differ = list(interpretation.differing_values(fitted, rows))
    features = sorted({j for values in differ for j, _ in values})
    position = {j: n for n, j in enumerate(features)}
    return {
        "table": data.name,
        "total": len(data.Y),
        "features": [profile.features[j] for j in features],
        "clusters": [
            {
                "name": names[m],
                "rows": size,
                "look": look(m),
                "centre": points[labels == m].mean(axis=0).round(4).tolist() if size else None,
                "means": [profile.shown(j, profile.means[m, j]) for j in features],
            }
            for m, size in enumerate(sizes)
        ],
        "classes": None
        if data.labels is None
        else [data.class_names[k] for k in data.labels[rows]],
        "names": [interpretation.row_name(data, row) for row in rows.tolist()],
        "cluster": labels.tolist(),
        "probability": shown.probabilities.max(axis=1).round(4).tolist(),
        "unusual": fitted.unusual[rows].astype(int).tolist(),
        "x": points[:, 0].round(4).tolist(),
        "y": points[:, 1].round(4).tolist(),
        # Numbers of features and values by turns; a category has no value besides its name.
        "differ": [
            [part for j, value in values for part in (position[j], profile.value(j, value))]
            for values in differ
        ],
    }


def _rows(fitted: Fitted) -> list[Html]:
    doubtful = [
        [name, first, f"{p_first:.2f}", second, f"{p_second:.2f}"]
        for name, first, p_first, second, p_second in interpretation.doubtful_rows(
            fitted, N_DOUBTFUL
        )
    ]
    unusual = [
        [name, cluster, "; ".join(words)]
        for name, cluster, words in interpretation.unusual_rows(fitted, N_UNUSUAL)
    ]
    typical = [
        [f"cluster {m}", "; ".join(interpretation.typical_rows(fitted, m, N_TYPICAL))]
        for m, size in enumerate(fitted.model.cluster_sizes_.tolist())
        if size
    ]
    heading = ["row", "cluster", "probability", "second cluster", "probability"]
    parts = [table(["", "rows"], typical, caption="The most typical rows")]
    if doubtful:
        between = table(heading, doubtful, caption="Rows between two clusters")
        parts.insert(0, tag("div", between, paragraph("between")))
    elif len(fitted.model.cluster_sizes_) > 1:
        parts.insert(0, paragraph("no_uncertain_row"))
    parts = [_side_by_side(*parts)]
    if unusual:
        n, shown = int(fitted.unusual.sum()), len(unusual)
        caption = f"Unusual rows{f', the first {shown} of {n}' * (n > shown)}"
        parts.append(table(["row", "cluster", "conspicuous values"], unusual, caption=caption))
        parts.append(paragraph("unusual"))
    else:
        parts.append(paragraph("no_unusual_row"))
    return parts


def _columns(fitted: Fitted) -> list[Html]:
    """Return what each column was taken for."""
    data, recipe = fitted.data, fitted.data.recipe
    if recipe is None:
        return [tag("p", f"All {data.Y.shape[1]} columns are numbers.")]
    roles = sorted(recipe.roles, key=lambda role: role.taken_as != "left out")
    rows = [[role.name, role.taken_as, role.why] for role in roles[:MOST_COLUMNS]]
    parts = [table(["column", "taken for", ""], rows, caption="What each column was taken for")]
    if len(roles) > len(rows):
        parts.append(paragraph("more_columns", n=len(roles) - len(rows)))
    return parts


def _details(fitted: Fitted, figures: Path, arguments: Mapping[str, Any]) -> list[Html]:
    """Return the numbers of clusters that were tried, and the settings."""
    model = fitted.model
    end = "converged" if model.converged_ else "stopped at the maximum number of iterations"
    run = [["sgpmic", __version__]]
    run += [[k, v] for k, v in arguments.items() if v is not None and not isinstance(v, dict)]
    run += [[f"score: {name}", f"{value:.2f}"] for name, value in (fitted.scores or {}).items()]
    run += [["columns scaled", model.scale], ["lower bound", f"{model.lower_bound_:.2f}"]]
    parameters = [
        [name, value]
        for name, value in model.get_params().items()
        if name not in ("callback", "memory")
    ]
    return [
        *(_numbers_tried(fitted, figures) if interpretation.numbers_tried(fitted) else []),
        tag("p", f"The fit of the map {end} after {model.n_iter_} iterations."),
        _side_by_side(
            table(["", ""], run, caption="The run"),
            table(["parameter", "value"], parameters, caption=f"Estimator {type(model).__name__}"),
        ),
    ]


def _numbers_tried(fitted: Fitted, figures: Path) -> list[Html]:
    caption = texts()["paragraphs"]["numbers_tried"]
    title = "Silhouette against the number of clusters"
    return [
        _side_by_side(
            picture(figures / "numbers-tried.png", title, caption),
            table(*interpretation.numbers_table(fitted), caption="The numbers tried"),
        ),
        paragraph("score"),
    ]


def _side_by_side(*parts: Html) -> Html:
    return tag("div", *parts, class_="side")
