import json
import os

import numpy as np
import pandas as pd
import pytest
from command_line import assert_one_sentence, document, sgpmic

from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.prediction import Located, RowResults
from sgpmic_cli.result import cuts
from sgpmic_cli.result.cuts import SMALLEST, merge_tree, read_cut

POINTS = np.random.RandomState(0).randn(120, 2) + np.repeat([[0, 0], [9, 0], [0, 30]], 40, axis=0)
LABELS = np.repeat([0, 1, 2], 40)


def write_cut(path, tree, clusters, sizes=(40, 40, 40)):
    places = zip(tree.clusters.tolist(), tree.centres.tolist(), strict=True)
    leaves = [{"cluster": cluster, "place": place} for cluster, place in places]
    plain = {"table": "t", "sizes": list(sizes), "leaves": leaves, "clusters": clusters}
    path.write_text(json.dumps(plain))
    return read_cut(path)


def test_parts_of_a_cluster_merge_first_and_near_clusters_next():
    tree = merge_tree(LABELS, POINTS)
    assert tree.clusters.tolist() == [0, 0, 1, 1, 2, 2]
    assert tree.merges == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    leaves = tree.leaves(LABELS, POINTS)
    assert (tree.clusters[leaves] == LABELS).all()
    assert np.bincount(leaves).min() >= SMALLEST


def test_small_clusters_are_not_split():
    labels = np.r_[LABELS, [3] * (2 * SMALLEST - 1)]
    points = np.r_[POINTS, np.random.RandomState(1).randn(2 * SMALLEST - 1, 2)]
    assert merge_tree(labels, points).clusters.tolist().count(3) == 1


def test_a_sample_of_a_large_cluster_decides_its_parts(monkeypatch):
    labels = LABELS.repeat(5)
    points = POINTS.repeat(5, axis=0) + 0.1 * np.random.RandomState(1).randn(600, 2)
    fit, seen = cuts.KMeans.fit, []
    monkeypatch.setattr(cuts, "HALVED", 100)
    monkeypatch.setattr(cuts.KMeans, "fit", lambda own, X: seen.append(len(X)) or fit(own, X))
    tree = merge_tree(labels, points)
    assert seen == [100, 100, 100]
    assert tree.merges[:3] == [(0, 1), (2, 3), (4, 5)]
    halves = np.array([points[labels == m].mean(axis=0) for m in range(3)]).repeat(2, axis=0)
    assert np.abs(tree.centres - halves).max() < 2.0


def test_a_cut_merges_and_splits_labels_and_adds_probabilities(tmp_path):
    tree = merge_tree(LABELS, POINTS)
    clusters = [{"name": "low", "leaves": [0, 1, 2, 3]}]
    clusters += [{"name": f"high {k}", "leaves": [4 + k]} for k in range(2)]
    cut = write_cut(tmp_path / "cut.json", tree, clusters)
    S = np.eye(3)[LABELS] * 0.7 + 0.1
    given = RowResults.of(Located(POINTS, POINTS, S, np.zeros(120)), -1.0)
    found = cut.applied_to(given)
    assert (found.labels[:80] == 0).all()
    assert np.array_equal(found.labels[80:], tree.leaves(LABELS, POINTS)[80:] - 3)
    np.testing.assert_allclose(found.probabilities[:80, 0], 0.9)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), S.sum(axis=1))


ALL = [0, 1, 2, 3, 4, 5]
WRONG = {
    "a leaf without a cluster": {"leaves": [0]},
    "an unknown leaf": {"leaves": [*ALL, 99]},
    "a leaf twice": {"leaves": [*ALL, 0]},
    "a leaf from the end": {"leaves": [-6, 1, 2, 3, 4, 5]},
    "half a leaf": {"leaves": [0.5, 1, 2, 3, 4, 5]},
    "an endless leaf": {"leaves": [float("inf")]},
    "no list": {"leaves": "no"},
    "no leaves": {},
    "a name that is no text": {"leaves": ALL, "name": None},
    "a name that cannot be written": {"leaves": ALL, "name": "\ud800"},
}


@pytest.mark.parametrize("cluster", WRONG.values(), ids=WRONG)
def test_wrong_clusters_are_refused(tmp_path, cluster):
    with pytest.raises(UsageError, match="is not a cut: save one with the button on the page"):
        write_cut(tmp_path / "cut.json", merge_tree(LABELS, POINTS), [{"name": "a", **cluster}])


def test_a_new_cluster_without_leaves_is_refused(tmp_path):
    clusters = [{"name": "a", "leaves": ALL}, {"name": "b", "leaves": []}]
    with pytest.raises(UsageError, match="is not a cut"):
        write_cut(tmp_path / "cut.json", merge_tree(LABELS, POINTS), clusters)


@pytest.mark.parametrize("sizes", [[40, 40], [40, 40, 0], [1e999, 40, 40]])
def test_leaves_of_unknown_clusters_are_refused(tmp_path, sizes):
    cut = [{"name": "a", "leaves": ALL}]
    with pytest.raises(UsageError, match="is not a cut"):
        write_cut(tmp_path / "cut.json", merge_tree(LABELS, POINTS), cut, sizes)


@pytest.mark.parametrize("place", [1e300, float("nan")])
def test_leaves_at_places_that_cannot_be_compared_are_refused(tmp_path, place):
    tree, cut = merge_tree(LABELS, POINTS), [{"name": "a", "leaves": ALL}]
    with pytest.raises(UsageError, match="is not a cut"):
        write_cut(tmp_path / "cut.json", tree._replace(centres=tree.centres * place), cut)


def test_deep_nesting_and_pipes_are_refused(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(UsageError, match="is not a cut"):
        read_cut(tmp_path / "deep.json")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is not a regular file"):
        read_cut(tmp_path / "pipe")


def test_fit_and_predict_use_a_cut_and_its_names(here):
    frame = pd.DataFrame(np.c_[POINTS, -POINTS], columns=list("abcd")).round(3)
    frame.assign(who=[f"p{i % 50}" for i in range(120)]).to_csv("t.csv", index=False)
    quick = "fit t.csv --clusters 3 --iterations 1 --resamples 0 --name who"
    sgpmic(f"{quick} --out first")
    page = (here / "first/report.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="map-data">')[1].split("</script>")[0])
    assert data["names"][:2] == ["p0", "p1"]  # names may repeat
    tree, labels = data["tree"], pd.read_csv("first/labels.csv")["cluster"]
    sizes = [each["rows"] for each in data["clusters"]]
    first = [leaf for leaf, cluster in enumerate(tree["clusters"]) if cluster < 2]
    rest = [leaf for leaf, cluster in enumerate(tree["clusters"]) if cluster == 2]
    leaves = [
        {"cluster": cluster, "place": place}
        for cluster, place in zip(tree["clusters"], tree["places"], strict=True)
    ]
    clusters = [{"name": "one, two", "leaves": first}, {"name": "<b>", "leaves": rest}]
    cut = {"sizes": sizes, "leaves": leaves, "clusters": clusters}
    (here / "cut.json").write_text(json.dumps(cut))
    sgpmic("predict first t.csv --apply cut.json --out new")
    sgpmic(f"{quick} --apply cut.json --out second")
    for folder in ("new", "second"):
        found = pd.read_csv(f"{folder}/labels.csv")
        assert np.array_equal(found["cluster"], (labels == 2).astype(int))
        assert np.array_equal(found["name"], np.where(labels == 2, "<b>", "one, two"))
    page = (here / "second/report.html").read_text(encoding="utf-8")
    assert "1: &lt;b&gt;" in page
    assert "<b>" not in page
    cut["sizes"] = [1, 2, 117]
    (here / "cut.json").write_text(json.dumps(cut))
    failed = sgpmic(f"{quick} --apply cut.json --out third", code=2)
    assert "save it again on the page of this fit" in failed.stderr
    assert not (here / "third").exists()


def test_report_clusters_describes_the_labels_of_a_column(here):
    frame = pd.DataFrame(np.c_[POINTS, -POINTS], columns=list("abcd")).round(3)
    frame["theirs"] = np.array(["cats", "dogs", "-1"])[LABELS]
    frame.to_csv("t.csv", index=False)
    told = document("report-clusters t.csv --label theirs")
    assert told["out"] == "sgpmic-out/report-clusters/t.html"
    assert list(told["verdicts"]) == ["cats", "dogs", "no cluster"]
    page = (here / told["out"]).read_text(encoding="utf-8")
    assert "0: cats" in page
    assert "--label COLUMN" in sgpmic("report-clusters t.csv", code=2).stderr
    before = (here / "t.csv").read_bytes()
    refused = sgpmic("report-clusters t.csv --label theirs --out t.csv", code=2)
    assert_one_sentence(refused, "the results would replace 't.csv', which is read here")
    assert (here / "t.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["cats", None, "?"], ["cats", "no cluster"]),
        ([-1.0, 0.0, 2.0], ["0.0", "2.0", "no cluster"]),
        (["cats"] * 3, ["cats"]),
        ([None] * 3, ["no cluster"]),
    ],
)
def test_rows_may_lack_a_cluster_from_elsewhere(here, labels, names):
    frame = pd.DataFrame(POINTS, columns=list("ab")).round(3)
    frame.assign(theirs=np.array(labels)[LABELS]).to_csv("t.csv", index=False)
    assert list(document("report-clusters t.csv --label theirs")["verdicts"]) == names
