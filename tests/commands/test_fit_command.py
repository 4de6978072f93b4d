"""`sgpmic fit`: options, output, and the files of a fit."""

import json
import os
import re
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from command_line import document, sgpmic
from raw_tables import birds, groups

from sgpmic_cli import GroupMap
from sgpmic_cli import load as load_model
from sgpmic_cli.commands.fit_models import fit_command
from sgpmic_cli.data import load
from sgpmic_cli.files import MARKER
from sgpmic_cli.paper.experiments.protocols import paper_methods
from sgpmic_cli.scores import purity

TABLES = {"table-with-clusters.csv", "labels.csv", "embedding.csv", "profile.csv", "trace.csv"}
FILES = {"embedding.png", *TABLES, "model.npz", "manifest.json", "report.html", MARKER}


def read(path):
    """Read a CSV file with exact numbers; pandas may round the last digit by default."""
    frame = pd.read_csv(path, dtype=str)
    return frame.astype({name: float for name in frame.columns if name != "step"})


@pytest.fixture
def run(here):
    """The command in a folder with two small CSV files."""
    rng = np.random.RandomState(0)
    values = rng.randn(30, 3) + 5.0 * (np.arange(30) % 2)[:, None]
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    frame.to_csv("plain.csv", index=False)
    frame.assign(kind=np.where(np.arange(30) % 2, "odd", "even")).to_csv("named.csv", index=False)
    return lambda line, **how: sgpmic(f"fit {line}", **how)


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr("sgpmic_cli.result.plots.draw_map", lambda *_: [])


def test_all_files_are_written_and_agree_with_the_model(run, here):
    result = run("iris --method sgp-mic --dims 2 --json --seed 3")
    ending = r"report, model, tables and map in sgpmic-out/fit/iris; \d+ s"
    assert re.fullmatch(ending, result.stderr.splitlines()[-1])
    found, folder = json.loads(result.stdout), here / "sgpmic-out/fit/iris"
    assert {path.name for path in folder.iterdir()} == FILES
    data, model = load("iris"), load_model(folder / "model.npz")
    assert [found[name] for name in ("clusters", "dims", "seed", "method")] == [3, 2, 3, "sgp-mic"]
    assert found["scores"]["acc"] == purity(data.labels, model.labels_)
    assert found["lower_bound"] == model.lower_bound_
    assert sum(found["sizes"]) == 150
    labels = read(folder / "labels.csv")
    assert list(labels.columns) == ["row", "cluster", "p0", "p1", "p2", "unusual"]
    assert labels["row"].tolist() == list(range(1, 151))
    assert np.array_equal(labels["cluster"], model.labels_)
    assert np.array_equal(labels[["p0", "p1", "p2"]], model.training_results.probabilities.round(4))
    assert np.array_equal(read(folder / "embedding.csv")[["x1", "x2"]], model.embedding_)
    trace = read(folder / "trace.csv")
    assert trace["step"].tolist() == ["E", "M", "E"]
    assert trace["iteration"].tolist() == [1, 1, 1]
    assert trace["bound"].tolist() == model.lower_bounds_
    assert trace["acc"].iloc[-1] == found["scores"]["acc"]


@pytest.mark.slow
def test_quiet_and_verbose(run, undrawn):
    quiet = run("plain.csv --clusters 2 --quiet")
    assert quiet.stdout + quiet.stderr == ""
    usual = run("plain.csv --clusters 2 --force")
    assert not re.search("bound|inducing", usual.stdout + usual.stderr)
    verbose = run("plain.csv --clusters 2 --force --verbose")
    assert "current step: map\niteration 1/10\n" in verbose.stderr
    assert len(re.findall("^iteration", verbose.stderr, re.M)) > 3
    assert re.search(r"map +2 dimensions, \d+ inducing inputs, .* bound", verbose.stdout)


def test_classes_of_a_file_set_the_number_of_clusters_and_the_scores(run, undrawn):
    plain = json.loads(run("plain.csv --method sgp-mic --clusters 2 --json").stdout)
    assert (plain["scores"], plain["classes"]) == (None, None)
    assert plain["out"] == "sgpmic-out/fit/plain"
    assert pd.read_csv("sgpmic-out/fit/plain/trace.csv")["acc"].isna().all()
    named = json.loads(run("named.csv --method sgp-mic --label kind --json").stdout)
    assert named["clusters"] == named["classes"] == 2
    assert named["scores"]["acc"] == 100.0


def test_a_protocol_gives_the_settings_of_table_2(run, undrawn):
    own = run("wine --method sgp-mic --out a")
    assert "SGP-MIC are for own data: scale standard" in own.stderr
    assert "Map, profiles and doubtful rows are on the page:" in own.stdout
    line = "wine --method sgp-mic --protocol as-run --kernel ard"
    assert "those of Table 2, as-run: scale global, 2 dim" in run(f"{line} --out b").stderr
    found = load_model("b/model.npz").get_params()
    as_run = paper_methods()["sgp-mic"].as_run
    assert {**as_run, "kernel": "ard", "n_components": 2}.items() <= found.items()
    assert load_model("b/model.npz").n_features_in_ == 12  # without proline


def test_a_data_set_of_the_paper_says_how_to_fit_the_papers_model(run, undrawn):
    assert "`sgpmic fit iris --method sgp-mic --protocol as-run`" in run("iris --clusters 3").stderr


@pytest.mark.parametrize(("given", "name"), [("-", "standard-input"), ("./pipe", "pipe")])
def test_decimal_commas_and_data_that_can_be_read_once(here, undrawn, given, name):
    text = birds(40, missing=0.0).to_csv(index=False, sep=";", decimal=",").encode()
    os.mkfifo("pipe")
    for line in (f"fit {given} --clusters 2", f"predict sgpmic-out/fit/{name} {given}"):
        if name == "pipe":
            Thread(target=Path("pipe").write_bytes, args=[text], daemon=True).start()
        assert f"{name}: 40 rows" in sgpmic(line, input=text).stdout


@pytest.mark.slow
def test_a_figure_that_fails_does_not_stop_the_fit(run, here, monkeypatch):
    run("plain.csv --clusters 2 --out kept")
    before = {path.name: path.read_bytes() for path in (here / "kept").iterdir()}
    assert before.keys() == FILES

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sgpmic_cli.result.plots.draw_embedding", fail)
    result = run("plain.csv --clusters 2 --out kept --seed 9 --force")
    assert "embedding could not be drawn (OSError: [Errno 28] No space left" in result.stderr
    after = {path.name: path.read_bytes() for path in (here / "kept").iterdir()}
    assert before.keys() - after.keys() == {"embedding.png"}
    assert after["model.npz"] != before["model.npz"]


@pytest.mark.parametrize("missing", [pytest.param(0.0, marks=pytest.mark.slow), 0.1])
def test_python_and_the_command_line_fit_the_same_model(here, undrawn, missing):
    frame = birds(80, missing=missing)
    frame.loc[9, frame.columns != "bird"] = np.nan
    frame.to_csv("birds.csv", index=False)
    sgpmic("fit birds.csv --clusters 3")
    command = pd.read_csv("sgpmic-out/fit/birds/labels.csv").set_index("row")
    with pytest.warns(UserWarning, match="left out"):
        model = GroupMap(3, random_state=0).fit(frame)
    assert command.index.tolist() == (np.flatnonzero(model.labels_ >= 0) + 1).tolist()
    used = model.training_results.part(model.labels_ >= 0)
    assert np.array_equal(command["cluster"], used.labels)
    assert np.array_equal(command[["p0", "p1", "p2"]], used.probabilities.round(4))
    assert np.array_equal(command["unusual"], used.unusual)
    trace = pd.read_csv("sgpmic-out/fit/birds/trace.csv")
    assert set(trace["step"]) == {"EM"}
    assert trace["bound"].tolist() == pytest.approx(model.lower_bounds_)
    written = load_model("sgpmic-out/fit/birds/model.npz")
    assert list(written.feature_names_in_) == list(model.feature_names_in_)


def test_a_subsample_of_a_given_size_is_fitted(run, undrawn):
    found = json.loads(run("iris --clusters 2 --max-rows 90 --json").stdout)
    assert found["rows"] == 150
    assert len(load_model("sgpmic-out/fit/iris/model.npz")._row_indices) == 90


def test_the_command_repeats_what_was_given():
    given = {"data": "my file.csv", "label": "kind of x", "drop": ("a,b", "c"), "clusters": (2, 8)}
    given |= {"method": "group-map", "scale": None, "seed": 0, "max_rows": 99, "separator": "tab"}
    start = "sgpmic fit 'my file.csv' --label 'kind of x' --drop '\"a,b\",c"
    more = "--max-rows 99 --separator tab"
    assert fit_command(given) == f"{start}' --clusters 2-8 {more}"
    changed = fit_command(given, clusters=4, drop=("home town",), out="x-4")
    assert changed == f"{start},home town' --clusters 4 {more} --out x-4"
    assert fit_command({"data": "-", "seed": 3}, clusters=None) == "sgpmic fit - --seed 3"


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
    stdout, model = fitted[0].stdout, load_model(out / "model.npz")
    [tried] = model.selection_.to_dict("records")
    assert (tried["n_clusters"], model.n_clusters_) == (2, 2)  # two of the three are near
    order = ["2 groups in the 333 rows", "cluster   rows   verdict", tried["evidence"]]
    places = [stdout.index(text) for text in [*order, "report.html"]]
    assert places == sorted(places)  # the answer first
    summary = json.loads((out / "manifest.json").read_text())["fit"]
    assert summary["numbers_tried"] == [tried]
    assert summary["verdicts"] == model.verdicts_


def test_the_page_opens_in_a_browser(run, here, undrawn, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run("plain.csv --clusters 2 --open")
    assert opened == [(here / "sgpmic-out/fit/plain/report.html").resolve().as_uri()]


@pytest.mark.parametrize(
    ("hidden", "options", "without"),
    [
        (0.0, "", "no clusters are found."),
        pytest.param(
            *(6.0, "--clusters 2", "none of the clusters is found again, but 2 others."),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_column_that_explains_the_clusters_is_left_out_once(
    here, undrawn, hidden, options, without
):
    X = np.random.RandomState(0).randn(200, 3)
    X[:, 0] += 9.0 * (np.arange(200) % 2)
    X[:, 1] += hidden * (np.arange(200) < 100)
    pd.DataFrame(X, columns=["size", "a", "b"]).to_csv("t.csv", index=False)
    stdout = " ".join(sgpmic(f"fit t.csv {options}").stdout.split())
    assert "A single column explains cluster 0 (size " in stdout
    assert f"Without 'size', {without}" in stdout
    advice = "Leave 'size' out to see what else there is: sgpmic fit t.csv"
    assert (advice in stdout) == ("--drop size" in stdout) == (hidden > 0)


def test_clusters_of_a_registered_set_are_predicted(here, undrawn):
    sizes = document("fit iris --clusters 3")["sizes"]
    assert document("predict sgpmic-out/fit/iris iris")["sizes"] == sizes


@pytest.mark.slow
def test_a_refused_file_gets_options_that_work(here, undrawn):
    table = birds(40).assign(income=["1200"] * 39 + ["much"], label=groups(40))
    table.to_csv("t.csv", index=False)
    options = re.findall(r"\((--[^)]*)\)", sgpmic("fit t.csv --clusters 3", code=2).stderr)
    assert options == ["--drop income", "--label label", "--drop label"]
    fitted = sgpmic(f"fit t.csv --clusters 3 {options[0]} {options[1]}")
    assert "column 'bird' is left out" in fitted.stderr
