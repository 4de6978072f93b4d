import json
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from command_line import assert_one_sentence, sgpmic
from raw_tables import birds
from typer.main import get_command

from sgpmic_cli import GroupMap
from sgpmic_cli.commands import app, fit_models
from sgpmic_cli.data import load
from sgpmic_cli.files import MARKER
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.scores import purity

QUICK = "--method sgp-mic --iterations 2 --inducing 10"
DRAWN_WITH_PDF = {
    f"{name}.{kind}" for name in ("convergence", "embedding", "profile") for kind in ("png", "pdf")
}
TABLES = {"table-with-clusters.csv", "labels.csv", "embedding.csv", "profile.csv", "trace.csv"}
FILES = {"embedding.png", *TABLES, "model.npz", "manifest.json", "report.html", MARKER}


def read(path):
    """Read a CSV file with exact numbers; pandas may round the last digit by default."""
    frame = pd.read_csv(path, dtype=str)
    return frame.astype({name: float for name in frame.columns if name != "step"})


@pytest.fixture
def no_figures(monkeypatch):
    def draw_nothing(fitted, folder, *, pdf):
        (folder / "embedding.png").touch()
        return []

    monkeypatch.setattr("sgpmic_cli.result.figures.draw_all", draw_nothing)


@pytest.fixture
def run(here):
    """The command in a folder with two small CSV files."""
    rng = np.random.RandomState(0)
    values = rng.randn(30, 3) + 5.0 * (np.arange(30) % 2)[:, None]
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    frame.to_csv("plain.csv", index=False)
    frame.assign(kind=np.where(np.arange(30) % 2, "odd", "even")).to_csv("named.csv", index=False)
    return lambda line, **how: sgpmic(f"fit {line}", **how)


def test_all_files_are_written_and_agree_with_the_model(run, here):
    result = run(f"iris {QUICK} --n-init 2 --json --seed 3")
    assert "restart 2/2, iteration 1/2" in result.stderr
    document = json.loads(result.stdout)
    folder = here / "sgpmic-out" / "fit" / "iris"
    assert {path.name for path in folder.iterdir()} == FILES
    data, model = load("iris"), SGPMIC.load(folder / "model.npz")
    told = [document[name] for name in ("clusters", "dims", "inducing", "seed")]
    assert told == [3, 2, 10, 3]
    assert document["scores"]["acc"] == purity(data.labels, model.labels_)
    assert document["lower_bound"] == model.lower_bound_
    assert sum(document["sizes"]) == 150
    labels = read(folder / "labels.csv")
    assert list(labels.columns) == ["row", "cluster", "p0", "p1", "p2", "unusual"]
    assert labels["row"].tolist() == list(range(1, 151))
    assert np.array_equal(labels["cluster"], model.labels_)
    assert np.array_equal(labels[["p0", "p1", "p2"]], model.responsibilities_.round(4))
    assert np.array_equal(read(folder / "embedding.csv")[["x1", "x2"]], model.embedding_)
    trace = read(folder / "trace.csv")
    assert trace["step"].tolist() == ["E", "M", "E", "M", "E"]
    assert trace["iteration"].tolist() == [1, 1, 2, 2, 2]
    assert trace["bound"].tolist() == model.lower_bounds_
    assert trace["acc"].iloc[-1] == document["scores"]["acc"]
    assert list(model.feature_names_in_) == list(data.feature_names)


def test_the_table_is_on_stdout_and_progress_on_stderr(run, no_figures):
    result = run(f"iris {QUICK}")
    assert "ACC" in result.stdout
    assert "150 rows, 4 columns" in result.stdout
    lines = result.stderr.splitlines()
    assert re.match(r"iteration 1/2: bound -.*, ACC ", lines[0])
    ending = r"report, model, tables and figures in sgpmic-out/fit/iris; \d+ s"
    assert re.fullmatch(ending, lines[-1])
    assert run(f"iris {QUICK} --quiet --force").stderr == ""
    assert "\x1b" not in result.output


def test_columns_of_very_different_variance_get_a_note(run, no_figures):
    note = "the variance of column 'proline' is"
    unscaled = run(f"wine {QUICK} --scale none --json")
    assert json.loads(unscaled.stdout)["columns"] == 13
    assert sum(note in line for line in unscaled.stderr.splitlines()) == 1
    assert note in run(f"wine {QUICK} --force --scale global").stderr
    assert note not in run(f"wine {QUICK} --force --scale standard").stderr


def test_classes_of_a_file_set_the_number_of_clusters_and_the_scores(run, no_figures):
    plain = json.loads(run(f"plain.csv {QUICK} --clusters 2 --dims 2 --json").stdout)
    assert (plain["scores"], plain["classes"]) == (None, None)
    assert plain["out"] == "sgpmic-out/fit/plain"
    assert pd.read_csv("sgpmic-out/fit/plain/trace.csv")["acc"].isna().all()
    named = json.loads(run(f"named.csv {QUICK} --label kind --json").stdout)
    assert named["clusters"] == named["classes"] == 2
    assert named["scores"]["acc"] == 100.0


@pytest.mark.parametrize(("given", "name"), [("-", "standard-input"), ("./pipe", "pipe")])
def test_decimal_commas_and_data_that_can_be_read_once(here, no_figures, given, name):
    text = birds(40, missing=0.0).to_csv(index=False, sep=";", decimal=",").encode()
    os.mkfifo("pipe")
    options = f"{QUICK} --clusters 2 --decimal , --columns bill_length,body_mass"
    for line in (f"fit {given} {options}", f"predict sgpmic-out/fit/{name} {given}"):
        if name == "pipe":
            Thread(target=Path("pipe").write_bytes, args=[text], daemon=True).start()
        assert f"{name}: 40 rows" in sgpmic(line, input=text).stdout


def test_unavailable_data_end_with_exit_code_4(run):
    assert_one_sentence(run("yale --data-dir none", code=4), "yale is unavailable")


def test_a_figure_that_fails_does_not_stop_the_fit(run, here, monkeypatch):
    run(f"iris {QUICK} --out kept --pdf")
    before = {path.name: path.read_bytes() for path in (here / "kept").iterdir()}
    assert before.keys() == FILES | DRAWN_WITH_PDF

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sgpmic_cli.result.figures.draw_embedding", fail)
    result = run(f"iris {QUICK} --out kept --seed 9 --force --pdf")
    assert "embedding could not be drawn (OSError: [Errno 28] No space left" in result.stderr
    after = {path.name: path.read_bytes() for path in (here / "kept").iterdir()}
    # The figures of the replaced fit are deleted.
    assert before.keys() - after.keys() == {"embedding.png", "embedding.pdf"}
    assert after["model.npz"] != before["model.npz"]


UNPRINTED = """
import sys
from sgpmic_cli.commands import app
from sgpmic_cli.commands.output import Output

def result(*_):
    assert "matplotlib" not in sys.modules
    raise BrokenPipeError(32, "the reader has closed the pipe")

Output.result = result
app("fit plain.csv --clusters 2 --out out".split())
"""


def test_the_answer_is_printed_before_drawing_and_a_closed_pipe_loses_no_file(run, here):
    done = subprocess.run([sys.executable, "-c", UNPRINTED], capture_output=True, text=True)
    assert done.returncode == 1
    assert "bug" not in done.stderr
    assert {path.name for path in (here / "out").iterdir()} == FILES


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_python_and_the_command_line_fit_the_same_model(here, no_figures, missing):
    frame = birds(80, missing=missing)
    frame.loc[9, frame.columns != "bird"] = np.nan
    frame.to_csv("birds.csv", index=False)
    sgpmic("fit birds.csv --clusters 3 --iterations 1")
    command = pd.read_csv("sgpmic-out/fit/birds/labels.csv").set_index("row")
    with pytest.warns(UserWarning, match="left out"):
        model = GroupMap(3, max_iter=1, random_state=0).fit(frame)
    assert command.index.tolist() == (np.flatnonzero(model.labels_ >= 0) + 1).tolist()
    used = model.training_prediction.part(model.labels_ >= 0)
    assert np.array_equal(command["cluster"], used.labels)
    assert np.array_equal(command[["p0", "p1", "p2"]], used.probabilities.round(4))
    assert np.array_equal(command["unusual"], used.unusual)
    trace = pd.read_csv("sgpmic-out/fit/birds/trace.csv")
    assert trace["step"].tolist() == ["EM"]
    assert trace["bound"].tolist() == pytest.approx(model.lower_bounds_)
    written = GroupMap.load("sgpmic-out/fit/birds/model.npz")
    assert list(written.feature_names_in_) == list(model.feature_names_in_)


def test_the_help_names_the_defaults_of_the_estimators():
    parameters = {"dims": "n_components", "inducing": "n_inducing"}
    own, paper = GroupMap().get_params(), SGPMIC().get_params()
    options = {
        option.name: option.show_default for option in get_command(app).commands["fit"].params
    }
    for name in ("dims", "inducing", "max_iter", "n_resamples", "scale"):
        assert options[name].startswith(str(own[parameters.get(name, name)])), name
    for name in ("max_iter", "scale"):
        assert options[name].endswith(f"; {paper[name]} with --method sgp-mic")
    for name in ("kernel", "optimizer", "n_init"):
        assert options[name] == str(paper[name])
    assert options["variance"] == f"{fit_models.PAPER_VARIANCE:g} with --method sgp-mic"
