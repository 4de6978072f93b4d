"""The sentences of a result."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_results import made_result, verdicts

from sgpmic_cli.data import Rows, load
from sgpmic_cli.result.result import Refit
from sgpmic_cli.result.rules import Rule
from sgpmic_cli.result.words import (
    choice_in_words,
    explained,
    headline,
    how_sure,
    meaning_of,
    next_steps,
    number_to_compare,
    numbers_table,
    verdict_in_words,
    without_columns,
)

LABELS = np.repeat([0, 1, 2], 20)


FEW = "too few rows to say"


def answer(sizes, kinds, **fields):
    """Return the headline for clusters of these sizes, named a, b, ..."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    fields = {"Y": np.random.RandomState(0).randn(len(labels), 2), **fields}
    names = tuple("abcdef"[: len(kinds)])
    return headline(made_result(labels, verdicts=verdicts(*kinds), names=names, **fields))


@pytest.mark.parametrize(
    ("sizes", "kinds", "expected"),
    [
        ([214, 119], ["group"] * 2, "2 groups in the 333 rows: 214 rows (a) and 119 rows (b)."),
        (
            [1000, 20, 30],
            ["slice", "group", "slice"],
            "1 group in the 1,050 rows: 20 rows (b); the other 1,030 rows are cut into 2 slices.",
        ),
        (
            [40, 60],
            ["group", "slice"],
            "1 group in the 100 rows: 40 rows (a); the other 60 rows are one slice.",
        ),
        ([60], ["slice"], "No groups in the 60 rows: they are one continuum."),
        (
            [30, 20, 10],
            ["slice"] * 3,
            "No groups in the 60 rows: they are one continuum, cut into 3 slices (a; b; c).",
        ),
        (
            [12] * 5,
            ["slice"] * 5,
            "No groups in the 60 rows: they are one continuum, cut into 5 slices.",
        ),
        (
            [6, 6],
            [FEW] * 2,
            "2 clusters in the 12 rows (a; b), too few rows to say whether they are groups.",
        ),
        ([7, 0, 3], ["group", FEW, "group"], "2 groups in the 10 rows: 7 rows (a) and 3 rows (c)."),
    ],
)
def test_the_answer_names_the_groups_or_says_that_there_are_none(sizes, kinds, expected):
    assert answer(sizes, kinds) == expected


def test_slices_of_columns_with_few_values_are_no_continuum():
    text = answer([30, 30], ["slice"] * 2, Y=np.arange(120).reshape(60, 2) % 5)
    assert text.startswith("At least half of the columns have few values, and groups cannot be")
    assert text.endswith("few values: the 60 rows are cut into 2 slices (a; b).")


@pytest.mark.parametrize(
    ("each", "doubted"),
    [
        ([0.9, 0.8], ""),
        ([0.6, 0.94], " Do not rely on cluster 0 (overlap 60 %): random parts of the rows show"),
        ([0.4, 0.5], " Do not rely on them (overlap 45 %): random parts of the rows show others."),
    ],
)
def test_the_answer_doubts_clusters_that_do_not_come_back(each, doubted):
    fields = {"stability": np.array(each), "overlap": float(np.mean(each))}
    _, _, doubts = answer([20, 20], ["group"] * 2, **fields).partition("(b).")
    assert doubts.startswith(doubted)
    assert bool(doubts) == bool(doubted)


@pytest.mark.parametrize(
    ("again", "vanish"), [([0] * 40, True), ([0] * 20 + [1] * 20, False), ([0, 1] * 20, True)]
)
def test_the_answer_says_if_groups_vanish_without_a_column(again, vanish):
    values = np.c_[np.repeat([0.0, 9.0], 20), np.arange(40) % 7]
    refit = Refit(np.array(again), None)
    text = answer([20, 20], ["group"] * 2, Y=values, refit=refit)
    assert text.endswith(" Without 'a' they are not found.") == vanish


def test_clusters_that_nobody_judged_are_counted():
    assert headline(made_result(LABELS, names=("a", "b", "c"))) == "3 clusters, as given."


def test_verdicts_in_words():
    found = verdicts("group", "slice", FEW)
    assert [verdict_in_words(each) for each in found] == ["group", "slice", "too few rows"]
    assert [word for word in ("Group: ", "Slice: ", "Too few") if word in meaning_of(found)] == [
        "Group: ",
        "Slice: ",
        "Too few",
    ]
    assert "Group: " not in meaning_of(found[1:])


@pytest.mark.parametrize("kind", ["slice", "group"])
def test_columns_with_two_peaks_are_told_if_there_are_no_groups(kind):
    random = np.random.RandomState(0)
    column = np.r_[2.0 + 0.2 * random.randn(100), 4.5 + 0.4 * random.randn(200)]
    rows = Rows("t", np.c_[column, random.randn(300)], None, (), ("minutes", "other"))
    result = made_result(np.arange(300) % 2, rows=rows, verdicts=verdicts(kind, kind))
    sure = " ".join(how_sure(result))
    assert ("The column 'minutes' has two peaks, near 2" in sure) == (kind == "slice")
    assert "'other'" not in sure


def test_a_column_that_explains_the_clusters_is_named():
    one = Rule(0, "literacy=0", 1.0, 1.0, ("literacy",))
    other = Rule(1, "literacy=1", 1.0, 1.0, ("literacy", "school"))
    assert explained([one, other]) == (
        "A single column explains cluster 0 (literacy=0) and cluster 1 (literacy=1). "
        "So does 'school'."
    )
    assert explained([one]) == "A single column explains cluster 0 (literacy=0)."


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


def names(rows, labels):
    return made_result(labels, rows=rows).cluster_names


def test_clusters_are_named_by_conditions_on_columns_of_any_kind(tmp_path):
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
    assert names(data, LABELS) == ["day <= 2020-12-04", "flag=1", "mostly kind=new"]


@pytest.mark.parametrize(("astray", "last"), [(0, "the rest"), (8, "the rest"), (9, "cluster 2")])
def test_the_rest_is_a_name_if_few_other_rows_break_rules(tmp_path, astray, last):
    labels, kinds = np.repeat([0, 1, 2], [60, 60, 41]), np.array(["a", "b", "c", "d", "e", "f"])
    kind = np.where(labels < 2, kinds[labels], kinds[2 + np.arange(161) % 4])
    kind[120 : 120 + astray] = "a"
    pd.DataFrame({"kind": kind, "x": np.arange(161) * 7 % 5}).to_csv(tmp_path / "t.csv")
    assert names(load(str(tmp_path / "t.csv")), labels)[2] == last


@pytest.mark.parametrize(
    ("other", "left_out"),
    [
        (np.arange(60) % 7, ["wage", "logwage"]),  # logwage follows wage
        (np.r_[np.arange(57)[::-1], 60:63], []),  # explains the cluster and does not follow wage
    ],
)
def test_of_columns_that_explain_a_cluster_the_one_that_differs_most_is_named(other, left_out):
    wage = np.r_[np.linspace(60, 200, 57), 300, 310, 320]
    table = Rows.from_classes("t", np.c_[np.log(wage), wage, other], None, ["logwage", "wage", "x"])
    result = made_result(1 * (np.arange(60) > 56), rows=table)
    assert result.cluster_names[1] == "wage > 200"
    assert result.explaining_columns == left_out


def found(m, scores, **fields):
    """Return a result of m clusters, and the scores of the numbers that were tried."""
    tried = [
        {"n_clusters": m, "score": score, "reference": 0.5 * score} for m, score in scores.items()
    ]
    kinds = verdicts(*["slice"] * m)
    return made_result(np.arange(6) % m, **{"verdicts": kinds, **fields}, selection=tried)


@pytest.mark.parametrize(
    ("m", "scores", "words"),
    [
        (3, {2: 0.1, 3: 0.4, 4: 0.05}, "3 clusters, chosen among 2 to 4."),
        (3, {2: 0.39, 3: 0.4}, "among 2 and 3. Plausible as well: 2."),
        (3, {}, "3 clusters, as asked for."),
        (1, {1: 0.0, 2: 0.01}, "and 2 clusters do not. This does not prove"),
        (1, {1: 0.0, 2: 0.1, 3: 0.1}, "no number from 2 to 3 does"),
        (3, {2: 0.1, 3: 0.4, 4: 0.0, 5: 0.0}, "3 clusters, chosen among 2 and 3."),
        (1, {1: 0.0, 2: 0.0}, "few values share does not divide the rows"),
    ],
)
def test_the_choice_of_the_number(m, scores, words):
    assert words in choice_in_words(found(m, scores))


def test_the_number_of_groups_has_its_evidence():
    tried = [{"n_clusters": 3, "evidence": "found in two views", "agreement": 0.9}]
    result = made_result(LABELS, verdicts=verdicts(*["group"] * 3), selection=tried)
    assert choice_in_words(result) == "3 clusters, found in two views."
    assert number_to_compare(result) is None
    heading, [row] = numbers_table(result)
    _, rows = numbers_table(found(2, {2: 0.1, 3: 0.4, 4: 0.2, 5: 0.3}), 3)
    assert [row[0] for row in rows] == ["2", "3", "5"]
    assert heading == ["clusters", "evidence", "agreement", ""]
    assert row == ["3", "found in two views", "0.900", "chosen"]


def test_the_numbers_of_classes_and_of_given_clusters_are_not_asked_for():
    assert choice_in_words(found(2, {}, names=("a", "b"))) == "2 clusters, as given."
    rows = Rows.from_classes("t", np.zeros((6, 2)), list("abcabc"), ["a", "b"])
    classes = made_result(np.arange(6) % 3, rows=rows)
    assert choice_in_words(classes) == "3 clusters, the number of classes."


@pytest.mark.parametrize(
    ("m", "scores", "overlap", "other"),
    [
        (3, {1: 0.0, 2: 0.37, 3: 0.4, 5: 0.39}, None, 5),
        (3, {2: 0.37, 3: 0.4, 5: 0.39}, 0.4, 2),
        (3, {2: 0.1, 3: 0.4, 5: 0.2}, None, None),  # no other number is plausible
        (1, {1: 0.0, 2: 0.1, 3: 0.2}, None, None),  # neither is better than a cloud
        (3, {}, None, None),
    ],
)
def test_the_number_to_look_at_next(m, scores, overlap, other):
    assert number_to_compare(found(m, scores, overlap=overlap)) == other


def steps(result):
    return [
        " ".join(step) for step in next_steps(result, Path("out"), lambda **changed: str(changed))
    ]


def test_clusters_that_do_not_come_back_get_no_new_rows():
    [step] = steps(found(3, {2: 0.1, 3: 0.4}, overlap=0.9))
    assert "sgpmic predict out" in step
    [step] = steps(found(3, {2: 0.1, 3: 0.4}, overlap=0.4))
    assert "'clusters': 'NUMBER'" in step
    [step] = steps(found(3, {2: 0.39, 3: 0.4}, overlap=0.4))
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
