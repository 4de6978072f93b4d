"""Scores counted by hand, and general properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgpmic_cli import scores

labelings = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
    )
)


@settings(max_examples=30)
@given(labelings)
def test_bounds_and_invariance(pair):
    classes, clusters = np.array(pair[0]), np.array(pair[1])
    all_scores = scores.score_all(classes, clusters)
    majority = 100 * np.bincount(classes).max() / len(classes)
    assert all_scores["acc"] >= all_scores["acc_hungarian"] - 1e-9
    assert all_scores["acc"] >= majority - 1e-9
    relabelled = scores.score_all(classes, 9 - clusters)
    assert relabelled == pytest.approx(all_scores)
    assert all(value <= 100 + 1e-9 for value in all_scores.values())


def test_counted_by_hand():
    classes, clusters = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 2, 1]
    assert scores.purity(classes, clusters) == pytest.approx(100 * 6 / 8)
    assert scores.accuracy_hungarian(classes, clusters) == pytest.approx(100 * 6 / 8)
    # The contingency table is [[2, 1, 0], [0, 3, 0], [0, 1, 1]].
    together, in_class, in_cluster, all_pairs = 1 + 3, 3 + 3 + 1, 1 + 10, 28
    by_chance = in_class * in_cluster / all_pairs
    expected = (together - by_chance) / ((in_class + in_cluster) / 2 - by_chance)
    assert scores.ari(classes, clusters) == pytest.approx(100 * expected)


def test_clusters_of_one_class_are_merged_before_the_printed_nmi():
    assert scores.nmi_mapped([0, 0, 1, 1], [0, 1, 2, 2]) == pytest.approx(100)
    # The entropies are ln 2 and 1.5 ln 2.
    assert scores.nmi_stated([0, 0, 1, 1], [0, 1, 2, 2]) == pytest.approx(200 / 2.5)
    assert scores.nmi_clusters([0, 0, 1, 1], [0, 1, 2, 2]) == pytest.approx(100 / 1.5**0.5)
    assert scores.nmi_mapped([0, 0, 0, 1], [0, 0, 1, 1]) == 0.0  # every cluster maps to class 0
