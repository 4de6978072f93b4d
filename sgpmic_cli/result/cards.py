"""One card for each cluster: name, rows, verdict, rule, histograms and typical rows."""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.pages import Html, fill, items, templates
from sgpmic_cli.result import words
from sgpmic_cli.result.notable_rows import row_name, typical_rows
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.result.result import Result
from sgpmic_cli.result.rules import percent
from sgpmic_cli.style import look
from sgpmic_cli.text import shortened

PARTS = templates("sgpmic_cli.result", "page.html")
N_TYPICAL = 3
CARD_BINS = 20
MOST_CATEGORIES = 4  # in a histogram, the most common ones
WIDTH, HEIGHT = 120, 40  # of a histogram, as in the template
TAILS = (0.005, 0.995)  # quantiles at the ends of a histogram, which also has the rows beyond
NOTHING = "No single column sets it apart"
NO_RULE = Html("<p>No simple description.</p>")
LONGEST_LABEL = 32  # characters of a category or of the name of a row


def cards(result: Result) -> list[Html]:
    """Return a card for each cluster with rows."""
    profile, labels, found = result.profile, result.results.labels, []
    for m in np.unique(labels).tolist():
        title = f"{m}: {result.cluster_names[m]}".removesuffix(f": cluster {m}")
        verdict = words.verdict_in_words(result.verdicts[m]) if result.verdicts else ""
        rows = Described(profile, m, labels == m, look(m)[0])
        found.append(_card(result, rows, title, verdict))
    return found


class Described(NamedTuple):
    """Rows that a card describes, and their cluster in a profile."""

    profile: Profile
    number: int
    member: BoolArray  # (N,)
    colour: str


def _card(result: Result, rows: Described, title: str, verdict: str) -> Html:
    profile, number, member, colour = rows
    n, told = int(member.sum()), profile.distinguishing(number)
    rule = result.rules[number]
    figures = [_histogram(rows, result.rows.Y, j) for j in told]
    typical = [_row(result, row, told) for row in typical_rows(result, member, N_TYPICAL)]
    parts = {
        "verdict": verdict and fill(PARTS["verdict"], kind=verdict.split()[0], verdict=verdict),
        "rule": fill(PARTS["rule"], rule=rule.words, coverage=rule.coverage) if rule else NO_RULE,
        "histograms": figures and fill(PARTS["histograms"], figures=figures),
    }
    return fill(
        PARTS["card"],
        **{name: part or "" for name, part in parts.items()},
        colour=colour,
        title=title,
        rows=f"{n:,} row{'s' * (n != 1)}",
        share=percent(n / len(member)),
        words=words.enumeration(profile.in_words(number)) if told else NOTHING,
        typical=items(typical),
    )


def _row(result: Result, row: int, told: list[int]) -> str:
    """Return the name of a row and its values in the columns that set the cluster apart."""
    profile, values = result.profile, result.rows.Y[row]
    columns = {profile.columns[j] for j in told}
    found = [
        profile.cell(j, values[j])
        for j, column in enumerate(profile.columns)
        if column in columns
        and (values[j] == 1.0 or not profile.is_category[j])
        and np.isfinite(values[j])
    ]
    name = shortened(row_name(result.rows, row), LONGEST_LABEL)
    return f"{name}: {', '.join(found)}" if found else name


def _histogram(rows: Described, Y: Array, j: int) -> Html:
    """Return a figure of one column: the cluster in its colour, all other rows as an outline."""
    column = rows.profile.columns[j]
    chart = _bars(rows, column) if rows.profile.is_fraction[j] else _steps(rows, Y[:, j], j)
    return fill(PARTS["histogram"], column=shortened(column, LONGEST_LABEL), chart=chart)


def _steps(rows: Described, values: Array, j: int) -> Html:
    known = np.isfinite(values)
    low, high = np.quantile(values[known], TAILS)
    if low == high:
        low, high = values[known].min(), values[known].max()
    clipped, paths = np.clip(values, low, high), []
    counts = [
        np.histogram(clipped[known & part], CARD_BINS, (low, high))[0]
        for part in (rows.member, ~rows.member)
    ]
    heights = [count / max(count.sum(), 1) for count in counts]
    top = max(float(height.max()) for height in heights) or 1.0
    for height in heights:
        tops = (HEIGHT * (1.0 - height / top)).round(1)
        steps = "".join(f"V{y:g}h{WIDTH / CARD_BINS:g}" for y in tops)
        paths.append(f"M0 {HEIGHT}{steps}V{HEIGHT}")
    ends = {"low": rows.profile.shown(j, low), "high": rows.profile.shown(j, high)}
    drawn = {"here": f"{paths[0]}z", "rest": paths[1], "colour": rows.colour}
    return fill(PARTS["steps"], name=rows.profile.features[j], **drawn, **ends)


def _bars(rows: Described, column: str) -> Html:
    """Return a line for each of the most common categories: here, and elsewhere as a mark."""
    profile, number, lines = rows.profile, rows.number, []
    features = profile.features_of[column]
    here, rest = profile.means[number, features], profile.elsewhere[number, features]
    for k in np.argsort(-np.maximum(here, rest), kind="stable")[:MOST_CATEGORIES].tolist():
        line = fill(
            PARTS["bar"],
            colour=rows.colour,
            category=shortened(profile.category(features[k]), LONGEST_LABEL),
            here=f"{100 * here[k]:.0f}",
            rest=f"{100 * rest[k]:.0f}",
            words=f"{percent(here[k])} ({percent(rest[k])})",
        )
        lines.append(line)
    return fill('<ul class="bars">$lines</ul>', lines=lines)
