"""The HTML page of a result: the answer in plain words first, the evidence after it."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sgpmic_cli import __version__
from sgpmic_cli.pages import Html, Section, document, fill, items, picture, table, templates
from sgpmic_cli.result import notable_rows, words
from sgpmic_cli.result.cards import cards
from sgpmic_cli.result.map_data import map_data
from sgpmic_cli.result.plots import MAP_PICTURE, draw_map
from sgpmic_cli.result.result import Result
from sgpmic_cli.result.tables import TABLE
from sgpmic_cli.text import shortened

PARTS = templates("sgpmic_cli.result", "page.html")
N_DOUBTFUL, N_UNUSUAL = 15, 15
MOST_NOTES = 8  # in the box at the top
MOST_PROFILE_ROWS = 30  # of the profiles: those that differ most
MOST_LISTED_COLUMNS = 100  # of the table that are listed
SHADES = 3  # of a profile, one for each standard deviation
SCRIPTS = ("map.js",)


def result_page(
    result: Result,
    picture_of_map: Path,
    arguments: Mapping[str, Any] | None = None,
    out: Path | None = None,
    command: Callable[..., str] = str,
) -> str:
    """Return the HTML page of a result.

    `arguments` are those of the fit. `out` is where the user finds the model and the tables, and
    `command` returns the command line of a fit with changed arguments.
    """
    n, p, several = len(result.rows.Y), result.n_columns, len(result.sizes) > 1
    sections = [
        Section("summary", "In short", [_summary(result, out, command)]),
        Section("clusters", "Clusters", [fill(PARTS["clusters"], cards=cards(result))]),
        Section("map", "Map", _map(result, picture_of_map)),
        *([Section("profiles", "Profiles", [_profiles(result)])] if several else []),
        Section("rows", "Doubtful and unusual rows", _rows(result)),
        Section("columns", "Columns", _columns(result)),
        Section("details", "Settings, numbers of clusters", _details(result, arguments or {})),
    ]
    lead = f"{n:,} rows, {p} column{'s' * (p > 1)}."
    return document(f"Clusters of {result.rows.name}", lead, sections, SCRIPTS)


def page_alone(result: Result) -> str:
    """Return the page of a result without a folder."""
    with TemporaryDirectory() as folder:
        draw_map(result, Path(folder))
        return result_page(result, Path(folder) / MAP_PICTURE)


def map_page(result: Result) -> str:
    """Return a page with the map only."""
    content = [Html('<div class="map"></div>'), _map_script(result)]
    return document("Map", "", [Section("map", "", content)], SCRIPTS, bare=True)


def _summary(result: Result, out: Path | None, command: Callable[..., str]) -> Html:
    """Return the box with the answer: clusters, how sure they are, what to do next, and notes."""
    steps: list[Html] = []
    if out is not None:
        for sentence, code in words.next_steps(result, out, command):
            steps.append(fill(PARTS["step"], words=sentence, code=code))
        if len(result.sizes) > 1:
            steps.append(fill(PARTS["files"], table=TABLE, model=out / "model.npz"))
    notes = [*result.warnings, *words.advice(result), *result.rows.notes]
    shown = [note[:1].upper() + note[1:] for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        shown.append(f"{len(notes) - MOST_NOTES} more: see manifest.json.")
    return fill(
        PARTS["summary"],
        headline=words.headline(result),
        how_sure=items(words.how_sure(result)),
        next=fill(PARTS["next"], steps=steps) if steps else "",
        notes=fill(PARTS["notes"], notes=items(shown)) if notes else "",
    )


def _map(result: Result, path: Path) -> list[Html]:
    """Return the picture of the map, and the data with which a script replaces it if Q > 1."""
    q = result.results.points.shape[1]
    caption = "Every point is a row; rows that are close are mostly similar."
    if q > 1:
        caption += " The shaded regions hold 50 and 90 % of a cluster."
    if q > 2:
        caption += f" The map shows the two main directions of {q}."
    static = picture(path, "Map of the rows", caption)
    return [static] if q == 1 else [fill(PARTS["map"], picture=static), _map_script(result)]


def _map_script(result: Result) -> Html:
    content = json.dumps(map_data(result), separators=(",", ":"))
    # The content of a script element must not close the element.
    return fill(PARTS["map-data"], content=Html(content.replace("<", "\\u003c")))


def _profiles(result: Result) -> Html:
    """Return the means of the features that differ most, shaded by their difference."""
    profile = result.profile
    names = [f"{m}: {name}" for m, name in enumerate(result.cluster_names)]
    names = [name.removesuffix(f": cluster {m}") for m, name in enumerate(names)]
    shades = np.nan_to_num(profile.differences).round().clip(-SHADES, SHADES).astype(int)
    order, columns = profile.by_difference, profile.columns
    first, counts = {columns[j]: j for j in reversed(order)}, Counter(columns)
    # The second of two categories follows from the first.
    told = [j for j in order if counts[columns[j]] != 2 or first[columns[j]] == j]
    rows = []
    for j in told[:MOST_PROFILE_ROWS]:
        cells = [
            fill('<span class="shade$shade">$mean</span>', shade=shade, mean=profile.shown(j, mean))
            for mean, shade in zip(profile.means[:, j], shades[:, j], strict=True)
        ]
        rows.append([profile.features[j], *cells])
    hidden = len(told) - len(rows)
    more = f" {hidden} features that differ less are in profile.csv." if hidden else ""
    caption = "Mean of each feature in each cluster"
    shown = table(["feature", *names], rows, caption=caption, class_="profile")
    return fill(PARTS["profiles"], table=shown, more=more)


def _rows(result: Result) -> list[Html]:
    n_doubtful, found = notable_rows.doubtful_rows(result, N_DOUBTFUL)
    doubtful = [[name, a, f"{p_a:.2f}", b, f"{p_b:.2f}"] for name, a, p_a, b, p_b in found]
    unusual = [
        [name, cluster, "; ".join(values)]
        for name, cluster, values in notable_rows.unusual_rows(result, N_UNUSUAL)
    ]
    parts = []
    if doubtful:
        heading = ["row", "cluster", "probability", "second cluster", "probability"]
        of = f", the first {len(doubtful)} of {n_doubtful:,}" * (n_doubtful > len(doubtful))
        caption = f"Rows with a probability below {notable_rows.DOUBTFUL} for their cluster{of}"
        shown = table(heading, doubtful, caption=caption)
        parts.append(fill(PARTS["doubtful"], table=shown))
    elif len(result.sizes) > 1:
        parts.append(fill(PARTS["none-doubtful"]))
    if not unusual:
        return [*parts, fill(PARTS["none-unusual"])]
    n = int(result.results.unusual.sum())
    caption = f"Unusual rows{f', the first {len(unusual)} of {n}' * (n > len(unusual))}"
    shown = table(["row", "cluster", "conspicuous values"], unusual, caption=caption)
    return [*parts, fill(PARTS["unusual"], table=shown)]


def _columns(result: Result) -> list[Html]:
    """Return what each column was taken for."""
    recipe = result.rows.recipe
    if recipe is None:
        return [fill(PARTS["all-numbers"], n=result.rows.Y.shape[1])]
    roles = sorted(recipe.roles, key=lambda role: role.taken_as != "left out")
    alike: dict[tuple[str, str], list[str]] = {}
    for role in roles[:MOST_LISTED_COLUMNS]:
        alike.setdefault((role.taken_as, shortened(role.why)), []).append(shortened(role.name))
    rows = [[taken_as, ", ".join(names), why] for (taken_as, why), names in alike.items()]
    heading = ["taken for", "columns", "values, or why"]
    parts = [table(heading, rows, caption="What each column was taken for")]
    if len(roles) > MOST_LISTED_COLUMNS:
        parts.append(fill(PARTS["more-columns"], n=len(roles) - MOST_LISTED_COLUMNS))
    return parts


def _details(result: Result, arguments: Mapping[str, Any]) -> list[Html]:
    """Return the settings, and at last the numbers of clusters that were tried."""
    facts = result.facts
    run = [["sgpmic", __version__]]
    run += [[name, value] for name, value in arguments.items() if value not in (None, ())]
    run += [[f"score: {name}", f"{value:.2f}"] for name, value in (result.scores or {}).items()]
    if facts:
        iterations = f"{facts['iterations']}, converged: {facts['converged']}"
        run += [["columns scaled", facts["scale"]], ["iterations of the map", iterations]]
        run += [["lower bound", f"{facts['lower_bound']:.2f}"]]
    parts = [table(["", ""], run, caption="The run")]
    if result.selection:
        heading, rows = words.numbers_table(result)
        parts.append(table(heading, rows, caption="The numbers tried"))
        if "evidence" not in result.selection[0]:
            compared = any(row["reference"] for row in words.numbers_scored(result))
            parts.append(fill(PARTS["numbers" if compared else "numbers-shared"]))
    return parts
