"""From a raw table to clusters that can be explained, in one command without options."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from raw_tables import birds, groups
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from sgpmic_cli import SGPMIC
from sgpmic_cli.commands import app
from sgpmic_cli.report.single_fit.page import SECTIONS


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A table of 333 rows with an id, two columns of text and holes, after `sgpmic fit birds.csv`."""
    folder = tmp_path_factory.mktemp("birds")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        birds().to_csv("birds.csv", index=False)
        result = run("fit", "birds.csv")
    assert result.exit_code == 0, result.output
    return result, folder


@pytest.fixture
def out(fitted, monkeypatch):
    monkeypatch.chdir(fitted[1])
    return fitted[1] / "sgpmic-out/fit/birds.csv"


def test_the_number_is_chosen_and_told(fitted, out):
    stdout, model = fitted[0].stdout, SGPMIC.load(out / "model.npz")
    m = model.n_clusters_
    assert m in (
        2,
        3,
    )  # not the lattice of the texts; two of the three groups are near, and a tie is told
    assert f"{m} clusters, chosen among 1 to 15" in stdout
    assert m == 3 or "look at 3 as well" in stdout
    assert len(re.findall(r"chosen *$", stdout, re.M)) == 1
    tried = json.loads((out / "manifest.json").read_text())["fit"]["numbers_tried"]
    assert [row["n_clusters"] for row in tried] == list(range(1, 16))
    assert (out / "numbers-tried.png").stat().st_size > 1000


def test_the_groups_are_found_beside_the_text(fitted, out):
    result = run("fit", "birds.csv", "--clusters", "3", "--out", "three", "--force")
    assert result.exit_code == 0, result.output
    assert adjusted_rand_score(groups(333), pd.read_csv("three/labels.csv")["label"]) > 0.9


def test_every_cluster_is_explained(fitted, out):
    labels, profile = pd.read_csv(out / "labels.csv"), pd.read_csv(out / "profile.csv")
    sizes = labels["label"].value_counts().sort_index()
    assert profile.groupby("cluster")["size"].first().tolist() == sizes.tolist()
    mass = birds()["body_mass"]  # missing values are left to the model and do not count here
    told = profile[profile["feature"] == "body_mass"].set_index("cluster")
    assert np.allclose(told["mean"], mass.groupby(labels["label"]).mean())
    assert np.allclose(told["spread"], mass.groupby(labels["label"]).std(ddof=0))
    shares = profile[profile["feature"].str.startswith("island=")]
    assert np.allclose(shares.groupby("cluster")["share"].sum(), 1.0)
    assert shares["mean"].isna().all()
    assert "elsewhere" in fitted[0].stdout
    assert re.search(r"N\d{4}, N\d{4}", fitted[0].stdout)  # typical rows by id


def test_the_page_holds_everything_and_asks_for_nothing(out):
    html = (out / "report.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([a-z-]+)"', html) == list(SECTIONS)
    assert html.count('src="data:image/png;base64,') == 4
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)
    for words in ("bill_length", "island", "it names the rows", "missing values", "SGPMIC.load"):
        assert words in html
    assert f"sgpmic predict {'sgpmic-out/fit/birds.csv'} NEW.csv" in html


def test_new_rows_in_another_order_are_placed(out, tmp_path):
    new = birds(40, seed=1)
    new.to_csv(tmp_path / "new.csv", index=False)
    new[new.columns[::-1]].to_csv(tmp_path / "other.csv", index=False)
    for name in ("new", "other"):
        result = run(
            "predict", str(out), str(tmp_path / f"{name}.csv"), "--out", str(tmp_path / name)
        )
        assert result.exit_code == 0, result.output
    assert (tmp_path / "new/labels.csv").read_bytes() == (
        tmp_path / "other/labels.csv"
    ).read_bytes()
    assert pd.read_csv(tmp_path / "new/labels.csv")["id"].tolist() == new["bird"].tolist()


def test_training_rows_keep_their_labels(out, tmp_path):
    assert run("predict", str(out), "birds.csv", "--out", str(tmp_path / "again")).exit_code == 0
    again = pd.read_csv(tmp_path / "again/labels.csv")
    assert (again["label"] == pd.read_csv(out / "labels.csv")["label"]).all()


@pytest.mark.slow
def test_classes_of_a_registered_set_are_not_looked_at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = json.loads(run("fit", "iris", "--json").stdout)
    labels = pd.read_csv("sgpmic-out/fit/iris/labels.csv")["label"]
    assert told["setting"] == "default"
    assert len(told["numbers_tried"]) == 15
    from sgpmic_cli.data import load

    data = load("iris")
    assert np.array_equal(SGPMIC(random_state=0).fit(data.Y).labels_, labels)


@pytest.mark.slow
def test_a_range_and_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    birds(80, holes=0.0).to_csv("birds.csv", index=False)
    ranged = json.loads(
        run("fit", "birds.csv", "--clusters", "2-4", "--out", "out", "--json").stdout
    )
    assert [row["n_clusters"] for row in ranged["numbers_tried"]] == [2, 3, 4]
    given = run("fit", "birds.csv", "--clusters", "3", "--out", "out", "--force")
    assert "3 clusters, as asked for." in given.stdout
    assert not (tmp_path / "out/numbers-tried.png").exists()  # of the fit that was written over


def test_data_without_clusters_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(np.random.RandomState(0).randn(150, 3), columns=list("abc")).to_csv(
        "cloud.csv", index=False
    )
    result = run("fit", "cloud.csv")
    assert result.exit_code == 0, result.output
    assert "The data show no clusters" in result.stdout
    assert "nothing stands out" in result.stdout


@pytest.mark.filterwarnings("ignore")
def test_doubtful_clusters_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    pd.DataFrame(np.vstack([rng.randn(60, 2), [[40.0, 40.0]]]), columns=["a", "b"]).to_csv(
        "one.csv", index=False
    )
    result = run("fit", "one.csv", "--clusters", "2", "--json")
    told = json.loads(result.stdout)
    assert told["tiny_clusters"]
    assert "hold a handful of rows" in result.stderr
