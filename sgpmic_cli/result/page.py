"""The HTML report of one fit: the result in plain words first, the evidence after it."""

import json
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from sgpmic_cli._typing import Indices, PathLike, Table
from sgpmic_cli._version import __version__
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.files import write_whole
from sgpmic_cli.pages import Html, Section, document, items, paragraph, picture, table, tag
from sgpmic_cli.result import interpretation
from sgpmic_cli.result.cards import cards
from sgpmic_cli.result.figures import draw_all
from sgpmic_cli.result.fitting import Fitted, fitted_of
from sgpmic_cli.result.map_data import map_data
from sgpmic_cli.result.result_tables import TABLE

N_DOUBTFUL, N_UNUSUAL = 15, 15
MOST_NOTES = 8  # in the box at the top
MOST_PROFILE_ROWS = 30  # of the profiles: those that differ most
MOST_LISTED_COLUMNS = 100  # of the table that are listed
SHADES = 3  # of a profile, one for each standard deviation
NO_CLUSTER = "no cluster"  # name of rows with one of these labels, or none
WITHOUT_CLUSTER = ("-1", "-1.0", "", "?")
SCRIPTS = ("map.js",)


def fit_page(
    fitted: Fitted,
    figures: Path,
    out: Path | None = None,
    arguments: Mapping[str, Any] = {},
    command: Callable[..., str] = str,
    texts: Mapping[str, Sequence[str]] = {},
) -> str:
    """Return the HTML page of a fit.

    `figures` has the PNG files. `out` is where the user finds the model and the tables, and
    `command` returns the command line of a fit with changed arguments. `texts` are columns of the
    table as texts, which the map searches.
    """
    n, p = len(fitted.data.Y), fitted.n_columns
    several = len(fitted.model.cluster_sizes_) > 1
    sections = [
        Section("summary", "In short", [_summary(fitted, out, command)]),
        Section("clusters", "Clusters", [cards(fitted), paragraph("cards")]),
        Section("map", "Map", _map(fitted, figures, texts)),
        *([Section("profiles", "Profiles", _profiles(fitted))] if several else []),
        Section("rows", "Doubtful and unusual rows", _rows(fitted)),
        Section("columns", "Columns", _columns(fitted)),
        Section("details", "Settings, numbers of clusters", _details(fitted, arguments)),
    ]
    lead = f"{n:,} rows, {p} column{'s' * (p > 1)}."
    return document(f"Clusters of {fitted.data.name}", lead, sections, SCRIPTS)


def write_report(model: LatentClusterer | Pipeline, X: Table, path: PathLike) -> None:
    """Write a page about a fit: clusters, profiles, map, doubtful rows and settings.

    Parameters
    ----------
    model : GroupMap, SGPMIC or Pipeline
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
    write_whole(path, whole_page(fitted, _frame_texts(fitted, X)))


class MapView(NamedTuple):
    """The map of a fit, which a notebook shows."""

    page: str

    def _repr_html_(self) -> str:
        """Return the page in a frame that can only run its own scripts."""
        options = 'sandbox="allow-scripts" width="100%" height="720" style="border:0"'
        return f'<iframe {options} srcdoc="{escape(self.page)}"></iframe>'


def show_map(model: LatentClusterer | Pipeline, X: Table) -> MapView:
    """Show the interactive map of a fit in a notebook.

    The parameters are those of `write_report`. The map is shown if it is the last value of a cell,
    and its attribute `page` is an HTML page that needs no other file.
    """
    fitted = fitted_of(model, X, "map")
    if fitted.model.embedding_.shape[1] == 1:
        raise UsageError("a map needs two latent dimensions, and the model has one.")
    content = [tag("div", class_="map"), _map_script(fitted, _frame_texts(fitted, X))]
    return MapView(document("Map", "", [Section("map", "", content)], SCRIPTS, bare=True))


def report(X: Table, labels: ArrayLike, path: PathLike | None = None) -> str:
    """Make the page of a fit for clusters that come from elsewhere: another method, a colleague.

    The clusters keep their names. The page has their verdicts, rules, profiles and a map, which is
    fitted to the rows with these clusters, which stay as they are. The groups of its first sentence
    are searched anew.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The rows that were clustered.
    labels : array-like of shape (n_samples,)
        Cluster of each row: numbers or names. -1 and missing values are rows without a cluster;
        they are shown as one cluster of that name.
    path : str or path-like, default=None
        The HTML file to write. None writes no file.

    Returns
    -------
    page : str
        The page. It needs no other file and no network.
    """
    codes, names = cluster_codes(np.asarray(labels).ravel())
    model = GroupMap(len(names), init=codes, n_resamples=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    fitted = fitted_of(model, X, "table" if path is None else Path(path).stem)
    page = whole_page(with_labels(fitted, codes, names), _frame_texts(fitted, X))
    if path is not None:
        write_whole(Path(path), page)
    return page


def cluster_codes(labels: ArrayLike) -> tuple[Indices, list[str]]:
    """Return the number of each row's cluster, and the names of the clusters in order."""
    given = pd.Series(labels)
    codes, names = pd.factorize(given.mask(given.astype(str).isin(WITHOUT_CLUSTER)), sort=True)
    if (codes < 0).any():
        return np.where(codes < 0, len(names), codes), [*map(str, names), NO_CLUSTER]
    return codes, [*map(str, names)]


def with_labels(fitted: Fitted, codes: Indices, names: Sequence[str]) -> Fitted:
    """Return a fit with `init=codes` (N,), in which every row has its given cluster.

    The model has assigned the rows beyond `max_rows`, perhaps to other clusters.
    """
    model, used = fitted.model, fitted.model.labels_ >= 0
    other = np.flatnonzero(used)[model.labels_[used] != codes[used]]
    model.responsibilities_[other] = np.eye(len(names))[codes[other]]
    model.labels_[other] = codes[other]
    model.cluster_sizes_ = np.bincount(codes[used], minlength=len(names))
    kept = replace(
        fitted.prediction, labels=codes[used], probabilities=model.responsibilities_[used]
    )
    return replace(fitted, prediction=kept, given_names=tuple(names))


def whole_page(fitted: Fitted, texts: Mapping[str, Sequence[str]]) -> str:
    """Return the page of a fit without a folder."""
    with TemporaryDirectory() as folder:
        draw_all(fitted, Path(folder))
        return fit_page(fitted, Path(folder), texts=texts)


def _frame_texts(fitted: Fitted, X: Table) -> dict[str, Sequence[str]]:
    """Return the columns of texts of a data frame, for the rows of the fit."""
    if not isinstance(X, pd.DataFrame):
        return {}
    assert fitted.data.row_numbers is not None
    rows = X.iloc[fitted.data.row_numbers - 1].select_dtypes(exclude=["number", "datetime"])
    return {str(name): rows[name].astype(str).tolist() for name in rows}


def _summary(fitted: Fitted, out: Path | None, command: Callable[..., str]) -> Html:
    """Return the box with the answer: clusters, how sure they are, notes and what to do next."""
    parts = [tag("p", tag("strong", interpretation.answer_headline(fitted)), class_="headline")]
    parts += [tag("h3", "How sure is this?"), items(interpretation.how_sure(fitted))]
    if out is not None:
        parts.append(tag("h3", "What next?"))
        for words, code in interpretation.next_steps(fitted, out, command):
            parts += [tag("p", words), tag("pre", tag("code", code))]
        if len(fitted.model.cluster_sizes_) > 1:
            parts.append(paragraph("further_files", table=TABLE, model=out / "model.npz"))
    notes = [*fitted.warnings, *fitted.advice, *fitted.data.notes]
    shown = [note[:1].upper() + note[1:] for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        shown.append(f"{len(notes) - MOST_NOTES} more: see manifest.json.")
    if notes:
        parts += [tag("h3", "What should I know?"), items(shown)]
    return tag("div", *parts, class_="notice")


def _profiles(fitted: Fitted) -> list[Html]:
    """Return the means of the features that differ most, shaded by their difference."""
    profile = fitted.profile
    heading = ["feature", *(f"{m}: {name}" for m, name in enumerate(fitted.cluster_names))]
    rows = []
    shades = np.nan_to_num(profile.differences).round().clip(-SHADES, SHADES).astype(int)
    order, columns = profile.by_difference, profile.columns
    first, counts = {columns[j]: j for j in reversed(order)}, Counter(columns)
    # The second of two categories follows from the first.
    told = [j for j in order if counts[columns[j]] != 2 or first[columns[j]] == j]
    for j in told[:MOST_PROFILE_ROWS]:
        cells = [
            tag("span", profile.shown(j, mean), class_=f"shade{shade}")
            for mean, shade in zip(profile.means[:, j], shades[:, j], strict=True)
        ]
        rows.append([profile.features[j], *cells])
    hidden = len(told) - len(rows)
    more = f" {hidden} features that differ less are in profile.csv." if hidden else ""
    caption = "Mean of each feature in each cluster"
    content = table(heading, rows, caption=caption, class_="profile")
    return [_side_by_side(content, paragraph("profile", more=more))]


def _map(fitted: Fitted, figures: Path, texts: Mapping[str, Sequence[str]]) -> list[Html]:
    """Return the picture of the map, and the data with which a script replaces it if Q > 1."""
    q = fitted.model.embedding_.shape[1]
    caption = "Every point is a row; rows that are close are mostly similar."
    if q > 1:
        caption += " The shaded regions hold 50 and 90 % of a cluster."
    if q > 2:
        caption += f" The map shows the two main directions of {q}."
    static = picture(figures / "embedding.png", "Map of the rows", caption)
    if q == 1:
        return [static]
    place = tag("div", tag("div", static, class_="picture"), class_="map")
    return [place, _map_script(fitted, texts)]


def _map_script(fitted: Fitted, texts: Mapping[str, Sequence[str]]) -> Html:
    content = json.dumps(map_data(fitted, texts), separators=(",", ":"))
    # The content of a script element must not close the element.
    return tag(
        "script", Html(content.replace("<", "\\u003c")), type="application/json", id="map-data"
    )


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
    heading = ["row", "cluster", "probability", "second cluster", "probability"]
    parts = []
    if doubtful:
        between = table(heading, doubtful, caption="Rows between two clusters")
        parts = [_side_by_side(between, paragraph("between"))]
    elif len(fitted.model.cluster_sizes_) > 1:
        parts = [paragraph("no_uncertain_row")]
    if unusual:
        n, shown = int(fitted.prediction.unusual.sum()), len(unusual)
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
    alike: dict[tuple[str, str], list[str]] = {}
    for role in roles[:MOST_LISTED_COLUMNS]:
        alike.setdefault((role.taken_as, role.why), []).append(role.name)
    rows = [[taken_as, ", ".join(names), why] for (taken_as, why), names in alike.items()]
    parts = [
        table(
            ["taken for", "columns", "values, or why"],
            rows,
            caption="What each column was taken for",
        )
    ]
    if len(roles) > MOST_LISTED_COLUMNS:
        parts.append(paragraph("more_columns", n=len(roles) - MOST_LISTED_COLUMNS))
    return parts


def _details(fitted: Fitted, arguments: Mapping[str, Any]) -> list[Html]:
    """Return the settings, and at last the numbers of clusters that were tried."""
    model = fitted.model
    run = [["sgpmic", __version__]]
    run += [[k, v] for k, v in arguments.items() if v is not None and not isinstance(v, dict)]
    run += [[f"score: {name}", f"{value:.2f}"] for name, value in (fitted.scores or {}).items()]
    run += [["columns scaled", model.scale], ["lower bound", f"{model.lower_bound_:.2f}"]]
    run += [["iterations of the map", f"{model.n_iter_}, converged: {model.converged_}"]]
    parts = [table(["", ""], run, caption="The run")]
    if interpretation.numbers_tried(fitted):
        heading, rows = interpretation.numbers_table(fitted)
        parts.append(table(heading, rows, caption="The numbers tried"))
        if any(row["reference"] for row in interpretation.numbers_scored(fitted)):
            parts += [paragraph("numbers_tried"), paragraph("score")]
        else:
            parts.append(paragraph("numbers_shared"))
    return parts


def _side_by_side(*parts: Html) -> Html:
    return tag("div", *parts, class_="side")
