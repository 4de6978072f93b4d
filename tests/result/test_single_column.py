import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.result.single_column import _agreement, explained_clusters


@pytest.fixture
def table():
    random = np.random.RandomState(0)
    return pd.DataFrame(
        {
            "size": random.randn(300),
            "colour": random.choice(["red", "green", "blue"], 300),
            "flag": random.rand(300) < 0.3,
        }
    )


def test_a_split_of_numbers_explains_two_clusters(table):
    labels = (table["size"] > 0.5).to_numpy().astype(int)
    low, high = explained_clusters(table, labels, 2)
    assert (low.cluster, low.column, low.relation) == (0, "size", "<=")
    assert (high.cluster, high.column, high.relation) == (1, "size", ">")
    assert low.value == high.value == pytest.approx(0.5, abs=0.1)
    assert high.agreement > 0.97
    assert str(high).startswith("size > 0.")


def test_a_category_explains_one_of_three_clusters(table):
    others = np.random.RandomState(1).randint(0, 2, 300)
    labels = np.where(table["colour"] == "red", 2, others)
    [found] = explained_clusters(table, labels, 3)
    assert (found.cluster, str(found), found.agreement) == (2, "colour=red", 1.0)


def test_flags_have_categories(table):
    found = explained_clusters(table, table["flag"].to_numpy().astype(int), 2)
    assert [str(each) for each in found] == ["flag=False", "flag=True"]


def test_nothing_explains_random_labels_or_most_of_a_cluster(table):
    labels = np.random.RandomState(2).randint(0, 2, 300)
    assert explained_clusters(table, labels, 2) == []
    changed = (table["colour"] == "red").to_numpy() ^ (np.random.RandomState(0).rand(300) < 0.05)
    assert explained_clusters(table, changed.astype(int), 2) == []  # an index of about 0.8


def test_missing_values_fulfil_no_condition(table):
    labels = (table["size"] > 0).to_numpy().astype(int)
    table.loc[:5, "size"] = np.nan
    table.loc[:5, "colour"] = None
    assert {each.column for each in explained_clusters(table, labels, 2)} == {"size"}


def test_the_agreement_is_the_adjusted_rand_index():
    random = np.random.RandomState(0)
    labels = random.randint(0, 3, 100)
    rows = (labels == 1) ^ (random.rand(100) < 0.1)
    both = np.bincount(labels[rows], minlength=3)[None]
    (found,) = _agreement(both, np.bincount(labels))
    assert found[1] == pytest.approx(adjusted_rand_score(rows, labels == 1))
    assert found[0] == 0.0  # the rows avoid the cluster, so the condition does not describe it


def test_a_small_group_is_split_in_the_gap_and_not_at_a_quantile():
    values = np.r_[np.linspace(0.0, 1.0, 2970), np.linspace(3.0, 4.0, 30)]
    _, high = explained_clusters({"wage": values}, (values > 2.0).astype(int), 2)
    assert high.value == 2.0
    assert high.agreement == 1.0
