"""One card for each cluster: name, rows, verdict, rule, histograms and typical rows."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.figure_style import look
from sgpmic_cli.pages import Html, items, tag, text
from sgpmic_cli.result import answer, interpretation
from sgpmic_cli.result.fitting import Fitted
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.result.rules import best_rule, percent
from sgpmic_cli.text import shortened

N_TYPICAL = 3
CARD_BINS = 20
MOST_CATEGORIES = 4  # in a histogram, the most common ones
WIDTH, HEIGHT = 120, 40  # of a histogram, in its own units
TAILS = (0.005, 0.995)  # quantiles at the ends of a histogram, which also has the rows beyond
LONGEST_LABEL = 32  # characters of a category or of the name of a row


class _Described(NamedTuple):
    """Rows that a card describes, and their number in a profile."""

    title: str
    member: BoolArray
    profile: Profile
    number: int
    verdict: str
    kind: str  # class of the verdict in the style sheet
    colour: str
    what: str = "cluster"


def cards(fitted: Fitted) -> Html:
    """Return a card for each group that is no cluster, and for each cluster with rows."""
    return tag("div", *(_card(fitted, each) for each in _described(fitted)), class_="cards")


def _described(fitted: Fitted) -> Iterator[_Described]:
    for g, _, verdict, _ in interpretation.groups_in_words(fitted):
        title = f"Group {g}: {fitted.group_names[g]}"
        member, profile = fitted.groups == g, fitted.group_profile
        looks = "group", "var(--ink)", "group"
        yield _Described(title, np.asarray(member), profile, g + 1, verdict, *looks)
    labels = fitted.prediction.labels
    for m in np.unique(labels).tolist():
        name = fitted.cluster_names[m]
        title = str(m) if name == f"cluster {m}" else f"{m}: {name}"
        verdict = answer.verdict_in_words(fitted.verdicts[m]) if fitted.verdicts else ""
        kind = verdict.split()[0] if verdict else ""
        yield _Described(title, labels == m, fitted.profile, m, verdict, kind, look(m)[0])


def _card(fitted: Fitted, each: _Described) -> Html:
    profile, member, Y = each.profile, each.member, fitted.data.Y
    n = int(member.sum())
    facts = [tag("strong", f"{n:,} row{'s' * (n != 1)}"), f" ({percent(n / len(member))})"]
    if each.verdict:
        facts += [" ", tag("span", each.verdict, class_=f"verdict {each.kind}")]
    swatch = tag("span", class_="swatch", style=f"background:{each.colour}")
    parts = [tag("h3", swatch, each.title), tag("p", *facts)]
    if rule := best_rule(profile, Y, member, each.number):
        parts.append(
            tag("p", tag("code", rule.words), f": {rule.coverage(each.what)}", class_="rule")
        )
    told = profile.distinguishing(each.number)
    if told:
        parts.append(tag("p", f"{answer.enumeration(profile.in_words(each.number))}."))
        figures = [_histogram(profile, Y, member, j, each.colour) for j in told]
        parts.append(tag("div", *figures, class_="histograms"))
    else:
        parts.append(tag("p", "No single column sets it apart."))
    rows = interpretation.typical_rows(fitted, member, N_TYPICAL)
    parts += [tag("h4", "Typical rows"), items(_row(fitted, row, told) for row in rows)]
    return tag("article", *parts, class_="card")


def _row(fitted: Fitted, row: int, told: list[int]) -> str:
    """Return the name of a row and its values in the columns that set the cluster apart."""
    profile, values = fitted.profile, fitted.data.Y[row]
    columns = {profile.columns[j] for j in told}
    words = [
        f"{profile.features[j]}{profile.value(j, values[j])}"
        for j, column in enumerate(profile.columns)
        if column in columns and (values[j] == 1.0 or not profile.is_category[j])
    ]
    name = shortened(interpretation.row_name(fitted.data, row), LONGEST_LABEL)
    return f"{name}: {', '.join(words)}" if words else name


def _histogram(profile: Profile, Y: Array, member: BoolArray, j: int, colour: str) -> Html:
    """Return a figure of one column: the cluster in its colour, all other rows as an outline."""
    column = profile.columns[j]
    if profile.is_category[j]:
        features = [i for i, name in enumerate(profile.columns) if name == column]
        chart = _bars(profile, Y[:, features], member, features, colour)
    else:
        chart = _steps(profile, Y[:, j], member, j, colour)
    return tag("figure", tag("figcaption", shortened(column, LONGEST_LABEL)), chart)


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
    paths = []
    for height in heights:
        y = (HEIGHT * (1.0 - height / top)).round(1)
        paths.append(f"M0 {HEIGHT}" + "".join(f"V{v:g}h{step:g}" for v in y) + f"V{HEIGHT}")
    words = f"{profile.features[j]}, from {profile.shown(j, low)} to {profile.shown(j, high)}"
    svg = tag(
        "svg",
        tag("path", d=f"{paths[0]}z", style=f"fill:{colour}"),
        tag("path", d=paths[1], class_="rest"),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{words}: the cluster beside all other rows",
    )
    ends = [tag("span", profile.shown(j, end)) for end in (low, high)]
    return tag("div", svg, tag("div", *ends, class_="ends"))


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
        bar = tag("i", style=f"width:{100 * here[k]:.0f}%;background:{colour}")
        mark = tag("b", style=f"left:{100 * rest[k]:.0f}%")
        words = text(f"{percent(here[k])} ({percent(rest[k])})")
        lines.append(
            tag("li", tag("span", shortened(category, LONGEST_LABEL)), tag("div", bar, mark), words)
        )
    return tag("ul", *lines, class_="bars")
