import os

import pytest

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import (
    check_writable,
    refuse_overwriting_inputs,
    replacing,
    whole_folder,
    write_whole,
)


def test_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_whole(path, "old\n")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SgpmicError, match=r"No space left on device; .* finished runs are kept"):
        write_whole(path, "new\n")
    assert path.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_old_file_is_replaced_only_by_a_complete_one(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"

    def interrupted():
        with replacing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


def test_folder_gets_all_files_or_none(tmp_path):
    out = tmp_path / "deep" / "out"

    def failing():
        with whole_folder(out) as folder:
            (folder / "first").write_text("1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert not (tmp_path / "deep").exists()
    with whole_folder(out) as folder:
        (folder / "first").write_text("1")
        assert not (out / "first").exists()
    assert os.listdir(out) == ["first"]


@pytest.mark.parametrize(
    "enter",
    [lambda path: check_writable(path, "--out"), lambda path: whole_folder(path).__enter__()],
)
def test_unwritable_folder_is_reported_before_the_work(tmp_path, enter):
    (tmp_path / "file").write_text("")
    with pytest.raises(SgpmicError, match=r"cannot write into --out .*name another folder"):
        enter(tmp_path / "file" / "out")


def test_inputs_are_never_replaced(tmp_path):
    (tmp_path / "labels.csv").write_text("a,b\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "labels.csv")
    for given in (tmp_path / "labels.csv", tmp_path / "link.csv", tmp_path / "." / "labels.csv"):
        with pytest.raises(UsageError, match="which is read here"):
            refuse_overwriting_inputs(tmp_path, ["model.npz", "labels.csv"], [given])
    refuse_overwriting_inputs(tmp_path, ["model.npz"], [tmp_path / "labels.csv", "iris", "-"])
