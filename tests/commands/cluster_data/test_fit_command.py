import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from raw_tables import birds
from typer.testing import CliRunner

from sgpmic_cli.commands import app
from sgpmic_cli.data import load
from sgpmic_cli.model.device import choice
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import purity

ROOT = Path(__file__).parents[3]
QUICK = ["--setting", "paper", "--iterations", "2", "--inducing", "10"]
FILES = {
    *(
        f"{figure}.{kind}"
        for figure in ("convergence", "embedding", "profile")
        for kind in ("png", "pdf")
    ),
    *(
        "model.npz",
        "labels.csv",
        "embedding.csv",
        "profile.csv",
        "trace.csv",
        "manifest.json",
        "report.html",
    ),
}


def read(path):
    """A CSV with its numbers as they are written: not every pandas reads the last digit by default."""
    frame = pd.read_csv(path, dtype=str)
    return frame.astype({name: float for name in frame.columns if name != "step"})


@pytest.fixture
def no_figures(monkeypatch):
    """For tests that look at other things."""

    def draw_nothing(fitted, folder):
        for name in ("convergence", "embedding", "profile", "numbers-tried"):
            (folder / f"{name}.png").touch()
        return []

    monkeypatch.setattr("sgpmic_cli.figures.one_fit.all_of_them.draw_all", draw_nothing)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command in a folder of its own, with a small CSV in it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        rng.randn(30, 3) + 5.0 * (np.arange(30) % 2)[:, None], columns=["a", "b", "c"]
    )
    frame.to_csv("plain.csv", index=False)
    frame.assign(kind=np.where(np.arange(30) % 2, "odd", "even")).to_csv("named.csv", index=False)

    def call(*arguments):
        return CliRunner().invoke(app, ["fit", *arguments])

    return call


def test_everything_is_written_and_agrees(run, tmp_path):
    result = run("iris", *QUICK, "--json", "--seed", "3")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    folder = tmp_path / "sgpmic-out" / "fit" / "iris"
    assert {path.name for path in folder.iterdir()} == FILES
    data, model = load("iris"), PaperSGPMIC.load(folder / "model.npz")
    assert (document["clusters"], document["dims"], document["inducing"], document["seed"]) == (
        3,
        2,
        10,
        3,
    )
    assert document["scores"]["acc"] == purity(data.labels, model.labels_)
    assert document["lower_bound"] == model.lower_bound_
    assert sum(document["sizes"]) == 150
    labels = read(folder / "labels.csv")
    assert list(labels.columns) == ["row", "label", "p0", "p1", "p2"]
    assert labels["row"].tolist() == list(range(1, 151))
    assert np.array_equal(labels["label"], model.labels_)
    assert np.array_equal(labels[["p0", "p1", "p2"]], model.responsibilities_)
    embedding = read(folder / "embedding.csv")
    assert np.array_equal(embedding[["x1", "x2"]], model.embedding_)
    trace = read(folder / "trace.csv")
    assert trace["step"].tolist() == ["E", "M", "E", "M", "E"]
    assert trace["round"].tolist() == [1, 1, 2, 2, 2]
    assert trace["bound"].tolist() == model.lower_bounds_
    assert trace["acc"].iloc[-1] == document["scores"]["acc"]
    assert list(model.feature_names_in_) == list(data.feature_names)


@pytest.mark.slow
def test_the_same_command_gives_the_same_bytes(run, tmp_path):
    for name in ("one", "two"):
        assert run("iris", *QUICK, "--out", name).exit_code == 0
    for name in FILES - {"manifest.json", "model.npz", "report.html"}:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), (
            name
        )


def test_the_table_is_on_stdout_and_progress_on_stderr(run, no_figures):
    result = run("iris", *QUICK)
    assert result.exit_code == 0
    assert "ACC" in result.stdout
    assert "150 rows, 4 columns" in result.stdout
    lines = result.stderr.splitlines()
    assert re.match(r"round 1/2: bound -.*, ACC ", lines[0])
    assert re.fullmatch(r"page, model, tables and figures in sgpmic-out/fit/iris; \d+ s", lines[-1])
    assert run("iris", *QUICK, "--quiet", "--force").stderr == ""
    assert "\x1b" not in result.output


def test_all_columns_are_used_and_uneven_ones_get_a_hint(run, no_figures):
    hint = "the variance of column 'proline' is"
    bare = run("wine", *QUICK, "--scale", "none", "--json")
    assert json.loads(bare.stdout)["columns"] == 13
    assert sum(hint in line for line in bare.stderr.splitlines()) == 1
    again = (*QUICK, "--force")
    assert (hint in run("wine", *again).stderr) == (PaperSGPMIC().scale != "standard")
    assert hint not in run("wine", *again, "--scale", "standard").stderr
    assert hint not in run("wine", *again, "--scale", "global").stderr
    assert "variance" not in run("iris", *again, "--scale", "none").stderr


def test_files_of_ones_own(run, tmp_path, no_figures):
    plain = json.loads(run("plain.csv", *QUICK, "--clusters", "2", "--dims", "2", "--json").stdout)
    assert (plain["scores"], plain["classes"], plain["out"]) == (
        None,
        None,
        "sgpmic-out/fit/plain.csv",
    )
    assert pd.read_csv(tmp_path / "sgpmic-out/fit/plain.csv/trace.csv")["acc"].isna().all()
    named = json.loads(run("named.csv", *QUICK, "--label", "kind", "--json").stdout)
    assert named["clusters"] == named["classes"] == 2
    assert named["scores"]["acc"] == 100.0


def test_a_fit_is_not_written_over_unless_forced(run, tmp_path, no_figures):
    arguments = ("plain.csv", *QUICK, "--clusters", "2", "--dims", "2")
    assert run(*arguments).exit_code == 0
    model = tmp_path / "sgpmic-out/fit/plain.csv/model.npz"
    before = model.read_bytes()
    refused = run(*arguments, "--seed", "5")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "sgpmic: 'sgpmic-out/fit/plain.csv' holds a fit already: name another --out to keep both, or replace it with "
        "--force.\n"
    )
    assert model.read_bytes() == before
    assert run(*arguments, "--seed", "5", "--force").exit_code == 0
    assert model.read_bytes() != before


def test_the_input_is_not_written_over(run, tmp_path):
    (tmp_path / "labels.csv").write_bytes((tmp_path / "plain.csv").read_bytes())
    before = sorted(tmp_path.rglob("*"))
    result = run("labels.csv", *QUICK, "--clusters", "2", "--out", ".")
    assert result.exit_code == 2
    assert "the results would replace 'labels.csv', which is read here" in result.stderr
    assert (tmp_path / "labels.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    assert sorted(tmp_path.rglob("*")) == before


def predict(*arguments):
    return CliRunner().invoke(app, ["predict", *arguments])


@pytest.mark.parametrize("scale", ["global", "standard"])
def test_a_raw_table_from_fit_to_predict(run, tmp_path, no_figures, scale):
    table, new = birds(), birds(40, seed=1)
    table.to_csv("birds.csv", index=False)
    result = run(
        "birds.csv", "--setting", "paper", "--clusters", "3", "--inducing", "20", "--scale", scale
    )
    assert result.exit_code == 0, result.output
    assert "note: column 'bird' is left out" in result.stderr
    assert "missing values in" in result.stderr
    labels = pd.read_csv("sgpmic-out/fit/birds.csv/labels.csv")
    assert labels["id"].tolist() == table["bird"].tolist()
    assert (
        pd.read_csv("sgpmic-out/fit/birds.csv/embedding.csv")["id"].tolist()
        == table["bird"].tolist()
    )
    back = predict("sgpmic-out/fit/birds.csv", "birds.csv", "--out", "back")
    assert back.exit_code == 0, back.output
    assert (pd.read_csv("back/labels.csv")["label"] == labels["label"]).mean() > 0.95
    new.to_csv("new.csv", index=False)
    new[new.columns[::-1]].assign(extra=1).to_csv("shuffled.csv", index=False)
    assert predict("sgpmic-out/fit/birds.csv", "new.csv", "--out", "one").exit_code == 0
    shuffled = predict("sgpmic-out/fit/birds.csv", "shuffled.csv", "--out", "two")
    assert shuffled.exit_code == 0
    assert "ignored: 'extra'" in shuffled.stderr
    assert (tmp_path / "one/labels.csv").read_bytes() == (tmp_path / "two/labels.csv").read_bytes()


def test_rows_left_out_keep_the_numbers_of_the_others(run, tmp_path, no_figures):
    table = birds(60)
    table.to_csv("birds.csv", index=False)
    arguments = (
        "--clusters",
        "2",
        "--id",
        "bird",
        "--missing",
        "drop",
        "--encode",
        "drop",
        "--json",
    )
    result = run("birds.csv", *QUICK, *arguments)
    assert result.exit_code == 0, result.output
    whole = table.drop(columns=["island", "sex"]).dropna()
    labels = pd.read_csv("sgpmic-out/fit/birds.csv/labels.csv")
    assert labels["row"].tolist() == (whole.index + 1).tolist()
    assert labels["id"].tolist() == whole["bird"].tolist()
    assert json.loads(result.stdout)["columns"] == 4


def test_all_problems_are_told_with_the_options_that_this_command_has(run, tmp_path):
    (tmp_path / "raw.csv").write_text(
        "when,a,b\n2024-01-31,1,2\n2024-02-01,x,3\n2024-02-02,4,5\n2024-02-02,9,\n"
    )
    result = run("raw.csv", "--clusters", "2", "--missing", "error")
    assert result.exit_code == 2
    assert "raw.csv has 3 problems: (1) column 'when' holds dates or times" in result.stderr
    for option in ("--drop when", "--drop a", "--missing median", "--missing drop"):
        assert f"({option})" in result.stderr
    benchmark = CliRunner().invoke(app, ["benchmark", "--dataset", "raw.csv", "--label", "b"])
    assert benchmark.exit_code == 2
    assert "holds dates" in benchmark.stderr
    assert "--drop" not in benchmark.stderr
    assert "drop=" not in benchmark.stderr


def test_holes_are_left_to_the_model_only_if_it_can_deal_with_them(run, monkeypatch):
    birds(60).to_csv("birds.csv", index=False)
    monkeypatch.setattr("sgpmic_cli.single_fit.fitting.default_missing", lambda setting: "median")
    result = run("birds.csv", *QUICK, "--clusters", "2", "--missing", "model")
    assert result.exit_code == 2
    assert result.stderr == (
        "sgpmic: birds.csv: values are missing, and the model cannot deal with them; fill in medians "
        "(--missing median), or leave such rows out (--missing drop).\n"
    )


def test_decimal_commas_and_standard_input(tmp_path, monkeypatch, no_figures):
    monkeypatch.chdir(tmp_path)
    text = birds(40, holes=0.0).to_csv(index=False, sep=";", decimal=",")
    arguments = [
        "fit",
        "-",
        *QUICK,
        "--clusters",
        "2",
        "--decimal",
        ",",
        "--columns",
        "bill_length,body_mass",
    ]
    result = CliRunner().invoke(app, arguments, input=text.encode())
    assert result.exit_code == 0, result.output
    assert "standard-input: 40 rows, 2 columns" in result.stdout
    placed = CliRunner().invoke(
        app, ["predict", "sgpmic-out/fit/standard-input", "-"], input=text.encode()
    )
    assert placed.exit_code == 0, placed.output


def test_a_header_of_numbers_is_pointed_out(run, tmp_path, no_figures):
    frame = pd.read_csv(tmp_path / "plain.csv").set_axis(["2019", "2020", "2021"], axis=1)
    frame.to_csv(tmp_path / "years.csv", index=False)
    result = run("years.csv", *QUICK, "--clusters", "2", "--dims", "2")
    assert "31 rows" in result.stdout
    assert (
        "note: no header was found in years.csv, so its first line is read as data."
        in result.stderr
    )


def test_restarts_are_told_and_the_kept_one_is_traced(run, tmp_path, no_figures):
    result = run("iris", *QUICK, "--init", "3", "--out", "x", "--json")
    assert "restart 1/3, round 1/2" in result.stderr
    trace = read(tmp_path / "x" / "trace.csv")
    model = PaperSGPMIC.load(tmp_path / "x" / "model.npz")
    assert trace["bound"].tolist() == model.lower_bounds_
    run("iris", *QUICK, "--init", "1", "--out", "y", "--json")
    assert model.lower_bound_ >= PaperSGPMIC.load(tmp_path / "y" / "model.npz").lower_bound_


@pytest.mark.parametrize("setting", ["default", "paper"])
def test_a_gpu_that_is_not_there_is_a_note(run, no_figures, monkeypatch, setting):
    monkeypatch.setattr(choice, "missing", lambda: "none is plugged in")
    clusters = ("--clusters", "2", "--iterations", "2", "--inducing", "5")
    result = run("plain.csv", *clusters, "--setting", setting, "--device", "auto")
    assert result.exit_code == 0
    assert (
        "note: device='auto' finds no GPU (none is plugged in), so the fit computes with NumPy."
        in result.stderr
    )


def test_more_inducing_inputs_than_rows_is_a_note(run, no_figures):
    result = run(
        "plain.csv",
        "--setting",
        "paper",
        "--iterations",
        "1",
        "--clusters",
        "2",
        "--inducing",
        "50",
    )
    assert result.exit_code == 0
    assert "note: --inducing 50 is more than the 30 rows; 30 are used." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "sentence"),
    [
        (["irs"], 2, "did you mean 'iris'?"),
        (["none.csv"], 2, "there is no file none.csv"),
        (
            ["plain.csv", "--setting", "paper"],
            2,
            "such as --clusters 3, or name the column of classes with --label COLUMN",
        ),
        (["iris", "--drop", "petal_width"], 2, "iris is a registered set"),
        (
            ["plain.csv", "--missing", "model", "--clusters", "2", "--drop", "z"],
            2,
            "no column 'z' for drop",
        ),
        (["plain.csv", "--separator", "ab"], 2, "give one character"),
        (["named.csv", "--label", "knd"], 2, "did you mean 'kind'?"),
        (["iris", "--label", "x"], 2, "iris brings its own classes"),
        (["iris", "--dims", "2", "--variance", "95"], 2, "give one of them"),
        (["iris", "--variance", "0.95"], 2, "a percentage from 1 to below 100"),
        (["iris", "--variance", "100"], 2, "a percentage from 1 to below 100"),
        (["iris", "--variance", "nan"], 2, "a percentage from 1 to below 100"),
        (["iris", "--clusters", "0"], 2, "--clusters must be a whole number from 1"),
        (
            ["iris", "--clusters", "151"],
            2,
            "--clusters 151 needs at least that many distinct rows; there are 147",
        ),
        (["iris", "--dims", "5"], 2, "--dims 5 needs at least that many columns"),
        (["iris", "--dims", "0"], 2, "--dims 0: a latent space has at least one dimension"),
        (
            ["iris", "--kernel", "cosine"],
            2,
            "'--kernel': Value error, 'cosine' is not one of 'rbf', 'linear'",
        ),
        (["iris", "--optimizer", "adam"], 2, "'adam' is not one of 'lbfgs', 'scg'"),
        (["iris", "--scale", "some"], 2, "'some' is not one of 'none', 'global', 'standard'"),
        (["iris", "--iterations", "0"], 2, "--iterations must be"),
        (["iris", "--inducing", "0"], 2, "--inducing must be"),
        (["iris", "--setting", "paper", "--init", "0"], 2, "--init must be"),
        (
            ["iris", "--clusters", "some"],
            2,
            "--clusters some: give a number such as 3, a range such as 2-8, or auto",
        ),
        (["iris", "--clusters", "8-2"], 2, "the smaller one first, not (8, 2)"),
        (
            ["iris", "--clusters", "2-8", "--setting", "paper"],
            2,
            "the paper's setting does not choose for you",
        ),
        (
            ["iris", "--dims", "auto", "--setting", "paper"],
            2,
            "the paper's setting does not choose for you",
        ),
        (["iris", "--dims", "few"], 2, "--dims few: give a number such as 2, or auto"),
        (
            ["iris", "--kernel", "rbf"],
            2,
            "--kernel rbf belongs to the paper's setting: add --setting paper",
        ),
        (["iris", "--n-init", "2"], 2, "--init 2 belongs to the paper's setting"),
        (
            ["iris", "--setting", "paper", "--temp-folder", "."],
            2,
            "--temp-folder . belongs to the default setting",
        ),
        (
            ["iris", "--temp-folder", "none"],
            2,
            "--temp-folder must be None or a folder that is there, not 'none'",
        ),
        (["iris", "--no-such"], 2, "No such option: --no-such"),
        (
            ["huge.csv", "--clusters", "2", "--scale", "none", "--setting", "paper"],
            2,
            "fit with --scale 'global'",
        ),
        (["equal.csv", "--clusters", "2"], 2, "all rows of equal.csv are equal"),
        (["iris", "--out", "plain.csv"], 1, "cannot write into --out 'plain.csv'"),
        (["yale", "--offline", "--data-dir", "none"], 4, "yale is unavailable"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    run, tmp_path, monkeypatch, arguments, exit_code, sentence
):
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    (tmp_path / "huge.csv").write_text("a,b\n1e40,2e40\n3e40,1e40\n2e40,5e40\n7e40,1e40\n")
    (tmp_path / "equal.csv").write_text("a,b\n" + "1,2\n" * 5)
    before = sorted(tmp_path.rglob("*"))
    result = run(*arguments)
    assert result.exit_code == exit_code, result.output
    assert result.stderr.startswith("sgpmic: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_a_figure_that_cannot_be_drawn_does_not_cost_the_fit(run, tmp_path, monkeypatch):
    assert run("iris", *QUICK, "--out", "kept").exit_code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()}

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sgpmic_cli.figures.one_fit.all_of_them.draw_embedding", fail)
    result = run("iris", *QUICK, "--out", "kept", "--seed", "9", "--force")
    assert result.exit_code == 0
    assert (
        "the figure embedding could not be drawn (OSError: [Errno 28] No space left on device)."
        in result.stderr
    )
    after = {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    assert before.keys() - after.keys() == {
        "embedding.png",
        "embedding.pdf",
    }  # those of the other fit do not stay
    assert after["model.npz"] != before["model.npz"]


def test_an_interrupt_writes_nothing(tmp_path):
    arguments = ["fit", "iris", "--iterations", "100000", "--out", str(tmp_path / "out" / "deep")]
    process = subprocess.Popen(
        [sys.executable, "-m", "sgpmic_cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr is not None
    assert any(line.startswith("round 1/100000: bound") for line in process.stderr)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert stderr.splitlines()[-1] == "sgpmic: interrupted; nothing was written."
    assert "Traceback" not in stderr
    assert stdout == ""
    assert not list(tmp_path.iterdir())
