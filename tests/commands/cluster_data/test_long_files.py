"""Files that go through in blocks: what is written is the same however they are cut."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sgpmic_cli import SGPMIC, row_blocks
from sgpmic_cli.commands import app
from sgpmic_cli.data import load
from sgpmic_cli.data.intake import parquet, reading
from sgpmic_cli.data.intake.options import TableOptions
from sgpmic_cli.model import estimator
from sgpmic_cli.model.paper import placement as paper_placement
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.model.variational import placement
from sgpmic_cli.single_fit import fitting, prediction

TABLES = ("labels.csv", "embedding.csv")
RNG = np.random.RandomState(0)
TRAIN = pd.DataFrame(RNG.randn(60, 3) + 6.0 * (np.arange(60) % 2)[:, None], columns=["a", "b", "c"])
NEW = pd.DataFrame(RNG.randn(150, 3) + 6.0 * (np.arange(150) % 2)[:, None], columns=["a", "b", "c"])


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Rows that are placed together share their last digits, so the company must be the same in both runs.
    monkeypatch.setattr(placement, "BLOCK", 4)
    monkeypatch.setattr(paper_placement, "BLOCK", 4)
    return tmp_path


@pytest.fixture
def cut(monkeypatch):
    def into_small_blocks():
        for module in (row_blocks, parquet, prediction):
            monkeypatch.setattr(module, "ROWS", 16)
        monkeypatch.setattr(reading, "PIECE", 500)

    return into_small_blocks


def written(folder):
    return [(folder / name).read_bytes() for name in TABLES]


def write(kind, table):
    name = f"new.{kind}"
    if kind == "npy":
        np.save(name, table[["a", "b", "c"]].to_numpy())
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(name, row_group_size=40)
    else:
        table.to_csv(name, index=False)
    return name


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "npy", "parquet"])
@pytest.mark.parametrize(
    "model", [SGPMIC(2, max_iter=3, random_state=0), PaperSGPMIC(2, n_inducing=9, max_iter=2)]
)
def test_a_file_in_blocks_is_written_byte_for_byte_as_in_one(here, cut, kind, model):
    model.fit(TRAIN.to_numpy() if kind == "npy" else TRAIN).save("model.npz")
    names = [f'bird "{i}",\n of many' if i % 7 == 0 else f"{i:04d}" for i in range(150)]
    table = NEW.assign(name=names, kind=np.where(np.arange(150) % 2, "1", "1.0"))
    named = [] if kind == "npy" else ["--id", "name", "--label", "kind"]
    data = write(kind, table)
    one = run("predict", "model.npz", data, "--out", "one", "--json", *named)
    assert one.exit_code == 0, one.output
    cut()
    many = run("predict", "model.npz", data, "--out", "many", "--json", *named)
    assert many.exit_code == 0, many.output
    assert written(here / "one") == written(here / "many")
    found = pd.read_csv("many/labels.csv", dtype={"id": str})
    assert found["row"].tolist() == list(range(1, 151))
    assert np.array_equal(
        found[["p0", "p1"]], model.predict_proba(NEW if kind != "npy" else NEW.to_numpy())
    )
    if named:
        assert found["id"].tolist() == names
    first, second = (json.loads(result.stdout) for result in (one, many))
    assert first.pop("mean_probability") == pytest.approx(second.pop("mean_probability"))
    assert {**first, "out": ""} == {**second, "out": ""}


@pytest.mark.slow
def test_notes_and_scores_speak_of_the_whole_file(here, cut):
    rng = np.random.RandomState(1)
    train = TRAIN.assign(colour=np.where(np.arange(60) % 3, "red", "blue"))
    train.to_csv("train.csv", index=False)
    for missing in ("model", "median", "drop"):
        data = load("train.csv", table=TableOptions(missing=missing))
        fitting.fit(data, clusters=2, max_iter=2).model.save("model.npz")
        table = NEW.assign(
            colour=np.where(np.arange(150) % 3, "red", "green"), extra=1, kind=np.arange(150) % 2
        )
        table = table.assign(a=table["a"].where(rng.random_sample(150) > 0.1))
        table.to_csv("new.csv", index=False)
        with pytest.MonkeyPatch.context() as patch:
            one = run(
                "predict", "model.npz", "new.csv", "--out", "one", "--json", "--label", "kind"
            )
            for module in (row_blocks, parquet, prediction):
                patch.setattr(module, "ROWS", 16)
            patch.setattr(reading, "PIECE", 500)
            many = run(
                "predict", "model.npz", "new.csv", "--out", "many", "--json", "--label", "kind"
            )
        first, second = (json.loads(result.stdout) for result in (one, many))
        assert first["notes"] == second["notes"]
        assert len(first["notes"]) == 3
        assert (
            "column 'colour' has 50 values that the model does not know, such as 'green' in row 1"
            in first["notes"][1]
        )
        assert first["scores"] == second["scores"]
        assert written(here / "one") == written(here / "many")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("1,x,3", "row 101 (line 102), column 'b': 'x' is not a number"),
        ("1,2", "line 102: 2 cells where the first line has 3"),
        ('1,"2"3,4', "line 102: a quote is not closed or has something beside it"),
        ("1,\xe9,3", "is not in UTF-8 (byte 0xe9 in line 102)"),
        ("1,2,1e300", "Row 101 is too far from the training rows"),
        ("1,2,inf", "row 101 (line 102), column 'c': the value is not finite"),
    ],
)
def test_what_is_wrong_far_down_is_told_with_its_place_and_leaves_nothing(
    here, cut, line, sentence
):
    SGPMIC(2, max_iter=2, random_state=0).fit(TRAIN).save("model.npz")
    lines = NEW.to_csv(index=False).splitlines()
    lines.insert(101, line)
    (here / "new.csv").write_bytes("\n".join(lines).encode("latin-1"))
    cut()
    before = sorted(here.rglob("*"))
    result = run("predict", "model.npz", "new.csv", "--out", "out")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(here.rglob("*")) == before


def test_a_file_of_which_every_row_is_left_out_is_refused(here, cut):
    TRAIN.to_csv("train.csv", index=False)
    assert (
        run(
            "fit", "train.csv", "--clusters", "2", "--iterations", "2", "--missing", "drop"
        ).exit_code
        == 0
    )
    NEW.assign(b=np.nan).to_csv("new.csv", index=False)
    cut()
    result = run("predict", "sgpmic-out/fit/train.csv", "new.csv", "--out", "out")
    assert result.exit_code == 2
    assert "every row has a missing value" in result.stderr
    assert not (here / "out").exists()


def test_an_interrupt_between_blocks_leaves_what_was_there(here, cut, monkeypatch):
    model = SGPMIC(2, max_iter=2, random_state=0).fit(TRAIN)
    model.save("model.npz")
    NEW.to_csv("new.csv", index=False)
    assert run("predict", "model.npz", "new.csv", "--out", "out").exit_code == 0
    before = written(here / "out")
    cut()
    place, calls = SGPMIC._locate, []

    def interrupted(self, X, first_row=0):
        calls.append(first_row)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return place(self, X, first_row)

    monkeypatch.setattr(SGPMIC, "_locate", interrupted)
    (NEW + 0.5).to_csv("new.csv", index=False)
    result = run("predict", "model.npz", "new.csv", "--out", "out")
    assert result.exit_code == 130
    assert calls == [0, 16, 32, 48]
    assert written(here / "out") == before
    assert {path.name for path in (here / "out").iterdir()} == set(TABLES)


@pytest.mark.slow
def test_a_npy_file_is_clustered_as_the_same_numbers_in_a_csv(here):
    np.save("t.npy", NEW.to_numpy())
    NEW.to_csv("t.csv", index=False, header=False)
    before = (here / "t.npy").read_bytes()
    for name in ("t.npy", "t.csv"):
        result = run("fit", name, "--iterations", "5", "--out", f"of-{name}")
        assert result.exit_code == 0, result.output
    assert written(here / "of-t.npy") == written(here / "of-t.csv")
    assert (here / "of-t.npy/profile.csv").read_bytes() == (
        here / "of-t.csv/profile.csv"
    ).read_bytes()
    assert (here / "t.npy").read_bytes() == before
    for name in ("t.npy", "t.csv"):
        assert run("predict", "of-t.npy", name, "--out", f"back-{name}").exit_code == 0
    assert (
        written(here / "back-t.npy") == written(here / "back-t.csv") == written(here / "of-t.npy")
    )


def test_a_parquet_file_is_the_same_data_as_a_csv_also_where_it_goes_through_a_file(
    here, monkeypatch
):
    NEW.to_csv("t.csv", index=False)
    monkeypatch.setattr(parquet, "FITS_INTO_MEMORY", 0)
    ours, theirs = load(write("parquet", NEW)), load("t.csv")
    assert (ours.sha256, ours.feature_names) == (theirs.sha256, theirs.feature_names)


@pytest.mark.slow
def test_what_belongs_to_every_row_can_lie_in_files(here, monkeypatch):
    monkeypatch.setattr(
        SGPMIC.__init__, "__kwdefaults__", {**SGPMIC.__init__.__kwdefaults__, "max_rows": 40}
    )
    NEW.to_csv("t.csv", index=False)
    (here / "short").mkdir()
    folders, room = [], estimator.array_room
    monkeypatch.setattr(
        estimator, "array_room", lambda shape, folder: folders.append(folder) or room(shape, folder)
    )
    result = run(
        "fit",
        "t.csv",
        "--clusters",
        "2",
        "--iterations",
        "3",
        "--out",
        "out",
        "--temp-folder",
        "short",
    )
    assert result.exit_code == 0, result.output
    assert folders == ["short"] * 4
    assert len(pd.read_csv("out/labels.csv")) == len(NEW)
