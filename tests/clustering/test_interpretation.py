from types import SimpleNamespace

import numpy as np
import pytest

from sgpmic_cli.clustering.interpretation import (
    choice_in_words,
    doubtful_rows,
    number_to_compare,
    stability_in_words,
    typical_rows,
)
from sgpmic_cli.data import Dataset
from sgpmic_cli.estimator_base.prediction import Located, Prediction


def fitted(m, scores, no_clusters=False, gap_drop=0.0, plausible=(), stability=None):
    selection = [
        {
            "n_clusters": number,
            "score": value,
            "gap_drop": gap_drop * (number == m),
            "plausible": number in plausible,
        }
        for number, value in scores.items()
    ]
    model = SimpleNamespace(
        n_clusters_=m, selection_=selection or None, no_clusters_=no_clusters, overlapping_pairs_=[]
    )
    data = SimpleNamespace(n_classes=0)
    return SimpleNamespace(model=model, setting="default", data=data, stability=stability)


@pytest.mark.parametrize(
    ("m", "scores", "more", "words"),
    [
        (3, {2: 0.1, 3: 0.4, 4: 0.05}, {}, "3 clusters, chosen among 2 to 4; a clear choice"),
        (3, {2: 0.3, 3: 0.4}, {}, "a fair choice"),
        (3, {2: 0.3, 3: 0.4}, {"stability": 0.4}, "among 2 and 3, but they are not stable."),
        (3, {2: 0.3, 3: 0.4, 4: 0.3}, {"plausible": (2, 3, 4)}, ". Plausible as well: 2, 4."),
        (3, {2: 0.39, 3: 0.4}, {}, "3 clusters, chosen among 2 and 3; a close call."),
        (2, {2: 0.38, 3: 0.4}, {}, "the smallest number that is about as good as the best"),
        (2, {1: 0.0, 2: 0.1}, {}, "2 clusters, chosen among 1 and 2; 2 clusters separate the rows"),
        (3, {}, {}, "3 clusters, as asked for."),
        (2, {2: 0.1, 3: 0.4}, {"gap_drop": 0.7}, "gaps separate the rows into 2 parts"),
        (1, {1: 0.0, 2: 0.01}, {"no_clusters": True}, "and 2 clusters do not. This does not prove"),
        (1, {1: 0.0, 2: 0.1, 3: 0.1}, {"no_clusters": True}, "no number from 2 to 3 does"),
    ],
)
def test_choice_and_its_certainty(m, scores, more, words):
    assert words in choice_in_words(fitted(m, scores, **more))


def test_the_number_of_classes_is_not_asked_for():
    found = fitted(3, {})
    found.setting, found.data.n_classes = "paper", 3
    assert choice_in_words(found) == "3 clusters, the number of classes."


@pytest.mark.parametrize(
    ("m", "scores", "more", "other"),
    [
        (3, {1: 0.9, 2: 0.1, 3: 0.4, 5: 0.2}, {}, 5),
        (3, {1: 0.9, 2: 0.1, 3: 0.4, 5: 0.2}, {"stability": 0.4}, 2),  # fewer may be better
        (1, {1: 0.0, 2: 0.1, 3: 0.2}, {"no_clusters": True}, 2),
        (3, {}, {}, None),
    ],
)
def test_the_number_to_look_at_next(m, scores, more, other):
    assert number_to_compare(fitted(m, scores, **more)) == other


@pytest.mark.parametrize(
    ("each", "words"),
    [
        ([0.9, 0.95], "The clusters are stable: stability 0.93 of 1."),
        ([0.72, 0.78], "The clusters are fairly stable: stability 0.75 of 1."),
        ([0.6, 0.95], "Not all clusters are stable: "),
        ([0.6, 0.95], "Cluster 0 is not stable."),
        ([0.4, 0.5], "do not rely on them: stability 0.45 of 1."),
        (None, "was not measured"),
    ],
)
def test_stability_in_words(each, words):
    model = SimpleNamespace(
        stability_=None if each is None else np.array(each),
        get_params=lambda: {"n_resamples": 8},
        cluster_sizes_=np.array([5, 5]),
    )
    stability = None if each is None else np.mean(each)
    assert words in stability_in_words(SimpleNamespace(model=model, stability=stability))


def test_typical_and_doubtful_rows():
    X = np.zeros((4, 2))
    S = np.array([[1.0, 0.0], [0.6, 0.4], [0.995, 0.005], [0.3, 0.7]])
    data = Dataset.from_classes("t", X, None, ["a", "b"], ids=tuple("pqrs"))
    log_density = np.array([-2.0, -3.0, -1.0, 0.0])
    prediction = Prediction.of(Located(X, X, S, log_density), unusual_below=-9.0)
    result = SimpleNamespace(data=data, prediction=prediction)
    assert typical_rows(result, 0, 3) == ["r", "p"]
    assert doubtful_rows(result, 10) == [("q", 0, 0.6, 1, 0.4), ("s", 1, 0.7, 0, 0.3)]
