"""The answer of a fit in sentences."""

import numpy as np
import pytest

from sgpmic_cli.clustering.model.clusters.single_column import Condition
from sgpmic_cli.clustering.result.answer import explained, headline


def verdicts(*kinds):
    return [{"verdict": kind, "depth": 0.5, "neighbour": 0} for kind in kinds]


def test_an_island_and_a_continuum():
    groups = np.repeat([0, -1], [80, 2920])
    labels = np.r_[np.zeros(80, dtype=int), 1 + np.arange(2920) % 3]
    text = headline(groups, labels, verdicts("group", *["slice"] * 3), ["high wage"])
    assert text == (
        "80 rows (high wage) are a group; the other 2,920 rows are one continuum, cut into 3 "
        "slices."
    )


def test_a_continuum_in_one_cluster_is_not_cut():
    groups = np.repeat([0, -1], [10, 90])
    text = headline(groups, groups + 1, verdicts("group", "group"))
    assert text == "10 rows are a group; the other 90 rows are one continuum."


def test_several_groups_without_a_rest():
    groups = np.repeat([0, 1], [214, 119])
    assert headline(groups, groups, verdicts("group", "group")) == (
        "2 groups: 214 rows and 119 rows."
    )
    labels = np.r_[np.arange(214) % 2, np.full(119, 2)]
    assert headline(groups, labels, verdicts("slice", "slice", "group")).endswith(
        "119 rows. Several clusters are slices of one group: 214 rows."
    )


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["slice"], "No group stands out: the 60 rows are one continuum."),
        (
            ["slice"] * 3,
            "No group stands out: the 60 rows are one continuum, cut into 3 slices.",
        ),
        (
            ["group", "slice", "too few rows to say", "too few rows to say"],
            "No group stands out in the 60 rows: 1 cluster is separated by a valley, but not found "
            "again in halves of the rows; 1 cluster is a slice of a continuum; 2 clusters have too "
            "few rows to say.",
        ),
    ],
)
def test_no_group(kinds, expected):
    assert headline(np.full(60, -1), np.arange(60) % len(kinds), verdicts(*kinds)) == expected


def test_a_column_that_explains_the_clusters_is_named():
    one = Condition(0, "literacy", "=", "0", 1.0)
    assert explained([], 2) is None
    assert explained([one, one._replace(cluster=1, value="1")], 2) == (
        "The column 'literacy' alone explains the clusters: cluster 0 is literacy = 0 and cluster "
        "1 is literacy = 1. Leave it out to see what else there is."
    )
    assert explained([one], 4).startswith("A single column explains cluster 0: cluster 0 is")
