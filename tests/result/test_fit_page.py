"""The page of one fit: plain words on top, the evidence below."""

import json
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from page_reader import PageReader
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sgpmic import SGPMIC, GroupMap, TableEncoder, report, show_map, write_report
from sgpmic_cli.commands.fit_models import fit_command
from sgpmic_cli.data import load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.fitting import fit_rows
from sgpmic_cli.result.page import result_page
from sgpmic_cli.result.words import headline, verdict_in_words

TECHNICAL = ("bound", "inducing", "latent", "reference", "silhouette", "score", "nan")


def write(folder, frame, clusters="auto"):
    """Return the page of a fit, and its result."""
    frame.to_csv(folder / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GroupMap(clusters, max_iter=1, n_resamples=2, random_state=0)
        result = fit_rows(model, load(str(folder / "t.csv")))
    arguments = {"data": "t.csv", "clusters": clusters}
    command = partial(fit_command, arguments)
    page = result_page(result, folder / "none.png", arguments, Path("my out"), command)
    return page, result


def blobs(n=90, n_features=4):
    rng = np.random.RandomState(0)
    values = rng.randn(n, n_features) + 9.0 * rng.randn(3, n_features)[np.arange(n) % 3]
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(n_features)])
    return frame.assign(person=[f"Doe, J. {i:03d}" for i in range(n)], empty=np.nan)


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    return write(tmp_path_factory.mktemp("three"), blobs())


def test_the_box_has_the_answer_how_sure_it_is_and_commands(three):
    page, result = three
    box = PageReader(page).sections["summary"]
    order = [headline(result), "How sure is this?", "What next?", "What should I know?"]
    places = [box.index(words) for words in order]
    assert places == sorted(places)
    assert box.count("3 clusters, found in the columns and on the map") == 1
    assert "come back with an overlap of 100 %" in box
    assert "Column 'person' is left out" in box
    assert "sgpmic predict 'my out' NEW.csv" in box


def test_every_cluster_has_a_card(three):
    page, result = three
    cards = PageReader(page).sections["clusters"].split("Typical rows")
    assert len(cards) == 4
    for m, name in enumerate(result.cluster_names):
        words = " ".join(cards[m].split())
        assert f"{m}: {name} 30 rows (33 %) {verdict_in_words(result.verdicts[m])}" in words
        assert re.search(r"x\d (>|<=) \S+ : \d+ % of the cluster, \d+ % right", words)
        assert result.profile.in_words(m)[0] in words
        assert re.search(r"Doe, J. \d+: x\d ", cards[m + 1])
    assert len(PageReader(page).all("svg")) == 9
    sections = re.findall(r'<section id="([a-z]+)"', page)
    assert sections.index("clusters") < sections.index("map") < sections.index("details")
    assert page.rindex("The numbers tried") > page.rindex("The run")
    assert "1.000 chosen" in " ".join(PageReader(page).sections["details"].split())


def test_the_upper_half_has_no_technical_words(three):
    sections = PageReader(three[0]).sections
    names = ("header", "summary", "clusters", "map", "profiles", "rows")
    upper = " ".join(sections[name] for name in names)
    assert [word for word in TECHNICAL if re.search(rf"\b{word}", upper.lower())] == []
    assert "bound" in sections["details"]


def test_columns_are_listed_with_what_they_were_taken_for(three):
    words = " ".join(PageReader(three[0]).sections["columns"].split())
    assert "left out empty it is empty numbers x0, x1, x2, x3" in words


def test_two_categories_have_one_line(tmp_path):
    frame = blobs(120, 3)
    frame["kind"] = np.where(np.arange(120) % 2, "new", "old")
    page, _ = write(tmp_path, frame, clusters=3)
    profiles = PageReader(page).sections["profiles"]
    assert ("kind=new" in profiles) != ("kind=old" in profiles)


def test_no_clusters_give_a_next_step_and_no_profile(tmp_path):
    cloud = pd.DataFrame(np.random.RandomState(0).randn(60, 3), columns=["a", "b", "c"])
    page, result = write(tmp_path, cloud)
    assert len(result.sizes) == 1
    sections = PageReader(page).sections
    assert "No groups in the 60 rows: they are one continuum." in sections["summary"]
    assert "silhouette" in sections["details"]
    assert "does not prove" in sections["summary"]
    assert "--clusters NUMBER" in sections["summary"]
    assert "profiles" not in sections
    assert "table-with-clusters.csv" not in page


def test_values_of_the_table_cannot_leave_the_data_of_the_map(tmp_path):
    frame = blobs().rename(columns={"x0": "</script><b>"}).drop(columns="empty")
    page, _ = write(tmp_path, frame.assign(person=[f"<!--<script>{i}" for i in range(90)]))
    assert "<b>" not in page
    assert "<!--<script" not in page
    assert page.count("</script>") == 2


@pytest.mark.parametrize("make", [GroupMap, SGPMIC])
def test_the_page_of_a_model_of_python_describes_the_fit_and_needs_no_other_file(make, tmp_path):
    rows = blobs(40, 3).drop(columns=["person", "empty"]).rename(columns={"x2": "<height>"})
    model = make(3, n_inducing=5, max_iter=2, random_state=0).fit(rows)
    write_report(model, rows, tmp_path / "birds.html")
    page = (tmp_path / "birds.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["birds.html"]
    assert "Clusters of birds" in page
    assert "x1" in page
    assert "&lt;height&gt;" in page
    assert "could not be drawn" not in page
    assert "sgpmic predict" not in page  # there is no model file
    with pytest.raises(ValueError, match="not fitted yet"):
        write_report(make(3), rows, tmp_path / "other.html")
    for others in (rows[:5], rows[::-1], rows.assign(x1=0.0)):
        with pytest.raises(UsageError, match="X must be the 40 rows that the model was fitted to"):
            write_report(model, others, tmp_path / "other.html")
    for other in (KMeans(2).fit([[0], [1]]), make_pipeline(StandardScaler(), KMeans(2)), None):
        with pytest.raises(
            UsageError, match=r"must be a fitted GroupMap .*, not (KMeans|NoneType)"
        ):
            write_report(other, rows, tmp_path / "other.html")


@pytest.mark.filterwarnings("ignore:Column", "ignore:Rows without any value")
def test_the_page_of_a_pipeline_has_the_columns_of_the_raw_table(tmp_path):
    rows = blobs(40, 3).drop(columns="empty")
    rows.loc[7] = np.nan
    encoder = TableEncoder(drop=["person"])
    pipeline = make_pipeline(encoder, StandardScaler(), GroupMap(3, max_iter=1, random_state=0))
    pipeline.fit(rows)
    write_report(pipeline, rows, tmp_path / "birds.html")
    sections = PageReader((tmp_path / "birds.html").read_text(encoding="utf-8")).sections
    assert "39 rows, 3 columns" in sections["header"]
    assert f"{rows['x0'][pipeline[-1].labels_ == 0].mean():.2f}" in sections["profiles"]
    assert "left out person" in " ".join(sections["columns"].split())


def test_clusters_from_elsewhere_get_the_same_page_and_keep_their_names(tmp_path):
    frame = blobs(90, 3).drop(columns="empty")
    labels = np.array(["lions", "tigers", "-1"], dtype=object)[np.arange(90) % 3]
    page = report(frame, labels, tmp_path / "cats.html")
    assert (tmp_path / "cats.html").read_text(encoding="utf-8") == page
    sections = PageReader(page).sections
    cards = " ".join(sections["clusters"].split())
    for m, name in enumerate(["lions", "tigers", "no cluster"]):
        assert f"{m}: {name} 30 rows (33 %) group" in cards
    data = map_rows(page)
    assert [each["name"] for each in data["clusters"]] == ["lions", "tigers", "no cluster"]
    assert [text["name"] for text in data["texts"]] == ["person"]


def test_rows_beyond_the_subsample_keep_the_clusters_from_elsewhere(monkeypatch):
    monkeypatch.setitem(GroupMap.__init__.__kwdefaults__, "max_rows", 60)
    labels = np.random.RandomState(0).randint(0, 2, 90)  # nothing that a model would find
    page = report(blobs(90, 3).drop(columns=["person", "empty"]), labels)
    assert [each["rows"] for each in map_rows(page)["clusters"]] == np.bincount(labels).tolist()


def test_the_map_alone_is_a_page_without_headings():
    rows = blobs(60, 3).drop(columns=["person", "empty"])
    page = show_map(GroupMap(3, max_iter=1, random_state=0).fit(rows), rows).page
    reader = PageReader(page)
    assert reader.all("h1") == reader.all("nav") == reader.all("img") == []
    assert len(map_rows(page)["names"]) == 60
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)


def test_one_latent_dimension_has_a_picture_and_no_map(tmp_path):
    rows = blobs(60, 3).drop(columns=["person", "empty"])
    line = GroupMap(3, 1, max_iter=1, random_state=0).fit(rows)
    write_report(line, rows, tmp_path / "line.html")
    page = (tmp_path / "line.html").read_text(encoding="utf-8")
    assert 'id="map-data"' not in page
    with pytest.raises(UsageError, match="a map needs two latent dimensions"):
        show_map(line, rows)


def map_rows(page):
    return json.loads(re.search(r'id="map-data">(.*?)</script>', page, re.S)[1])
