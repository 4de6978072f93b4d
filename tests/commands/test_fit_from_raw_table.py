"""The default fit of a raw table: number of clusters, descriptions, report and prediction."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from command_line import document, sgpmic
from raw_tables import birds, groups

from sgpmic_cli import GroupMap
from sgpmic_cli.data import load

SECTIONS = ["summary", "clusters", "map", "profiles", "rows", "columns", "details"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Fit a table of 333 rows with an id, two text columns and missing values."""
    folder = tmp_path_factory.mktemp("birds")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        birds().to_csv("birds.csv", index=False)
        return sgpmic("fit birds.csv"), folder


@pytest.fixture
def out(fitted, monkeypatch):
    monkeypatch.chdir(fitted[1])
    return fitted[1] / "sgpmic-out/fit/birds"


def test_the_number_of_clusters_is_chosen_and_reported(fitted, out):
    stdout, model = fitted[0].stdout, GroupMap.load(out / "model.npz")
    m = model.n_clusters_
    assert m in (2, 3)  # two of the three groups are near each other
    assert f"{m} clusters, chosen among 1 to 15" in stdout
    order = ["group", "cluster   rows   verdict", "chosen among", "report.html", "silhouette"]
    places = [stdout.index(words) for words in order]
    assert places == sorted(places)  # the answer first, the evidence last
    assert m == 3 or re.search(r"Plausible as well: .*\b3\b", " ".join(stdout.split()))
    assert len(re.findall(r"chosen *$", stdout, re.M)) == 1
    tried = json.loads((out / "manifest.json").read_text())["fit"]["numbers_tried"]
    assert [row["n_clusters"] for row in tried] == list(range(1, 16))


def test_the_profile_has_the_statistics_of_each_cluster(fitted, out):
    labels, profile = pd.read_csv(out / "labels.csv"), pd.read_csv(out / "profile.csv")
    sizes = labels["cluster"].value_counts().sort_index()
    assert profile.groupby("cluster")["size"].first().tolist() == sizes.tolist()
    mass = birds()["body_mass"].groupby(labels["cluster"])  # pandas ignores missing values
    row = profile[profile["feature"] == "body_mass"].set_index("cluster")
    assert np.allclose(row["mean"], mass.mean())
    assert np.allclose(row["spread"], mass.std(ddof=0))
    fractions = profile[profile["feature"].str.startswith("island=")]
    known = birds()["island"].notna().groupby(labels["cluster"]).mean()  # missing cells count
    assert np.allclose(fractions.groupby("cluster")["fraction"].sum(), known)
    assert fractions["mean"].isna().all()
    assert "elsewhere" in fitted[0].stdout
    assert re.search(r"N\d{4}; N\d{4}", fitted[0].stdout)  # typical rows by id


def test_the_answer_is_in_the_files(fitted, out):
    model = GroupMap.load(out / "model.npz")
    summary = json.loads((out / "manifest.json").read_text())["fit"]
    assert summary["verdicts"] == model.verdicts_
    sizes = np.bincount(model.groups_[model.groups_ >= 0])
    assert [group["rows"] for group in summary["groups"]] == sizes.tolist()
    assert all(group["condition"] for group in summary["groups"])
    for name in ("labels.csv", "table-with-clusters.csv"):
        written = pd.read_csv(out / name)["group"]
        assert written.fillna(-1).astype(int).tolist() == model.groups_.tolist()


def test_the_page_opens_in_a_browser(here, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    rows = np.random.RandomState(0).randn(60, 2) + 9 * (np.arange(60) % 2)[:, None]
    pd.DataFrame(rows, columns=["a", "b"]).to_csv("t.csv", index=False)
    sgpmic("fit t.csv --clusters 2 --iterations 1 --resamples 0 --open")
    assert opened == [(here / "sgpmic-out/fit/t/report.html").resolve().as_uri()]


@pytest.mark.parametrize(
    ("hidden", "options", "without"),
    [
        (0.0, "", "no clusters are found."),
        (6.0, "--clusters 2", "none of the clusters is found again, but 2 others."),
    ],
)
def test_a_column_that_explains_the_clusters_is_left_out_once(here, hidden, options, without):
    X = np.random.RandomState(0).randn(200, 3)
    X[:, 0] += 9.0 * (np.arange(200) % 2)
    X[:, 1] += hidden * (np.arange(200) < 100)
    pd.DataFrame(X, columns=["size", "a", "b"]).to_csv("t.csv", index=False)
    stdout = " ".join(sgpmic(f"fit t.csv {options} --iterations 1").stdout.split())
    assert "The column 'size' alone explains the clusters: cluster 0 is size " in stdout
    assert f"Without 'size', {without}" in stdout
    advice = "Leave 'size' out to see what else there is: sgpmic fit t.csv"
    assert (advice in stdout) == ("--drop size" in stdout) == (hidden > 0)


def test_the_page_has_all_sections_and_needs_no_network(out):
    html = (out / "report.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([a-z-]+)"', html) == SECTIONS
    assert html.count('src="data:image/png;base64,') == 1
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)
    for words in ("bill_length", "island", "missing values", "sgpmic.load("):
        assert words in html
    assert "sgpmic predict sgpmic-out/fit/birds NEW.csv" in html


@pytest.mark.slow
def test_classes_of_a_registered_set_are_not_used(here):
    fitted = document("fit iris")
    labels = pd.read_csv("sgpmic-out/fit/iris/labels.csv")["cluster"]
    assert fitted["method"] == "group-map"
    assert len(fitted["numbers_tried"]) == 15
    assert np.array_equal(GroupMap(random_state=0).fit(load("iris").Y).labels_, labels)


def test_a_group_of_two_clusters_has_a_card_and_a_registered_set_is_predicted(here):
    sizes = document("fit iris --clusters 3 --iterations 1 --resamples 0")["sizes"]
    page = (here / "sgpmic-out/fit/iris/report.html").read_text(encoding="utf-8")
    assert "Group 0: " in page  # two of the three clusters
    assert document("predict sgpmic-out/fit/iris iris")["sizes"] == sizes


@pytest.mark.slow
def test_a_range_and_a_number_of_clusters(here):
    birds(80, missing=0.0).to_csv("birds.csv", index=False)
    ranged = document("fit birds.csv --clusters 2-4 --out out")
    assert [row["n_clusters"] for row in ranged["numbers_tried"]] == [2, 3, 4]
    given = sgpmic("fit birds.csv --n-clusters 3 --out out --force")
    assert "3 clusters, as " in given.stdout


def test_a_refused_file_gets_options_that_work(here):
    table = birds(40).assign(income=["1200"] * 39 + ["much"], label=groups(40))
    table.to_csv("t.csv", index=False)
    command = "fit t.csv --clusters 3 --iterations 1 --resamples 0"
    options = re.findall(r"\((--[^)]*)\)", sgpmic(command, code=2).stderr)
    assert options == ["--drop income", "--label label", "--drop label"]
    assert "column 'bird' is left out" in sgpmic(f"{command} {options[0]} {options[1]}").stderr
