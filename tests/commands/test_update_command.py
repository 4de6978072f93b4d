import numpy as np
import pandas as pd
import pytest
from command_line import assert_one_sentence, document, sgpmic
from raw_tables import clouds

from sgpmic_cli import SGPMIC, GroupMap, load


def frame(*centres, size, seed):
    return pd.DataFrame(clouds(*centres, size=size, seed=seed), columns=list("abcd"))


@pytest.fixture(scope="module")
def model():
    return GroupMap(2, max_iter=2, random_state=0).fit(frame(0, 6, size=30, seed=0))


@pytest.fixture(autouse=True)
def files(here, model):
    model.save("model.npz")
    new = frame(20, size=30, seed=1).assign(id=[f"r{i}" for i in range(30)])
    new.to_csv("new.csv", index=False)


def test_update_writes_the_grown_model_and_the_new_rows(here, model):
    told = document("update model.npz new.csv --id id")
    assert (told["rows_before"], told["rows"], told["new_clusters"]) == (60, 30, [2])
    assert told["sizes"] == [0, 0, 30]
    assert "cluster 2 is new, with 30 rows" in " ".join(told["notes"])
    folder = here / "sgpmic-out" / "update" / "new"
    grown, labels = load(folder / "model.npz"), pd.read_csv(folder / "labels.csv")
    np.testing.assert_array_equal(grown.labels_[:60], model.labels_)
    assert labels["cluster"].tolist() == grown.labels_[60:].tolist() == [2] * 30
    assert labels["unusual"].tolist() == [1] * 30
    assert labels["id"].tolist()[:2] == ["r0", "r1"]
    printed = sgpmic("update model.npz new.csv --out again").stdout
    assert "60 keep cluster and place, 0 joined a new cluster" in printed


def test_diff_matches_clusters_rows_and_columns(model):
    labels = 1 - model.labels_
    labels[4] = 1 - labels[4]
    other = frame(0, 6, size=30, seed=0).assign(d="x")
    other.loc[::2, "d"] = "y"
    GroupMap(2, init=labels, max_iter=1, random_state=0).fit(other).save("other.npz")
    told = document("diff model.npz other.npz")
    pairs = [(pair["before"], pair["after"]) for pair in told["matched_clusters"]]
    assert pairs == [(0, 1), (1, 0)]
    assert sorted(pair["common_rows"] for pair in told["matched_clusters"]) == [29, 30]
    assert sorted(pair["jaccard"] for pair in told["matched_clusters"]) == [0.9667, 0.9677]
    assert [row["row"] for row in told["changed_rows"]] == [5]
    column = {"column": "d", "before": "numbers", "after": "categories"}
    assert told["changed_columns"] == [column]
    printed = sgpmic("diff model.npz other.npz").stdout
    assert "d (numbers to categories)" in printed
    first = model.labels_[4]
    assert f"1: 5 ({first} to {1 - first})" in printed  # in the numbers of the first fit


def test_diff_of_an_update_shows_the_new_cluster_and_no_changed_row():
    sgpmic("update model.npz new.csv --out grown")
    told = document("diff model.npz grown")
    assert (told["new_rows"], told["new_clusters"], told["changed_rows"]) == (30, [2], [])
    assert_one_sentence(sgpmic("diff grown model.npz", code=2), "give the smaller table first")


def test_the_papers_model_takes_no_new_rows():
    rows = frame(0, 6, size=20, seed=0)
    SGPMIC(2, n_inducing=5, max_iter=1, random_state=0).fit(rows).save("paper.npz")
    assert_one_sentence(sgpmic("update paper.npz new.csv", code=2), "fit the whole table again")


def test_a_model_is_not_replaced_by_its_own_update(here):
    sgpmic("update model.npz new.csv --out grown")
    before = (here / "grown" / "model.npz").read_bytes()
    refused = sgpmic("update grown new.csv --out grown --force", code=2)
    assert_one_sentence(refused, "the results would replace 'grown/model.npz', which is read here")
    assert (here / "grown" / "model.npz").read_bytes() == before


def test_a_row_that_is_too_far_is_named():
    far = frame(0, size=30, seed=1)
    far.loc[4, "a"] = 1e30
    far.to_csv("far.csv", index=False)
    words = "far.csv cannot be added: Row 5 is too far from the training rows to be added"
    assert_one_sentence(sgpmic("update model.npz far.csv", code=2), words)
