from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import Rows
from sgpmic_cli.estimator_base.prediction import Located, RowResults
from sgpmic_cli.result.interpretation import (
    choice_in_words,
    doubtful_rows,
    next_steps,
    number_to_compare,
    stability_in_words,
    typical_rows,
)
from sgpmic_cli.tables.recipe import ColumnRole


def fitted(m, scores, no_clusters=False, plausible=(), stability=None):
    selection = [
        {"n_clusters": number, "score": value, "plausible": number in plausible}
        | {"reference": 0.5 * value}
        for number, value in scores.items()
    ]
    model = SimpleNamespace(
        n_clusters_=m,
        selection_=pd.DataFrame(selection) if selection else None,
        no_clusters_=no_clusters,
        overlapping_pairs_=[],
    )
    model.cluster_sizes_ = np.ones(m)
    data = SimpleNamespace(n_classes=0, ids=None, recipe=None, Y=np.empty((0, 0)))
    return SimpleNamespace(
        model=model,
        method="group-map",
        data=data,
        stability=stability,
        columns_to_drop=[],
        given_names=(),
    )


@pytest.mark.parametrize(
    ("m", "scores", "more", "words"),
    [
        (3, {2: 0.1, 3: 0.4, 4: 0.05}, {}, "3 clusters, chosen among 2 to 4."),
        (3, {2: 0.3, 3: 0.4}, {"plausible": (2, 3)}, "among 2 and 3. Plausible as well: 2."),
        (3, {}, {}, "3 clusters, as asked for."),
        (1, {1: 0.0, 2: 0.01}, {"no_clusters": True}, "and 2 clusters do not. This does not prove"),
        (1, {1: 0.0, 2: 0.1, 3: 0.1}, {"no_clusters": True}, "no number from 2 to 3 does"),
        (3, {2: 0.1, 3: 0.4, 4: 0.0, 5: 0.0}, {}, "3 clusters, chosen among 2 and 3."),
        (1, {1: 0.0, 2: 0.0}, {"no_clusters": True}, "few values share does not divide the rows"),
    ],
)
def test_the_choice_of_the_number(m, scores, more, words):
    assert words in choice_in_words(fitted(m, scores, **more))


def test_the_numbers_of_classes_and_of_given_clusters_are_not_asked_for():
    found = fitted(2, {})
    found.given_names = ("a", "b")
    assert choice_in_words(found) == "2 clusters, as given."
    found = fitted(3, {})
    found.method, found.data.n_classes = "sgp-mic", 3
    assert choice_in_words(found) == "3 clusters, the number of classes."


@pytest.mark.parametrize(
    ("m", "scores", "more", "other"),
    [
        (3, {1: 0.9, 2: 0.1, 3: 0.4, 5: 0.2}, {"plausible": (2, 3, 5)}, 5),
        (3, {2: 0.1, 3: 0.4, 5: 0.2}, {"plausible": (2, 3, 5), "stability": 0.4}, 2),
        (3, {2: 0.1, 3: 0.4, 5: 0.2}, {}, None),  # no other number is plausible
        (1, {1: 0.0, 2: 0.1, 3: 0.2}, {"no_clusters": True}, None),
        (3, {}, {}, None),
    ],
)
def test_the_number_to_look_at_next(m, scores, more, other):
    assert number_to_compare(fitted(m, scores, **more)) == other


def steps(found):
    return [
        " ".join(step) for step in next_steps(found, Path("out"), lambda **changed: str(changed))
    ]


def test_clusters_that_do_not_come_back_get_no_new_rows():
    [step] = steps(fitted(3, {2: 0.1, 3: 0.4}, stability=0.9))
    assert "sgpmic predict out" in step
    [step] = steps(fitted(3, {2: 0.1, 3: 0.4}, stability=0.4))
    assert "'clusters': 'NUMBER'" in step
    [step] = steps(fitted(3, {2: 0.1, 3: 0.4}, plausible=(2, 3), stability=0.4))
    assert "'clusters': 2" in step


@pytest.mark.parametrize(
    ("again", "stability", "offered"),
    [
        ([0, 1, 0, 1], [0.8, 0.8], True),
        ([0, 1, 0, 1], [0.6, 0.6], False),  # others, which do not come back
        ([0, 0, 1, 1], [0.8, 0.8], False),  # the same
        ([0, 0, 0, 0], None, False),
    ],
)
def test_columns_are_dropped_if_others_show_clusters_that_come_back(again, stability, offered):
    found = fitted(2, {}, stability=0.9)
    found.prediction = SimpleNamespace(labels=np.array([0, 0, 1, 1]))
    found.columns_to_drop = ["a"]
    found.without = SimpleNamespace(
        labels_=np.array(again),
        n_clusters_=max(again) + 1,
        stability_=stability,
        weights_=np.array([0.5, 0.5]),
    )
    assert ("'drop': ('a',)" in steps(found)[0]) == offered


def test_a_column_of_many_texts_names_rows_without_a_name():
    found = fitted(3, {}, stability=0.9)
    why = "it has 142 different values, too many to be categories"
    roles = [ColumnRole("empty", "left out", "it is empty"), ColumnRole("who", "left out", why)]
    found.data.recipe = SimpleNamespace(roles=roles)
    assert "'name': 'who'" in steps(found)[-1]
    found.data.ids = ("a", "b")
    assert "'name'" not in steps(found)[-1]


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
    model = SimpleNamespace(
        stability_=None if each is None else np.array(each),
        get_params=lambda: {"n_resamples": 8},
        cluster_sizes_=np.array([5, 5]),
    )
    found = SimpleNamespace(
        model=model,
        stability=None if each is None else np.mean(each),
        verdicts=[{"verdict": kind, "depth": 0.5}] * 2,
    )
    assert words in stability_in_words(found)
    assert "stable" not in stability_in_words(found)


def test_typical_and_doubtful_rows():
    X = np.zeros((4, 2))
    S = np.array([[1.0, 0.0], [0.6, 0.4], [0.995, 0.005], [0.3, 0.7]])
    data = Rows.from_classes("t", X, None, ["a", "b"], ids=tuple("pqrs"))
    log_density = np.array([-2.0, -3.0, -1.0, 0.0])
    prediction = RowResults.of(Located(X, X, S, log_density), unusual_below=-9.0)
    profile = SimpleNamespace(is_category=np.array([False, False]))
    result = SimpleNamespace(data=data, prediction=prediction, profile=profile)
    assert typical_rows(result, prediction.labels == 0, 3) == [2, 0]
    assert doubtful_rows(result, 10) == [("q", 0, 0.6, 1, 0.4), ("s", 1, 0.7, 0, 0.3)]


def test_a_row_of_a_rare_category_is_not_typical():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    prediction = RowResults.of(Located(X, X, np.ones((4, 1)), np.arange(4.0, 0.0, -1.0)), -9.0)
    profile = SimpleNamespace(is_category=np.array([True, True]))
    result = SimpleNamespace(data=SimpleNamespace(Y=X), prediction=prediction, profile=profile)
    assert typical_rows(result, np.ones(4, dtype=bool), 3) == [1, 2, 3]
