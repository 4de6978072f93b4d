"""Files and folders are written completely or not at all; only own files are replaced."""

import json
import os
import signal

import pytest

from sgpmic_cli.errors import UsageError
from sgpmic_cli.files import (
    MARKER,
    TEMPORARY,
    claim_folder,
    locked,
    output_folder,
    own_files,
    write_whole,
)

NAMES = ["labels.csv", "model.npz"]


def write(out, text, mode="replace", names=NAMES):
    with output_folder(out, "fit", mode) as folder:
        for name in names:
            (folder / name).write_text(text)


def texts(out):
    return {path.name: path.read_text() for path in out.iterdir() if path.name != MARKER}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_after_an_error_the_old_files_remain_and_nothing_else(tmp_path, monkeypatch, error):
    write_whole(tmp_path / "out" / "page.html", "old\n")
    write(tmp_path / "fit", "old\n")

    def fail(*paths):
        raise error

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(type(error)):
        write_whole(tmp_path / "out" / "page.html", "new\n")
    with pytest.raises(type(error)):
        write(tmp_path / "fit", "new\n")
    with pytest.raises(type(error)), output_folder(tmp_path / "new" / "deep", "fit"):
        raise error
    assert texts(tmp_path / "out") == {"page.html": "old\n"}
    assert texts(tmp_path / "fit") == dict.fromkeys(NAMES, "old\n")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("moves", range(5))
def test_a_kill_between_two_moves_leaves_whole_files_that_force_replaces(tmp_path, moves):
    write(tmp_path, "old")
    child = os.fork()
    if child == 0:
        replace, count = os.replace, iter(range(99))

        def counted(*paths):
            if next(count) == moves:
                os.kill(os.getpid(), signal.SIGKILL)
            replace(*paths)

        os.replace = counted
        write(tmp_path, "new")
        os._exit(0)
    os.waitpid(child, 0)
    assert {(tmp_path / name).read_text() for name in NAMES} <= {"old", "new"}
    write(tmp_path, "newer")
    assert texts(tmp_path) == dict.fromkeys(NAMES, "newer")  # without temporary folders


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to a device"])
def test_only_files_are_replaced(tmp_path, kind):
    path = tmp_path / "page.html"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/null")
    with pytest.raises(UsageError, match="is in the way"):
        write_whole(path, "text")
    assert not path.is_file()


def test_force_replaces_only_what_the_marker_lists(tmp_path):
    (tmp_path / ".gitkeep").touch()  # hidden files do not count
    write(tmp_path, "new", "new", ["labels.csv", "old.png"])
    (tmp_path / "notes.txt").write_text("the user's")
    with pytest.raises(UsageError, match="already contains the results of `sgpmic fit`"):
        write(tmp_path, "newer", "new")
    write(tmp_path, "newer", "replace", ["labels.csv"])
    assert texts(tmp_path) == {".gitkeep": "", "labels.csv": "newer", "notes.txt": "the user's"}
    with pytest.raises(UsageError, match="is in the way and was not written by sgpmic"):
        write(tmp_path, "newest", "replace", ["labels.csv", "notes.txt"])
    assert texts(tmp_path)["labels.csv"] == "newer"


def test_a_command_that_adds_files_keeps_its_other_files(tmp_path):
    write(tmp_path, "one", "add", ["figure1.png"])
    write(tmp_path, "two", "add", ["figure2.png"])
    assert texts(tmp_path) == {"figure1.png": "one", "figure2.png": "two"}
    assert own_files(tmp_path, "fit", "add") == {"figure1.png", "figure2.png"}


@pytest.mark.parametrize("marker", [None, "", "[]", '{"command": "fit", "files": 5}'])
@pytest.mark.parametrize("mode", ["new", "replace", "add"])
def test_a_folder_of_others_is_refused(tmp_path, marker, mode):
    (tmp_path / "notes.txt").write_text("the user's")
    if marker is not None:
        (tmp_path / MARKER).write_text(marker)
    with pytest.raises(UsageError, match=r"did not write, such as 'notes\.txt'"):
        write(tmp_path, "new", mode)
    (tmp_path / MARKER).write_text(json.dumps({"command": "plot", "files": ["notes.txt"]}))
    with pytest.raises(UsageError, match="contains the results of `sgpmic plot`"):
        write(tmp_path, "new", mode)
    assert texts(tmp_path) == {"notes.txt": "the user's"}


def test_a_second_command_in_one_folder_is_refused(tmp_path):
    with output_folder(tmp_path / "out", "fit", "new") as folder:
        (folder / "labels.csv").write_text("first")
        with pytest.raises(UsageError, match="another command is writing into"):
            write(tmp_path / "out", "second")
    assert texts(tmp_path / "out") == {"labels.csv": "first"}


def test_an_interrupted_benchmark_resumes_in_its_folder(tmp_path):
    for _ in range(2):
        claim_folder(tmp_path / "out", "benchmark")
        (tmp_path / "out" / "runs").mkdir(exist_ok=True)
    with pytest.raises(UsageError, match="contains the results of `sgpmic benchmark`"):
        claim_folder(tmp_path / "out", "sweep-clusters")


def test_leftovers_of_killed_processes_are_removed(tmp_path):
    (tmp_path / f"{TEMPORARY}a").mkdir()
    for name in (f"{TEMPORARY}a/labels.csv", f"{TEMPORARY}b", ".sgpmic-notes"):
        (tmp_path / name).write_text("text")
    with locked(tmp_path):
        assert texts(tmp_path) == {".sgpmic-notes": "text"}
