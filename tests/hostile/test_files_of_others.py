"""A command writes into a folder that is new, empty or its own, and replaces only its own files."""

import json
import os

import pytest
from command_checks import snapshot

from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.output_folder import MARKER, Marker, claim_folder, output_folder, read_marker

FIT = ["fit", "my.csv", "--label", "kind", "--clusters", "2"]
BENCHMARK = ["benchmark", "--dataset", "my.csv", "--label", "kind", "--methods", "pca-fcm"]
SWEEP = ["sweep-clusters", "--dataset", "my.csv", "--label", "kind"]
NOT_OURS = "did not write, such as"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([*FIT, "--force"], "numbers-tried.png"),
        ([*FIT, "--force"], "model.npz"),
        (FIT, "unrelated.txt"),
        *((FIT, name) for name in ("labels.csv/", f"{MARKER}/", MARKER)),
        (BENCHMARK, "table.csv"),
        ([*BENCHMARK, "--force"], "manifest.json"),
        (SWEEP, "sweep.csv"),
        (["table1"], "table1.csv"),
        (["plot", "figure1"], "figure1.png"),
    ],
)
def test_a_folder_with_files_of_the_user_is_refused(folder, refused, arguments, name):
    if name.endswith("/"):
        (folder / "d" / name).mkdir(parents=True)
    else:
        (folder / "d").mkdir()
        (folder / "d" / name).write_text("the user's")
    refused([*arguments, "--out", "d"], 2, NOT_OURS)


@pytest.mark.parametrize("arguments", [FIT, BENCHMARK, SWEEP, ["table1"], ["plot", "figure1"]])
def test_results_of_another_command_are_kept(folder, refused, arguments):
    (folder / "d").mkdir()
    Marker("predict", frozenset({"labels.csv"})).write(folder / "d")
    (folder / "d" / "labels.csv").write_text("row,label\n1,0\n")
    refused([*arguments, "--out", "d"], 2, "contains the results of `sgpmic predict`")


@pytest.mark.parametrize(
    ("arguments", "name", "pattern"),
    [
        ([*FIT, "--force"], "labels.csv", "link.csv"),
        (BENCHMARK, "table.csv", "link.csv"),
        (BENCHMARK, "table.csv", "[l-t]*.csv"),
        ([*BENCHMARK[:1], "iris,table.csv", *BENCHMARK[3:]], "table.csv", ""),
        (SWEEP, "sweep.csv", "link.csv"),
    ],
)
def test_an_own_file_that_is_read_is_not_replaced(folder, refused, arguments, name, pattern):
    Marker(arguments[0], frozenset({name})).write(folder)
    (folder / name).write_text((folder / "my.csv").read_text())
    (folder / "link.csv").symlink_to(name)
    given = [pattern if each == "my.csv" else each for each in arguments]
    refused([*given, "--out", "."], 2, f"the results would replace '{name}', which is read here")


def test_standard_input_is_not_replaced(folder, shell):
    (folder / "d").mkdir()
    (folder / "d" / "labels.csv").write_text((folder / "my.csv").read_text())
    Marker("fit", frozenset({"labels.csv"})).write(folder / "d")
    before = snapshot(folder)
    with (folder / "d" / "labels.csv").open() as stream:
        process = shell("fit", "-", "--label", "kind", "--out", "d", "--force", stdin=stream)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, snapshot(folder)) == (2, before)
    assert "would replace 'd/labels.csv'" in stderr


def write(out, mode, names):
    with output_folder(out, "fit", mode) as folder:
        for name in names:
            (folder / name).write_text("new")


def test_force_replaces_only_what_the_marker_lists(tmp_path):
    write(tmp_path, "new", ["labels.csv", "numbers-tried.png"])
    (tmp_path / "notes.txt").write_text("the user's")
    (tmp_path / "labels.csv").write_text("old")
    with pytest.raises(UsageError, match="already contains the results of `sgpmic fit`"):
        write(tmp_path, "new", ["labels.csv"])
    write(tmp_path, "replace", ["labels.csv"])
    assert sorted(os.listdir(tmp_path)) == [MARKER, "labels.csv", "notes.txt"]
    assert (tmp_path / "labels.csv").read_text() == "new"
    assert (tmp_path / "notes.txt").read_text() == "the user's"


def test_a_command_that_adds_files_keeps_its_other_files(tmp_path):
    write(tmp_path, "add", ["figure1.png"])
    write(tmp_path, "add", ["figure2.png"])
    assert read_marker(tmp_path).files == {"figure1.png", "figure2.png"}
    assert sorted(os.listdir(tmp_path)) == [MARKER, "figure1.png", "figure2.png"]


@pytest.mark.parametrize("made", ["write_text", "mkdir"])
@pytest.mark.parametrize("listed", [[], ["notes.txt"], ["labels.csv"]])
def test_what_appears_during_the_work_is_kept_and_nothing_is_written(tmp_path, made, listed):
    if listed:
        write(tmp_path, "new", listed)
    target = tmp_path / "labels.csv"

    def fit():
        with output_folder(tmp_path, "fit", "replace") as folder:
            (folder / "embedding.csv").write_text("new")
            (folder / "labels.csv").write_text("new")
            target.unlink(missing_ok=True)
            target.write_text("the user's") if made == "write_text" else target.mkdir()

    if listed == ["labels.csv"] and made == "write_text":
        fit()  # an own file
        assert target.read_text() == "new"
        return
    with pytest.raises(UsageError, match=f"{NOT_OURS}|is in the way"):
        fit()
    assert target.is_dir() or target.read_text() == "the user's"
    expected = {"labels.csv", *listed, *([MARKER] if listed else [])}
    assert set(os.listdir(tmp_path)) == expected


@pytest.mark.parametrize("mode", ["new", "replace"])
def test_the_second_of_two_fits_into_one_folder_is_refused(tmp_path, mode):
    with output_folder(tmp_path / "out", "fit", mode) as folder:
        (folder / "labels.csv").write_text("first")
        with pytest.raises(UsageError, match="another command is writing into"):
            write(tmp_path / "out", mode, ["labels.csv"])
    assert (tmp_path / "out" / "labels.csv").read_text() == "first"


LISTS = (5, ["../my.csv"], ["/etc/passwd"], ["a\0b"], "labels.csv", {"labels.csv": 1})


@pytest.mark.parametrize(
    "fields", ["", {}, [], {"command": "fit"}, *({"command": "fit", "files": f} for f in LISTS)]
)
def test_a_damaged_marker_is_no_marker(folder, refused, fields):
    (folder / "d").mkdir()
    (folder / "d" / MARKER).write_text(json.dumps(fields, indent=2) + "\n")
    (folder / "d" / "labels.csv").write_text("the user's")
    refused([*FIT, "--force", "--out", "d"], 2, NOT_OURS)


def test_hidden_files_do_not_count(tmp_path):
    (tmp_path / ".gitkeep").touch()
    write(tmp_path, "new", ["labels.csv"])
    assert (tmp_path / ".gitkeep").exists()


def test_an_interrupted_benchmark_resumes_in_its_folder(tmp_path):
    out = tmp_path / "out"
    with claim_folder(out, "benchmark", [], out / "runs"):
        pass
    assert not out.exists()  # nothing was stored
    with claim_folder(out, "benchmark", [], out / "runs"):
        (out / "runs" / "record.json").touch()
    with claim_folder(out, "benchmark", [], out / "runs"):
        pass
    with (
        pytest.raises(UsageError, match="contains the results of `sgpmic benchmark`"),
        claim_folder(out, "sweep-clusters", [], out / "runs"),
    ):
        pass
    assert sorted(os.listdir(out)) == [MARKER, "runs"]
