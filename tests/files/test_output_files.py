"""Output folders: one commit point, and only own files are replaced."""

import json
import os
import signal

import pytest

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import replacing, temporary_name, write_whole
from sgpmic_cli.files.output_folder import MARKER, claim_folder, output_folder, read_marker, settle

NAMES = [f"file{i}" for i in range(4)] + ["manifest.json"]
NAME = temporary_name()


def _in_a_child(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(9)
    os.waitpid(child, 0)


def _write(out, text, mode="replace", names=NAMES):
    with output_folder(out, "fit", mode) as folder:
        for name in names:
            (folder / name).write_text(text)


def _texts(out):
    return {path.name: path.read_text() for path in out.iterdir() if path.name != MARKER}


@pytest.mark.parametrize("number", [signal.SIGKILL, 0])  # killed, or a move fails
@pytest.mark.parametrize("moves", range(len(NAMES) + 2))
def test_after_the_commit_the_next_command_moves_the_rest(tmp_path, moves, number):
    _write(tmp_path, "old")

    def stopped():
        replace, count = os.replace, iter(range(99))

        def counted(*paths):
            if next(count) == moves:
                os.kill(os.getpid(), number)
                raise PermissionError
            replace(*paths)

        os.replace = counted
        _write(tmp_path, "new")

    _in_a_child(stopped)
    settle(tmp_path)  # every reader and writer of the folder calls it first
    assert _texts(tmp_path) == dict.fromkeys(NAMES, "new")


def test_killed_before_the_commit_the_old_files_remain(tmp_path):
    _write(tmp_path, "old")

    def killed():
        with output_folder(tmp_path, "fit", "replace") as folder:
            (folder / NAMES[0]).write_text("new")
            os.kill(os.getpid(), signal.SIGKILL)

    _in_a_child(killed)
    assert len(list(tmp_path.iterdir())) == len(NAMES) + 2
    settle(tmp_path)
    assert _texts(tmp_path) == dict.fromkeys(NAMES, "old")


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


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link"])
def test_only_files_are_replaced(tmp_path, kind):
    path = tmp_path / "page.html"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/dev/null")
    else:
        path = tmp_path.joinpath("/dev/null")
    with pytest.raises(UsageError, match=r"is in the way, a (folder|device or pipe): move it"):
        write_whole(path, "text")
    assert not path.is_file()


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    target, link = tmp_path / "real" / "page.html", tmp_path / "page.html"
    link.symlink_to(target)
    for text in ("new", "newer"):  # a link to nothing, and a link to a file
        write_whole(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["page.html", "page.html", "real"]


def test_permissions_are_kept(tmp_path):
    write_whole(tmp_path / "page.html", "old")
    _write(tmp_path / "out", "old")
    paths = [tmp_path / "page.html", tmp_path / "out" / NAMES[0]]
    for path in paths:
        path.chmod(0o600)
    write_whole(paths[0], "new")
    _write(tmp_path / "out", "new")
    assert [(path.stat().st_mode & 0o777, path.read_text()) for path in paths] == [
        (0o600, "new")
    ] * 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("committed", [False, True])
def test_interrupt_says_whether_files_were_written(tmp_path, monkeypatch, number, committed):
    _write(tmp_path, "old")
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
                _write(tmp_path, "new")
        else:
            with (
                pytest.raises(KeyboardInterrupt, match="interrupted; nothing was written"),
                output_folder(tmp_path, "fit", "replace"),
            ):
                os.kill(os.getpid(), number)
    finally:
        signal.signal(number, before)
    assert _texts(tmp_path) == dict.fromkeys(NAMES, "new" if committed else "old")


def test_only_leftovers_of_dead_processes_are_removed(tmp_path):
    (tmp_path / "theirs").mkdir()
    kept = [".sgpmic-notes", ".sgpmic-x.unfinished", f"{NAME}.tmp.bak", f"theirs/{NAME}.tmp"]
    for name in [*kept, f"{NAME}.tmp"]:
        (tmp_path / name).write_text("the user's")
    (tmp_path / f"{NAME}.unfinished").mkdir()
    (tmp_path / f"{NAME}.finished").symlink_to(tmp_path / "theirs")  # not followed
    before = set(tmp_path.rglob("*"))
    settle(tmp_path)
    removed = before - set(tmp_path.rglob("*"))
    assert {path.suffix for path in removed} == {".tmp", ".unfinished"}
    assert len(removed) == 2


def test_running_writes_are_left_alone(tmp_path):
    with replacing(tmp_path / "file") as file, output_folder(tmp_path, "fit") as folder:
        file.write(b"x")
        (folder / "other").write_text("y")
        _in_a_child(lambda: settle(tmp_path))
    assert sorted(os.listdir(tmp_path)) == [MARKER, "file", "other"]


def test_force_replaces_only_what_the_marker_lists(tmp_path):
    (tmp_path / ".gitkeep").touch()  # hidden files do not count
    _write(tmp_path, "new", "new", ["labels.csv", "numbers-tried.png"])
    (tmp_path / "notes.txt").write_text("the user's")
    (tmp_path / "labels.csv").write_text("old")
    with pytest.raises(UsageError, match="already contains the results of `sgpmic fit`"):
        _write(tmp_path, "new", "new", ["labels.csv"])
    _write(tmp_path, "new", "replace", ["labels.csv"])
    assert sorted(os.listdir(tmp_path)) == [".gitkeep", MARKER, "labels.csv", "notes.txt"]
    assert (tmp_path / "labels.csv").read_text() == "new"
    assert (tmp_path / "notes.txt").read_text() == "the user's"


def test_a_command_that_adds_files_keeps_its_other_files(tmp_path):
    _write(tmp_path, "new", "add", ["figure1.png"])
    _write(tmp_path, "new", "add", ["figure2.png"])
    assert read_marker(tmp_path).files == {"figure1.png", "figure2.png"}
    assert sorted(os.listdir(tmp_path)) == [MARKER, "figure1.png", "figure2.png"]


@pytest.mark.parametrize("listed", [[], ["notes.txt"], ["labels.csv"]])
def test_what_appears_during_the_work_is_kept_and_nothing_is_written(tmp_path, listed):
    if listed:
        _write(tmp_path, "new", "new", listed)
    before = {MARKER, *listed} if listed else set()
    target = tmp_path / "labels.csv"

    def fit():
        with output_folder(tmp_path, "fit", "replace") as folder:
            (folder / "embedding.csv").write_text("new")
            (folder / "labels.csv").write_text("new")
            target.unlink(missing_ok=True)
            target.mkdir() if listed == ["labels.csv"] else target.write_text("the user's")

    with pytest.raises(UsageError, match=r"did not write, such as|is in the way"):
        fit()
    assert target.is_dir() or target.read_text() == "the user's"
    assert set(os.listdir(tmp_path)) == {"labels.csv", *before}


@pytest.mark.parametrize("mode", ["new", "replace"])
def test_the_second_of_two_fits_into_one_folder_is_refused(tmp_path, mode):
    with output_folder(tmp_path / "out", "fit", mode) as folder:
        (folder / "labels.csv").write_text("first")
        with pytest.raises(UsageError, match="another command is writing into"):
            _write(tmp_path / "out", "second", mode, ["labels.csv"])
    assert (tmp_path / "out" / "labels.csv").read_text() == "first"


LISTS = (5, ["../my.csv"], ["/etc/passwd"], ["a\0b"], "labels.csv", {"labels.csv": 1})


@pytest.mark.parametrize(
    "fields", ["", {}, [], {"command": "fit"}, *({"command": "fit", "files": f} for f in LISTS)]
)
def test_a_damaged_marker_is_no_marker(tmp_path, fields):
    (tmp_path / MARKER).write_text(json.dumps(fields, indent=2) + "\n")
    assert read_marker(tmp_path) is None


def test_an_interrupted_benchmark_resumes_in_its_folder(tmp_path):
    out = tmp_path / "out"
    with claim_folder(out, "benchmark", [], out / "runs"):
        pass
    assert not out.exists()  # nothing was stored
    for _ in range(2):
        with claim_folder(out, "benchmark", [], out / "runs"):
            (out / "runs" / "record.json").touch()
    with (
        pytest.raises(UsageError, match="contains the results of `sgpmic benchmark`"),
        claim_folder(out, "sweep-clusters", [], out / "runs"),
    ):
        pass
    assert sorted(os.listdir(out)) == [MARKER, "runs"]
