import gzip
import io
import os
import re
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from awkward_files import standard_input

from sgpmic_cli.data import TableOptions, TextFormat, load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables import csv_text, read


def test_neither_a_terminal_nor_a_closed_stream_is_read(monkeypatch):
    closed = io.BytesIO()
    closed.close()
    for stdin in (standard_input(io.BytesIO(), is_terminal=True), standard_input(closed)):
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(UsageError, match="standard input is a terminal or was read before"):
            load("-")


def test_file_without_permission(tmp_path, monkeypatch):
    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # the superuser may read every file
    with pytest.raises(UsageError, match=r"cannot be read \(Permission denied\)"):
        load(str(tmp_path / "t.csv"))


def test_input_without_end_is_refused(tmp_path, monkeypatch):
    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:4] = b"1,2\n"
            return 4

    with pytest.raises(UsageError, match="is no text file"):
        load("/dev/zero")
    monkeypatch.setattr(csv_text, "MAX_BYTES", 1 << 20)
    monkeypatch.setattr("sys.stdin", standard_input(io.BufferedReader(Endless())))
    with pytest.raises(UsageError, match="standard input is larger than"):
        load("-")
    (tmp_path / "bomb.csv").write_bytes(gzip.compress(b"1,2\n" * (1 << 20)))
    with pytest.raises(UsageError, match="is larger than"):
        load(str(tmp_path / "bomb.csv"))


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n1,2\n3,4\n")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (zipped("one.csv", "two.csv"), "holds 2 files ('one.csv', 'two.csv', ...); compress one"),
        (zipped("xl/workbook.xml"), "is not a readable xlsx file"),
        (b"\xd0\xcf\x11\xe0\0", "is no text file in UTF-8"),
        (gzip.compress(b"a,b\n1,2\n3,4\n")[:-9], "cannot be decompressed"),
        (zipped("one.csv")[:-30], "cannot be decompressed"),
        (b"PAR1\x15 and no more", "is not a readable Parquet file"),
        (b"a,b\n" + b"1,2\n" * 5000 + b"1,\0002\n", "line 5002: there is a zero byte"),
    ],
    ids=range(7),
)
def test_unreadable_content_is_refused(tmp_path, content, sentence):
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    if "xlsx file" in sentence:
        pytest.importorskip("openpyxl")
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load(str(tmp_path / "t.csv"))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("module", "extra", "content"),
    [
        ("pyarrow.parquet", "parquet", b"PAR1\x15...PAR1"),
        ("openpyxl", "xlsx", zipped("xl/workbook.xml")),
    ],
)
def test_file_without_its_library_says_what_to_install(
    tmp_path, monkeypatch, module, extra, content
):
    monkeypatch.setitem(sys.modules, module, None)  # importing it fails
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(UsageError, match=rf"pip install 'sgpmic\[{extra}\]'"):
        load(str(tmp_path / "t"))


def test_text_that_is_utf_8_only_at_its_beginning_is_refused_with_a_remedy(tmp_path):
    rows = "a,b\n" + "1,2\n" * 5000
    (tmp_path / "t.csv").write_bytes(rows.encode() + "3,größe\n".encode("latin-1"))
    with pytest.raises(UsageError, match=r"byte 0xf6 in line 5002.* \(encoding='cp1252'\)"):
        load(str(tmp_path / "t.csv"))


def test_invalid_options_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    for name in ("klingon", "rot13", "zlib", "quopri", "a\0b"):
        with pytest.raises(UsageError, match=f"--encoding {name} is unknown"):
            load(str(tmp_path / "t.csv"), table=TableOptions(format=TextFormat(encoding=name)))
    for separator in ("ab", ".", "-", "7"):
        with pytest.raises(UsageError, match=f"--separator '{re.escape(separator)}'"):
            TextFormat(separator=separator)
    with pytest.raises(UsageError, match="--decimal ';'"):
        TextFormat(decimal=";")


def test_pipe_is_read_to_its_end(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a,b\n" * 100_000,))
    writer.start()
    with read.decompressed(str(tmp_path / "pipe")) as source:
        assert source.read_all() == b"a,b\n" * 100_000
    writer.join()
