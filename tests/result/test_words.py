"""The sentences of a result."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_results import made_result, verdicts

from sgpmic_cli.data import Rows, load
from sgpmic_cli.result.result import Refit
from sgpmic_cli.result.rules import Condition
from sgpmic_cli.result.words import (
    choice_in_words,
    explained,
    headline,
    meaning_of,
    next_steps,
    number_to_compare,
    stability_in_words,
    verdict_in_words,
    without_columns,
)

LABELS = np.repeat([0, 1, 2], 20)


def answer(groups, labels, kinds):
    """Return the headline for groups named p, q, ... and clusters named a, b, ..."""
    names = tuple("abcdef"[: len(kinds)])
    result = made_result(labels, verdicts=verdicts(*kinds), groups=groups, names=names)
    vars(result)["group_names"] = list("pqr"[: groups.max() + 1])
    return headline(result)


FEW = "too few rows to say"


@pytest.mark.parametrize(
    ("kinds", "rest"),
    [
        (["slice"] * 3, "the other 60 rows are one continuum, cut into 3 slices."),
        (["slice"], "the other 60 rows are one continuum."),
        (["group"] * 2, "in the other 60 rows, valleys separate clusters, but not again in refits"),
        (["group"], "the other 60 rows are one cluster."),
        ([FEW] * 3, "the other 60 rows are 3 clusters, too few rows to say whether they are"),
        ([FEW, "slice"], "are 2 clusters, too few rows to say whether they are groups or slices."),
        ([FEW], "the other 60 rows are one cluster, too few rows to say whether it is a group."),
    ],
)
def test_the_rows_beside_a_group_are_what_their_verdicts_say(kinds, rest):
    groups, labels = np.repeat([0, -1], [40, 60]), np.r_[np.zeros(40, int), np.arange(60)]
    labels[40:] = 1 + labels[40:] % len(kinds)
    text = answer(groups, labels, ["group", *kinds])
    assert text.startswith("40 rows (p) are a group; ")
    assert rest in text


def test_several_groups_without_a_rest():
    groups = np.repeat([0, 1], [214, 119])
    assert answer(groups, groups, ["group"] * 2) == "2 groups: 214 rows (p) and 119 rows (q)."
    labels = np.r_[np.arange(214) % 2, np.full(119, 2)]
    text = answer(groups, labels, ["slice", "slice", "group"])
    assert text == "2 groups: 214 rows (p, in 2 clusters) and 119 rows (q)."


def test_rows_around_a_group_within_its_cluster_are_outside():
    text = answer(np.repeat([0, -1], [40, 10]), np.zeros(50, int), ["group"])
    assert text == "40 rows (p) are a group; the other 10 rows are outside."


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["slice"], "No group stands out in the 60 rows."),
        (
            ["slice"] * 3,
            "No group stands out in the 60 rows: they are cut into 3 slices (a; b; c).",
        ),
        (["slice"] * 5, "No group stands out in the 60 rows: they are cut into 5 slices."),
        (
            ["group", "slice", FEW, FEW],
            "4 clusters in the 60 rows: 1 cluster (a) is separated by a valley; 1 cluster (b) is a "
            "slice of a continuum; 2 clusters (c; d) have too few rows to say whether they are "
            "groups.",
        ),
        (
            [FEW] * 2,
            "2 clusters in the 60 rows (a; b), too few rows to say whether they are groups.",
        ),
        (
            ["group", "slice", "slice"],
            "No group is certain in the 60 rows: 1 cluster (a) is separated by a valley, but not "
            "again in refits; 2 clusters (b; c) are slices of a continuum.",
        ),
    ],
)
def test_no_group(kinds, expected):
    assert answer(np.full(60, -1), np.arange(60) % len(kinds), kinds) == expected


def names(rows, groups):
    return made_result(np.zeros(len(groups), int), rows=rows, groups=groups).group_names


def test_a_group_without_a_name_has_its_own_number():
    rows = Rows("three", np.repeat([[0.0], [5.0], [9.0]], 20, axis=0), None, (), ("a",))
    assert names(rows, LABELS)[1] == "group 1"


def test_verdicts_in_words():
    found = [
        {"verdict": "group", "depth": 0.123, "neighbour": 1},
        {"verdict": "slice", "depth": 0.999, "neighbour": 0},
        {"verdict": FEW, "depth": None, "neighbour": None},
    ]
    shown = ["group (valley 88 %)", "slice", "too few rows"]
    assert [verdict_in_words(each) for each in found] == shown
    meaning = meaning_of(found)
    assert "Group: " in meaning
    assert "The percentage says " in meaning
    assert "The percentage says " not in meaning_of(found[1:])
    assert "Group: " not in meaning_of(found[1:])


def test_a_column_that_explains_the_clusters_is_named():
    one = Condition(0, "literacy", "literacy=0", 1.0)
    assert explained([one, one._replace(cluster=1, words="literacy=1")], 2) == (
        "The column 'literacy' alone explains the clusters: cluster 0 is literacy=0 and cluster "
        "1 is literacy=1."
    )
    assert explained([one], 4) == "A single column explains cluster 0 (literacy=0)."


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        (LABELS * 0, "Without 'a' and 'b', no clusters are found."),
        (2 - LABELS, "Without 'a' and 'b', the same clusters are found: other columns show them"),
        (np.arange(60) % 2, "none of the clusters is found again, but 2 others."),
        (np.minimum(LABELS, 1), "cluster 0 is found again; clusters 1 and 2 are not."),
    ],
)
def test_clusters_that_a_fit_without_columns_finds_again(again, expected):
    assert expected in without_columns(["a", "b"], LABELS, again)


def test_groups_are_named_by_conditions_on_columns_of_any_kind(tmp_path):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.where(LABELS == 0, 0, 700), "D")
    days += pd.to_timedelta(np.arange(60) * 7 % 20, "D")
    frame = pd.DataFrame(
        {
            "day": days.astype(str),
            "flag": (LABELS == 1).astype(int),
            "kind": np.where(LABELS == 2, "new", np.where(np.arange(60) % 2, "old", "older")),
            "x": np.random.RandomState(0).randn(60),
        }
    )
    frame.loc[59, "kind"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = load(str(tmp_path / "t.csv"))
    assert names(data, LABELS) == ["day <= 2020-12-04", "flag=1", "kind=new"]
    values = np.random.RandomState(0).randn(60, 3) + 2.0 * (LABELS == 1)[:, None]
    table = Rows.from_classes("t", values, None, ["a", "b", "c"])
    assert names(table, (LABELS == 1) - 1)[0].startswith("high ")


def test_of_columns_that_explain_a_group_the_one_that_differs_most_is_named():
    wage = np.r_[np.linspace(60, 200, 57), 300, 310, 320]
    table = Rows.from_classes("t", np.c_[np.log(wage), wage], None, ["logwage", "wage"])
    assert names(table, (np.arange(60) > 56) - 1) == ["wage > 200"]


def tried(scores, plausible=()):
    return [
        {"n_clusters": m, "score": score, "plausible": m in plausible, "reference": 0.5 * score}
        for m, score in scores.items()
    ]


def found(m, scores, plausible=(), **fields):
    """Return a result of m clusters, and the scores of the numbers that were tried."""
    return made_result(
        np.arange(6) % m, groups=-np.ones(6, int), **fields, selection=tried(scores, plausible)
    )


@pytest.mark.parametrize(
    ("m", "scores", "plausible", "words"),
    [
        (3, {2: 0.1, 3: 0.4, 4: 0.05}, (), "3 clusters, chosen among 2 to 4."),
        (3, {2: 0.3, 3: 0.4}, (2, 3), "among 2 and 3. Plausible as well: 2."),
        (3, {}, (), "3 clusters, as asked for."),
        (1, {1: 0.0, 2: 0.01}, (), "and 2 clusters do not. This does not prove"),
        (1, {1: 0.0, 2: 0.1, 3: 0.1}, (), "no number from 2 to 3 does"),
        (3, {2: 0.1, 3: 0.4, 4: 0.0, 5: 0.0}, (), "3 clusters, chosen among 2 and 3."),
        (1, {1: 0.0, 2: 0.0}, (), "few values share does not divide the rows"),
    ],
)
def test_the_choice_of_the_number(m, scores, plausible, words):
    assert words in choice_in_words(found(m, scores, plausible))


def test_the_numbers_of_classes_and_of_given_clusters_are_not_asked_for():
    assert choice_in_words(found(2, {}, names=("a", "b"))) == "2 clusters, as given."
    rows = Rows.from_classes("t", np.zeros((6, 2)), list("abcabc"), ["a", "b"])
    classes = made_result(np.arange(6) % 3, rows=rows)
    assert choice_in_words(classes) == "3 clusters, the number of classes."


@pytest.mark.parametrize(
    ("m", "scores", "plausible", "overlap", "other"),
    [
        (3, {1: 0.9, 2: 0.1, 3: 0.4, 5: 0.2}, (2, 3, 5), None, 5),
        (3, {2: 0.1, 3: 0.4, 5: 0.2}, (2, 3, 5), 0.4, 2),
        (3, {2: 0.1, 3: 0.4, 5: 0.2}, (), None, None),  # no other number is plausible
        (1, {1: 0.0, 2: 0.1, 3: 0.2}, (), None, None),
        (3, {}, (), None, None),
    ],
)
def test_the_number_to_look_at_next(m, scores, plausible, overlap, other):
    assert number_to_compare(found(m, scores, plausible, overlap=overlap)) == other


def steps(result):
    return [
        " ".join(step) for step in next_steps(result, Path("out"), lambda **changed: str(changed))
    ]


def test_clusters_that_do_not_come_back_get_no_new_rows():
    [step] = steps(found(3, {2: 0.1, 3: 0.4}, overlap=0.9))
    assert "sgpmic predict out" in step
    [step] = steps(found(3, {2: 0.1, 3: 0.4}, overlap=0.4))
    assert "'clusters': 'NUMBER'" in step
    [step] = steps(found(3, {2: 0.1, 3: 0.4}, (2, 3), overlap=0.4))
    assert "'clusters': 2" in step


@pytest.mark.parametrize(
    ("again", "overlap", "offered"),
    [
        ([0, 1, 0, 1], 0.8, True),
        ([0, 1, 0, 1], 0.6, False),  # others, which do not come back
        ([0, 0, 1, 1], 0.8, False),  # the same
        ([0, 0, 0, 0], None, False),
    ],
)
def test_columns_are_dropped_if_others_show_clusters_that_come_back(
    again, overlap, offered, tmp_path
):
    frame = pd.DataFrame({"a": [0.0, 0.1, 5.0, 5.1], "b": [1.0, 2.5, 2.0, 1.5]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    refit = Refit(np.array(again), overlap)
    result = made_result([0, 0, 1, 1], rows=load(str(tmp_path / "t.csv")), refit=refit)
    assert ("'drop': ('a',)" in steps(result)[0]) == offered


@pytest.mark.parametrize(
    ("each", "kind", "words"),
    [
        ([0.9, 0.95], "group", "the clusters come back with an overlap of 92 %."),
        ([0.9, 0.95], "slice", "an overlap of 92 %; that does not make slices groups."),
        ([0.6, 0.94], "group", "come back with an overlap of 77 %, except for cluster 0 (60 %)."),
        ([0.4, 0.5], "group", "come back with an overlap of only 45 %: do not rely on them."),
        (None, "group", "was not measured"),
    ],
)
def test_stability_is_never_called_so_alone(each, kind, words):
    stability = None if each is None else np.array(each)
    overlap = None if each is None else float(np.mean(each))
    result = made_result(
        [0, 1], stability=stability, overlap=overlap, verdicts=verdicts(kind, kind)
    )
    assert words in stability_in_words(result)
    assert "stable" not in stability_in_words(result)
