"""One card for each cluster: name, rows, verdict, rule, histograms and typical rows."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.pages import Html, fill, items, templates
from sgpmic_cli.result import words
from sgpmic_cli.result.notable_rows import row_name, typical_rows
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.result.result import Result
from sgpmic_cli.result.rules import best_rule, percent
from sgpmic_cli.style import look
from sgpmic_cli.text import shortened

PARTS = templates("sgpmic_cli.result", "page.html")
N_TYPICAL = 3
CARD_BINS = 20
MOST_CATEGORIES = 4  # in a histogram, the most common ones
WIDTH, HEIGHT = 120, 40  # of a histogram, as in the template
TAILS = (0.005, 0.995)  # quantiles at the ends of a histogram, which also has the rows beyond
LONGEST_LABEL = 32  # characters of a category or of the name of a row


class Described(NamedTuple):
    """Rows that a card describes, and their number in a profile."""

    title: str
    member: BoolArray
    profile: Profile
    number: int
    verdict: str
    colour: str
    what: str = "cluster"


def cards(result: Result) -> list[Html]:
    """Return a card for each group that is no cluster, and for each cluster with rows."""
    return [_card(result, each) for each in _described(result)]


def _described(result: Result) -> Iterator[Described]:
    for g in words.groups_beside_clusters(result):
        title, verdict = f"Group {g}: {result.group_names[g]}", words.verdict_of_group(result, g)
        member = result.in_group(g)
        yield Described(title, member, result.group_profile, g + 1, verdict, "var(--ink)", "group")
    labels = result.results.labels
    for m in np.unique(labels).tolist():
        name = result.cluster_names[m]
        title = str(m) if name == f"cluster {m}" else f"{m}: {name}"
        verdict = words.verdict_in_words(result.verdicts[m]) if result.verdicts else ""
        yield Described(title, labels == m, result.profile, m, verdict, look(m)[0])


def _card(result: Result, each: Described) -> Html:
    profile, member, Y = each.profile, each.member, result.rows.Y
    n, told, verdict, rule, charts = (
        int(member.sum()),
        profile.distinguishing(each.number),
        "",
        "",
        "",
    )
    if each.verdict:
        verdict = fill(PARTS["verdict"], kind=each.verdict.split()[0], verdict=each.verdict)
    if found := best_rule(profile, Y, member, each.number):
        rule = fill(PARTS["rule"], rule=found.words, coverage=found.coverage(each.what))
    sentence = "No single column sets it apart"
    if told:
        sentence = words.enumeration(profile.in_words(each.number))
        figures = [_histogram(profile, Y, member, j, each.colour) for j in told]
        charts = fill(PARTS["histograms"], figures=figures)
    typical = [_row(result, row, told) for row in typical_rows(result, member, N_TYPICAL)]
    return fill(
        PARTS["card"],
        colour=each.colour,
        title=each.title,
        rows=f"{n:,} row{'s' * (n != 1)}",
        share=percent(n / len(member)),
        verdict=verdict,
        rule=rule,
        words=sentence,
        histograms=charts,
        typical=items(typical),
    )


def _row(result: Result, row: int, told: list[int]) -> str:
    """Return the name of a row and its values in the columns that set the cluster apart."""
    profile, values = result.profile, result.rows.Y[row]
    columns = {profile.columns[j] for j in told}
    found = [
        f"{profile.features[j]}{profile.value(j, values[j])}"
        for j, column in enumerate(profile.columns)
        if column in columns and (values[j] == 1.0 or not profile.is_category[j])
    ]
    name = shortened(row_name(result.rows, row), LONGEST_LABEL)
    return f"{name}: {', '.join(found)}" if found else name


def _histogram(profile: Profile, Y: Array, member: BoolArray, j: int, colour: str) -> Html:
    """Return a figure of one column: the cluster in its colour, all other rows as an outline."""
    column = profile.columns[j]
    if profile.is_category[j]:
        features = [i for i, name in enumerate(profile.columns) if name == column]
        chart = _bars(profile, Y[:, features], member, features, colour)
    else:
        chart = _steps(profile, Y[:, j], member, j, colour)
    return fill(PARTS["histogram"], column=shortened(column, LONGEST_LABEL), chart=chart)


def _steps(profile: Profile, values: Array, member: BoolArray, j: int, colour: str) -> Html:
    known = np.isfinite(values)
    low, high = np.quantile(values[known], TAILS)
    if low == high:
        low, high = values[known].min(), values[known].max()
    clipped = np.clip(values, low, high)
    counts = [
        np.histogram(clipped[known & rows], CARD_BINS, (low, high))[0] for rows in (member, ~member)
    ]
    heights = [count / max(count.sum(), 1) for count in counts]
    top = max(float(height.max()) for height in heights) or 1.0
    step = WIDTH / CARD_BINS
    here, rest = (
        f"M0 {HEIGHT}" + "".join(f"V{y:g}h{step:g}" for y in line) + f"V{HEIGHT}"
        for line in ((HEIGHT * (1.0 - height / top)).round(1) for height in heights)
    )
    ends = profile.shown(j, low), profile.shown(j, high)
    return fill(
        PARTS["steps"],
        words=f"{profile.features[j]}, from {ends[0]} to {ends[1]}",
        here=f"{here}z",
        rest=rest,
        colour=colour,
        low=ends[0],
        high=ends[1],
    )


def _bars(
    profile: Profile, ones: Array, member: BoolArray, features: list[int], colour: str
) -> Html:
    """Return a line for each of the most common categories: here, and elsewhere as a mark."""
    ones = np.nan_to_num(ones)
    here, rest = ones[member].mean(axis=0), ones[~member].mean(axis=0)
    lines = []
    for k in np.argsort(-np.maximum(here, rest), kind="stable")[:MOST_CATEGORIES].tolist():
        j = features[k]
        category = profile.features[j].removeprefix(f"{profile.columns[j]}=")
        line = {
            "category": shortened(category, LONGEST_LABEL),
            "here": f"{100 * here[k]:.0f}",
            "rest": f"{100 * rest[k]:.0f}",
            "words": f"{percent(here[k])} ({percent(rest[k])})",
        }
        lines.append(fill(PARTS["bar"], colour=colour, **line))
    return fill('<ul class="bars">$lines</ul>', lines=lines)
