"""Clusters of the bundled tables with the number of classes given."""

import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.data import load

FLOORS = {"iris": 0.883, "wine": 0.928, "wdbc": 0.784, "bc": 0.804}  # 0.02 below the values


@pytest.mark.parametrize("name", [*list(FLOORS)[:3], pytest.param("bc", marks=pytest.mark.slow)])
def test_clusters_agree_with_the_classes(bundled_model, name):
    assert adjusted_rand_score(load(name).classes, bundled_model(name).labels_) >= FLOORS[name]
