from types import SimpleNamespace

import pytest

from sgpmic_cli.single_fit.interpretation import choice_in_words


def fitted(m, scores, no_clusters=False):
    selection = [
        {"n_clusters": number, "score": value, "lifetime": 0.0} for number, value in scores.items()
    ]
    model = SimpleNamespace(
        weights_=[1.0 / m] * m, selection_=selection or None, no_clusters_=no_clusters
    )
    return SimpleNamespace(model=model, setting="default")


@pytest.mark.parametrize(
    ("m", "scores", "words"),
    [
        (3, {2: 0.1, 3: 0.4, 4: 0.05}, "3 clusters, chosen among 2 to 4; a clear choice"),
        (3, {2: 0.3, 3: 0.4}, "a fair choice"),
        (3, {2: 0.39, 3: 0.4}, "a close call, so look at 2 as well"),
        (
            2,
            {2: 0.38, 3: 0.4},
            "the smallest number that is about as good as the best, so look at 3 as well",
        ),
        (2, {1: 0.0, 2: 0.1}, "there was no other number to choose"),
        (3, {}, "3 clusters, as asked for."),
    ],
)
def test_the_choice_and_how_sure_it_is(m, scores, words):
    assert words in choice_in_words(fitted(m, scores))


def test_parts_that_only_gaps_show():
    found = fitted(2, {2: 0.1, 3: 0.4})
    found.model.selection_[0]["lifetime"] = 0.7
    assert "the rows fall into so many parts by gaps alone" in choice_in_words(found)


def test_no_clusters_are_said_plainly():
    assert choice_in_words(fitted(1, {1: 0.0, 2: 0.01}, no_clusters=True)).startswith(
        "The data show no clusters"
    )
