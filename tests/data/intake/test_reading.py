import gzip
import io
import os
import sys
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from sgpmic_cli.data import TableOptions, TextFormat, load
from sgpmic_cli.data.intake import reading
from sgpmic_cli.errors import SgpmicError, UsageError


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        load(str(tmp_path / "none.csv"))
    with pytest.raises(UsageError, match="is a folder"):
        load(str(tmp_path))


def test_no_permission_is_told_with_the_exit_code_of_files_that_cannot_be_read(
    tmp_path, monkeypatch
):
    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "t.csv").touch()
    # The superuser may read everything, so the refusal of the operating system is played.
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SgpmicError, match="no permission to read") as caught:
        load(str(tmp_path / "t.csv"))
    assert caught.value.exit_code == 1


def test_input_without_an_end_is_refused():
    class Endless:
        def read(self, size):
            return b"1,2\n" * (size // 4)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "LARGEST", 4 * reading.CHUNK)
        patch.setattr("sys.stdin", SimpleNamespace(buffer=Endless(), isatty=lambda: False))
        with pytest.raises(UsageError, match="standard input is larger than"):
            load("-")
    with pytest.raises(UsageError, match="nothing but zero bytes"):
        load("/dev/zero")


def test_a_small_file_that_unpacks_to_a_giant_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bomb.csv").write_bytes(gzip.compress(b"1,2\n" * (1 << 20)))
    monkeypatch.setattr(reading, "LARGEST", 1 << 20)
    with pytest.raises(UsageError, match="is larger than"):
        load(str(tmp_path / "bomb.csv"))


def test_nobody_waits_at_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(), isatty=lambda: True))
    with pytest.raises(UsageError, match="standard input is a terminal"):
        load("-")


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n1,2\n3,4\n")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            zipped("one.csv", "two.csv"),
            "packs 2 files ('one.csv', 'two.csv', ...); pack one table alone",
        ),
        (
            zipped("[Content_Types].xml", "xl/workbook.xml"),
            "is an office document; save the sheet as CSV",
        ),
        (gzip.compress(b"a,b\n1,2\n3,4\n")[:-9], "cannot be unpacked"),
        (zipped("one.csv")[:-30], "cannot be unpacked"),
        (b"PAR1 and no more", "is not a readable Parquet file"),
        (b"a,b\n1,\0002\n", "is not a text file in UTF-8 (it has zero bytes)"),
    ],
    ids=[
        "two files",
        "workbook",
        "cut gzip",
        "cut zip",
        "no Parquet",
        "zero bytes",
    ],  # the bytes hold the time of day
)
def test_what_cannot_be_unpacked_is_told(tmp_path, content, sentence):
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load(str(tmp_path / "t.csv"))
    assert sentence in str(caught.value)


def test_without_pyarrow_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)  # importing it fails
    (tmp_path / "t.parquet").write_bytes(b"PAR1....PAR1")
    with pytest.raises(UsageError, match=r"install sgpmic\[parquet\]"):
        load(str(tmp_path / "t.parquet"))


def test_unknown_encodings_and_formats_are_told(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(UsageError, match="encoding='klingon' is unknown"):
        load(str(tmp_path / "t.csv"), table=TableOptions(format=TextFormat(encoding="klingon")))
    with pytest.raises(UsageError, match="separator='ab'"):
        TextFormat(separator="ab")
    with pytest.raises(UsageError, match="decimal=';'"):
        TextFormat(decimal=";")
    with pytest.raises(UsageError, match="both ','"):
        TextFormat(separator=",", decimal=",")
    with pytest.raises(
        UsageError, match="missing='mean' is unknown; valid: error, drop, median, model"
    ):
        TableOptions(missing="mean")


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")
def test_a_pipe_that_nobody_writes_to_is_given_up(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(reading, "SILENCE", 0.2)
    with (
        pytest.raises(UsageError, match="nothing has come from"),
        reading.unpacked(str(tmp_path / "pipe")),
    ):
        pass


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")
def test_silent_standard_input_is_given_up(monkeypatch):
    end, other = os.pipe()
    monkeypatch.setattr(reading, "SILENCE", 0.2)
    with os.fdopen(end, "rb") as stream, os.fdopen(other, "wb"):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream, isatty=lambda: False))
        with (
            pytest.raises(UsageError, match="nothing has come from standard input"),
            reading.unpacked("-"),
        ):
            pass


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")
def test_a_pipe_is_read_to_its_end(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a,b\n" * 100_000,))
    writer.start()
    with reading.unpacked(str(tmp_path / "pipe")) as source:
        assert source.whole() == b"a,b\n" * 100_000
    writer.join()
