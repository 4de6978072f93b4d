"""The HTML report of one fit: the result in plain words first, the evidence after it."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sgpmic_cli._typing import PathLike, Table
from sgpmic_cli._version import __version__
from sgpmic_cli.clustering.page.row_map import SCRIPT, row_map
from sgpmic_cli.clustering.plots.one_fit import draw_all
from sgpmic_cli.clustering.result import interpretation
from sgpmic_cli.clustering.result.fitting import Fitted, fitted_of
from sgpmic_cli.clustering.result.settings import Model, fit_command
from sgpmic_cli.clustering.result.table_copy import TABLE
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


def fit_page(fitted: Fitted, figures: Path, out: Path | None, arguments: Mapping[str, Any]) -> str:
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
    """
    n, p = fitted.data.Y.shape
    sections = [
        Section("summary", "In short", [_summary(fitted, figures, out, arguments)]),
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


def write_report(model: Model, X: Table, path: PathLike) -> None:
    """Write a page about a fit: clusters, profiles, map, doubtful rows and settings.

    Parameters
    ----------
    model : SGPMIC or PaperSGPMIC
        A fitted model.
    X : array-like or DataFrame of shape (n_samples, n_features)
        The rows that the model was fitted to.
    path : str or path-like
        The HTML file to write. It needs no other file and no network.
    """
    path = Path(path)
    fitted = fitted_of(model, X, path.stem)
    with TemporaryDirectory() as folder:
        draw_all(fitted, Path(folder))
        page = fit_page(fitted, Path(folder), None, {})
    write_whole(path, page)


def _summary(fitted: Fitted, figures: Path, out: Path | None, arguments: Mapping[str, Any]) -> Html:
    """Return the box with the clusters, their stability, what was left out and what to do next."""
    choice = interpretation.choice_in_words(fitted)
    parts = [tag("p", tag("strong", choice), class_="headline")]
    if len(fitted.model.cluster_sizes_) > 1:
        parts += [_clusters(fitted), tag("h3", "How stable are they?")]
        parts.append(tag("p", interpretation.stability_in_words(fitted)))
    notes = [*fitted.warnings, *fitted.advice, *fitted.data.notes]
    shown = [note[:1].upper() + note[1:] for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        shown.append(f"{len(notes) - MOST_NOTES} more: see manifest.json.")
    if notes:
        parts += [tag("h3", "What should I know?"), items(shown)]
    if out is not None:
        parts.append(tag("h3", "What next?"))
        for words, command in _next_steps(fitted, out, arguments):
            parts += [tag("p", words), tag("pre", tag("code", command))]
        if len(fitted.model.cluster_sizes_) > 1 and (figures / TABLE).exists():
            parts.append(paragraph("further_files", table=TABLE))
    return tag("div", *parts, class_="notice")


def _clusters(fitted: Fitted) -> Html:
    """Return one sentence about each cluster."""
    profile, sizes = fitted.profile, fitted.model.cluster_sizes_
    stability = getattr(fitted.model, "stability_", None)
    found = []
    for m, (name, size) in enumerate(zip(profile.proposed_names(), sizes.tolist(), strict=True)):
        title = f"Cluster {m}" + f", “{name}”" * (name != f"cluster {m}")
        words = f"{size} row{'s' * (size != 1)} ({100 * size / sizes.sum():.0f} %)"
        if features := profile.in_words(m):
            words += f" with {_joined(features)}"
        if stability is not None and size:
            words += f". Stability {stability[m]:.2f}"
        swatch = tag("span", class_="swatch", style=f"background:{look(m)[0]}")
        found.append(tag("span", swatch, tag("strong", title), f": {words}."))
    return tag("div", items(found), paragraph("elsewhere"), class_="groups")


def _next_steps(
    fitted: Fitted, out: Path, arguments: Mapping[str, Any]
) -> Iterable[tuple[str, str]]:
    """Yield sentences with a command for each."""
    m, other = len(fitted.model.cluster_sizes_), interpretation.number_to_compare(fitted)
    if other is not None:
        words = f"Compare with {other} clusters:" if m > 1 else f"Ask for {other} clusters anyway:"
        yield words, fit_command(arguments, clusters=other, out=f"{out}-{other}")
    elif fitted.stability is not None and fitted.stability < interpretation.FAIR:
        words = "Random halves of the rows have other clusters. Let the number be chosen:"
        yield words, fit_command(arguments, clusters=None, out=f"{out}-auto")
    if m > 1:
        words = "Assign new rows; the file needs no preparation:"
        yield words, f"sgpmic predict {shlex.quote(str(out))} NEW.csv"
        yield "Use the model in Python:", f"model = sgpmic.load({str(out / 'model.npz')!r})"


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
    return row_map(fitted, static)


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
    run += [["columns scaled", fitted.scale], ["lower bound", f"{model.lower_bound_:.2f}"]]
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


def _joined(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
