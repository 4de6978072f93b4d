import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import purity


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        rng.randn(40, 3) + 5.0 * (np.arange(40) % 2)[:, None], columns=["a", "b", "c"]
    )
    return PaperSGPMIC(2, 2, n_inducing=10, max_iter=3, random_state=0).fit(frame), frame


@pytest.fixture
def run(fitted, tmp_path, monkeypatch):
    """The command in a folder with a model, its training rows and new rows."""
    monkeypatch.chdir(tmp_path)
    model, frame = fitted
    model.save("model.npz")
    frame.to_csv("train.csv", index=False)
    (frame + 0.1).assign(kind=np.where(np.arange(40) % 2, "odd", "even")).to_csv(
        "new.csv", index=False
    )

    def call(*arguments):
        return CliRunner().invoke(app, ["predict", *arguments])

    return call


def test_new_rows_get_labels_probabilities_and_points(run, fitted, tmp_path):
    model, frame = fitted
    result = run("model.npz", "new.csv", "--label", "kind", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    folder = tmp_path / "sgpmic-out" / "predict" / "new.csv"
    assert {path.name for path in folder.iterdir()} == {"labels.csv", "embedding.csv"}
    new = frame + 0.1
    labels = pd.read_csv(folder / "labels.csv", dtype=str).astype(float)
    assert np.array_equal(labels[["p0", "p1"]], model.predict_proba(new))
    assert np.array_equal(labels["label"], model.predict(new))
    embedding = pd.read_csv(folder / "embedding.csv", dtype=str).astype(float)
    assert np.array_equal(embedding[["x1", "x2"]], model.transform(new))
    assert document["scores"]["acc"] == purity(np.arange(40) % 2, model.predict(new)) == 100.0
    assert document["sizes"] == [20, 20]


def test_training_rows_come_back_with_their_labels(run, fitted, tmp_path):
    assert run("model.npz", "train.csv", "--out", "back").exit_code == 0
    assert np.array_equal(pd.read_csv(tmp_path / "back" / "labels.csv")["label"], fitted[0].labels_)


def test_a_single_row_can_be_placed(run, fitted, tmp_path):
    fitted[1].iloc[:1].to_csv("one.csv", index=False)
    assert run("model.npz", "one.csv", "--out", "one").exit_code == 0
    assert pd.read_csv(tmp_path / "one" / "labels.csv")["label"].tolist() == [fitted[0].labels_[0]]


def test_the_folder_of_a_fit_is_a_model_too(run, tmp_path):
    (tmp_path / "fit").mkdir()
    (tmp_path / "model.npz").rename(tmp_path / "fit" / "model.npz")
    result = run("fit", "train.csv")
    assert result.exit_code == 0
    assert "2 of sizes 20, 20" in result.stdout
    assert "ACC" not in result.stdout
    assert "sgpmic-out/predict/train.csv" in result.stderr


def test_a_file_without_header_is_taken_by_position(run, fitted, tmp_path):
    fitted[1].to_csv("bare.csv", index=False, header=False)
    assert run("model.npz", "bare.csv").exit_code == 0
    assert np.array_equal(
        pd.read_csv("sgpmic-out/predict/bare.csv/labels.csv")["label"], fitted[0].labels_
    )


def test_columns_are_found_by_name_and_others_ignored_with_a_note(run, fitted, tmp_path):
    fitted[1].assign(d=1.0)[["d", "c", "a", "b"]].to_csv("more.csv", index=False)
    result = run("model.npz", "more.csv")
    assert result.exit_code == 0
    assert "note: columns that the model does not know are ignored: 'd'." in result.stderr
    assert np.array_equal(
        pd.read_csv("sgpmic-out/predict/more.csv/labels.csv")["label"], fitted[0].labels_
    )


def test_the_input_is_not_written_over(run, fitted, tmp_path):
    (tmp_path / "p").mkdir()
    fitted[1].to_csv("p/embedding.csv", index=False)
    before = (tmp_path / "p" / "embedding.csv").read_bytes()
    result = run("model.npz", "p/embedding.csv", "--out", "p")
    assert result.exit_code == 2
    assert "the results would replace 'p/embedding.csv', which is read here" in result.stderr
    assert (tmp_path / "p" / "embedding.csv").read_bytes() == before


def test_the_folder_of_a_fit_is_not_written_over(run, tmp_path):
    before = sorted(tmp_path.iterdir())
    result = run("model.npz", "new.csv", "--label", "kind", "--out", ".")
    assert result.exit_code == 2
    assert "'.' holds a fit" in result.stderr
    assert "--out" in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("model", "data", "sentence"),
    [
        ("none.npz", "train.csv", "There is no model file none.npz"),
        ("train.csv", "train.csv", "train.csv is not a readable sgpmic model"),
        ("model.npz", "none.csv", "there is no file none.csv"),
        ("model.npz", "irs", "did you mean 'iris'?"),
        (
            "model.npz",
            "iris",
            "columns of the model are missing: 'a', 'b', 'c', and unknown ones are there: 'sepal_",
        ),
        ("model.npz", "fewer.csv", "columns of the model are missing: 'c'"),
        ("model.npz", "bare.csv", "bare.csv: 2 columns where the model has 3"),
        ("model.npz", "holes.csv", "row 1 (line 2), column 'a': the value is missing"),
        ("model.npz", "far.csv", "too far from the training rows"),
    ],
)
def test_what_does_not_fit_is_told_and_leaves_nothing(run, fitted, tmp_path, model, data, sentence):
    frame = fitted[1]
    frame.where(frame != frame.iloc[0, 0]).to_csv("holes.csv", index=False)
    frame[["a", "b"]].to_csv("fewer.csv", index=False)
    frame[["a", "b"]].to_csv("bare.csv", index=False, header=False)
    (frame * 1e200).to_csv("far.csv", index=False)
    before = sorted(tmp_path.rglob("*"))
    result = run(model, data)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("sgpmic: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert sorted(tmp_path.rglob("*")) == before
