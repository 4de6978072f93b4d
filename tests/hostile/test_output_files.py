"""A set of files has one commit point: a killed process leaves all old or all new files."""

import os
import signal

import pytest
from command_checks import snapshot

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.atomic import replacing, write_whole
from sgpmic_cli.files.output_folder import MARKER, output_folder, resumable_folder, settle

NAMES = [f"file{i}" for i in range(8)] + ["manifest.json"]
DEAD = 4194304  # larger than any process number


def _in_a_child(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(9)
    os.waitpid(child, 0)


def _write(out, text):
    with output_folder(out, "fit", "replace") as folder:
        for name in NAMES:
            (folder / name).write_text(text)


def _texts(out):
    return {path.name: path.read_text() for path in out.iterdir() if path.name != MARKER}


@pytest.mark.parametrize("number", [signal.SIGKILL, 0])  # killed, or a move fails
@pytest.mark.parametrize("moves", range(len(NAMES) + 2))
def test_after_the_commit_the_next_command_moves_the_rest(tmp_path, moves, number):
    out = tmp_path / "out"
    _write(out, "old")

    def stopped():
        replace, count = os.replace, iter(range(99))

        def counted(*paths):
            if next(count) == moves:
                os.kill(os.getpid(), number)
                raise PermissionError
            replace(*paths)

        os.replace = counted
        _write(out, "new")

    _in_a_child(stopped)
    settle(out)  # every reader and writer of the folder calls it first
    assert _texts(out) == dict.fromkeys(NAMES, "new")


@pytest.mark.parametrize("written", range(0, len(NAMES), 2))
def test_killed_before_the_commit_the_old_files_remain(tmp_path, written):
    out = tmp_path / "out"
    _write(out, "old")

    def killed():
        with output_folder(out, "fit", "replace") as folder:
            for name in NAMES[:written]:
                (folder / name).write_text("new")
            os.kill(os.getpid(), signal.SIGKILL)

    _in_a_child(killed)
    assert len(list(out.iterdir())) == len(NAMES) + 2
    settle(out)
    assert _texts(out) == dict.fromkeys(NAMES, "old")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (OSError(28, "No space left on device"), "No space left on device; .* runs are kept"),
        (KeyboardInterrupt("now"), "now"),
    ],
)
def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, raised, expected):
    path = tmp_path / "table.csv"
    write_whole(path, "old\n")

    def fail(descriptor):
        assert path.read_text() == "old\n"
        raise raised

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((SgpmicError, KeyboardInterrupt), match=expected):
        write_whole(path, "new\n")
    assert _texts(tmp_path) == {"table.csv": "old\n"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("committed", [False, True])
def test_interrupt_says_whether_files_were_written(tmp_path, monkeypatch, number, committed):
    out = tmp_path / "out"
    _write(out, "old")
    replace, sent = os.replace, []

    def interrupting(*paths):
        if not sent:
            sent.append(os.kill(os.getpid(), number))
        replace(*paths)

    def raised(*_):
        raise KeyboardInterrupt

    before = signal.signal(number, raised)
    try:
        if committed:
            monkeypatch.setattr(os, "replace", interrupting)
            with pytest.raises(KeyboardInterrupt, match="interrupted after all files were written"):
                _write(out, "new")
        else:
            with (
                pytest.raises(KeyboardInterrupt, match="interrupted; nothing was written"),
                output_folder(out, "fit", "replace"),
            ):
                os.kill(os.getpid(), number)
    finally:
        signal.signal(number, before)
    assert _texts(out) == dict.fromkeys(NAMES, "new" if committed else "old")


@pytest.mark.parametrize(
    "name",
    [
        "table.csv.123-abcdef12.tmp",
        ".sgpmic-notes",
        ".sgpmic-unfinished-x-0123abcd",
        f".sgpmic-{DEAD}-0123abcd.tmp.bak",
        f"deeper/.sgpmic-{DEAD}-0123abcd.tmp",
        ".sgpmic-1-0123abcd.tmp",  # process 1 runs, and may not have locked its file yet
    ],
)
def test_files_of_others_are_never_removed(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("the user's")
    settle(tmp_path)
    assert path.read_text() == "the user's"


@pytest.mark.parametrize(
    "name", [f"{DEAD}-0123abcd.tmp", f"unfinished-{DEAD}-0123abcd", f"finished-{DEAD}-0123abcd"]
)
def test_leftovers_of_dead_processes_are_removed(tmp_path, name):
    (tmp_path / f".sgpmic-{name}").mkdir()
    (tmp_path / "stays").write_text("")
    settle(tmp_path)
    assert os.listdir(tmp_path) == ["stays"]


def test_links_are_not_followed(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_text("")
    here = tmp_path / "here"
    here.mkdir()
    (here / f".sgpmic-finished-{DEAD}-0123abcd").symlink_to(tmp_path / "theirs")
    settle(here)
    assert (tmp_path / "theirs" / "file").exists()


@pytest.mark.parametrize("age", [0, 60])
def test_running_writes_are_left_alone(tmp_path, age):
    with replacing(tmp_path / "file") as file, output_folder(tmp_path, "fit") as folder:
        file.write(b"x")
        (folder / "other").write_text("y")
        for path in tmp_path.iterdir():
            os.utime(path, (0, path.stat().st_mtime - age))
        settle(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [MARKER, "file", "other"]


def test_resumable_folder_is_continued_after_a_failure(tmp_path):
    def failing():
        with resumable_folder(tmp_path, "check") as folder:
            (folder / "run").write_text("kept")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    again = resumable_folder(tmp_path, "check")
    with again as first, resumable_folder(tmp_path, "check") as second:
        assert (first / "run").read_text() == "kept"
        assert second != first
        (second.parent / "notes").touch()  # a file of the user
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == [
        *("check-1", "check-1/notes")
    ]


def test_resumable_folder_leaves_folders_of_others_alone(tmp_path):
    (tmp_path / "check-0").mkdir()
    _write(tmp_path / "check-1", "results of a fit")
    (tmp_path / "check-2").symlink_to("check-0")
    (tmp_path / "check-3").touch()
    before = snapshot(tmp_path)
    with resumable_folder(tmp_path, "check") as folder:
        assert folder.parent.name == "check-4"
    assert snapshot(tmp_path) == before
