from types import SimpleNamespace

import numpy as np
import pytest

from sgpmic_cli.data import Dataset
from sgpmic_cli.single_fit.interpretation import choice_in_words, doubtful_rows, typical_rows


def fitted(m, scores, no_clusters=False, gap_drop=0.0, plausible=()):
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
        weights_=[1.0 / m] * m, selection_=selection or None, no_clusters_=no_clusters
    )
    return SimpleNamespace(model=model)


@pytest.mark.parametrize(
    ("m", "scores", "more", "words"),
    [
        (3, {2: 0.1, 3: 0.4, 4: 0.05}, {}, "3 clusters, chosen among 2 to 4; a clear choice"),
        (3, {2: 0.3, 3: 0.4}, {}, "a fair choice"),
        (3, {2: 0.3, 3: 0.4, 4: 0.3}, {"plausible": (2, 3, 4)}, ". Plausible as well: 2, 4."),
        (3, {2: 0.39, 3: 0.4}, {}, "a close call (score 0.40, the next best number, 2, has 0.39)"),
        (2, {2: 0.38, 3: 0.4}, {}, "the smallest number that is about as good as the best"),
        (2, {1: 0.0, 2: 0.1}, {}, "there was no other number to choose"),
        (3, {}, {}, "3 clusters, as asked for."),
        (2, {2: 0.1, 3: 0.4}, {"gap_drop": 0.7}, "gaps separate the rows into 2 parts"),
        (1, {1: 0.0, 2: 0.01}, {"no_clusters": True}, "The data show no clusters"),
    ],
)
def test_choice_and_its_certainty(m, scores, more, words):
    assert words in choice_in_words(fitted(m, scores, **more))


def test_typical_and_doubtful_rows():
    X = np.array([[0.0, 3.0], [2.0, 0.0], [0.1, 0.0], [9.0, 9.0]])
    S = np.array([[1.0, 0.0], [0.6, 0.4], [0.995, 0.005], [0.3, 0.7]])
    model = SimpleNamespace(
        labels_=S.argmax(axis=1),
        embedding_=X,
        means_=np.array([[0.0, 0.0], [9.0, 9.0]]),
        covariances_=np.array([np.diag([1.0, 100.0]), np.eye(2)]),
        responsibilities_=S,
    )
    data = Dataset.from_classes("t", X, None, ["a", "b"], ids=tuple("pqrs"))
    found = SimpleNamespace(model=model, data=data)
    assert typical_rows(found, 0) == ["r", "p", "q"]  # the second coordinate varies more
    assert [tuple(row) for row in doubtful_rows(found)] == [
        ("q", 0, 0.6, 1, 0.4),
        ("s", 1, 0.7, 0, 0.3),
    ]
