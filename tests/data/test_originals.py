import dataclasses
import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from local_server import BODY, send

from sgpmic_cli.data import originals
from sgpmic_cli.data.originals import NotOriginal, cache_folder, cached, fetch, read_original
from sgpmic_cli.errors import DataUnavailable, SgpmicError


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("SGPMIC_DATA", "SGPMIC_MIRROR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_where_downloads_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "sgpmic"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "sgpmic"
    monkeypatch.setenv("SGPMIC_DATA", "~/data")
    assert cache_folder() == tmp_path / "data"
    assert cache_folder(tmp_path / "here") == tmp_path / "here"
    monkeypatch.delenv("SGPMIC_DATA")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "sgpmic"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "sgpmic" / "Cache"


def test_a_download_is_kept_and_used_again(server, found, tmp_path):
    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    assert read_original(found, data_dir=tmp_path / "new") == BODY
    assert read_original(found, data_dir=tmp_path / "new", offline=True) == BODY
    assert len(server.requests) == 1
    assert files(tmp_path / "new") == ["file.mat"]


def test_a_damaged_file_in_the_cache_is_replaced(server, found, tmp_path):
    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    (tmp_path / "file.mat").write_bytes(BODY[:-1])
    assert cached(found, tmp_path) is None
    assert read_original(found, data_dir=tmp_path) == BODY
    assert (tmp_path / "file.mat").read_bytes() == BODY


def test_addresses_are_tried_in_order(server, found, tmp_path):
    found = dataclasses.replace(
        found, urls=tuple(f"{server.url}/{path}" for path in ("gone", "wrong", "good", "never"))
    )
    server.answers["/wrong"] = lambda handler, count: send(handler, b"x" * len(BODY))
    server.answers["/good"] = lambda handler, count: send(handler, BODY)
    assert read_original(found, data_dir=tmp_path) == BODY
    assert server.requests == ["/gone", "/wrong", "/good"]


def test_nothing_is_written_when_the_hash_is_wrong(server, found, tmp_path):
    server.answers["/file.mat"] = lambda handler, count: send(handler, b"x" * len(BODY))
    with pytest.raises(NotOriginal, match=r"yale is unavailable: http.*sha256 differs.*mirror="):
        read_original(found, data_dir=tmp_path)
    assert files(tmp_path) == []


def test_the_sentence_says_what_why_and_what_to_do(server, found, tmp_path):
    with pytest.raises(DataUnavailable) as caught:
        read_original(found, data_dir=tmp_path)
    text = str(caught.value)
    assert f"yale is unavailable: {server.url}/file.mat answered 404" in text
    assert "retry later" in text
    assert "mirror=" in text
    assert "SGPMIC_MIRROR" in text
    assert "\n" not in text


def test_offline_asks_nobody(server, found, tmp_path):
    for mirror in (None, server.url):
        with pytest.raises(DataUnavailable, match="offline=True forbids"):
            read_original(found, data_dir=tmp_path, mirror=mirror, offline=True)
    assert server.requests == []


def test_a_server_as_mirror_is_asked_instead_of_the_publisher(server, found, tmp_path):
    server.answers["/m/file.mat"] = lambda handler, count: send(handler, BODY)
    assert read_original(found, data_dir=tmp_path / "a", mirror=f"{server.url}/m/") == BODY
    with pytest.raises(DataUnavailable, match="answered 404"):
        read_original(found, data_dir=tmp_path / "b", mirror=f"{server.url}/empty")
    assert server.requests == ["/m/file.mat", "/empty/file.mat"]


def test_a_folder_as_mirror_is_read_in_place(server, found, tmp_path, monkeypatch):
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    mirror.mkdir()
    (mirror / "file.mat").write_bytes(BODY)
    monkeypatch.setenv("SGPMIC_MIRROR", str(mirror))
    assert read_original(found, data_dir=cache, offline=True) == BODY
    assert not cache.exists()
    assert fetch(found, data_dir=cache, offline=True) == cache / "file.mat"
    assert files(cache) == ["file.mat"]
    assert server.requests == []


def test_a_folder_as_mirror_with_another_file_or_none(found, tmp_path):
    with pytest.raises(DataUnavailable, match=r"file\.mat cannot be read \(no such file"):
        read_original(found, data_dir=tmp_path / "cache", mirror=str(tmp_path))
    (tmp_path / "file.mat").write_bytes(BODY + b"x")
    with pytest.raises(NotOriginal, match="is not the publisher's file"):
        read_original(found, data_dir=tmp_path / "cache", mirror=str(tmp_path))


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing_behind(server, found, tmp_path, monkeypatch, step):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    monkeypatch.setattr(originals.os, step, full)
    with pytest.raises(SgpmicError, match=r"cannot be kept in .*No space left.*data_dir="):
        fetch(found, data_dir=tmp_path)
    assert (
        read_original(found, data_dir=tmp_path) == BODY
    )  # what was downloaded can be used all the same
    assert files(tmp_path) == []


def test_a_cache_that_is_a_file(server, found, tmp_path):
    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    (tmp_path / "cache").write_text("")
    with pytest.raises(SgpmicError, match="cannot be kept in"):
        fetch(found, data_dir=tmp_path / "cache")


PROCESS = """
import dataclasses, hashlib, sys
from sgpmic_cli.data import entry
from sgpmic_cli.data.originals import fetch
url, size, sha256, folder = sys.argv[1:]
found = dataclasses.replace(entry("yale"), urls=(url,), filename="file.mat", size=int(size), sha256=sha256)
print(hashlib.sha256(fetch(found, data_dir=folder).read_bytes()).hexdigest())
"""


def test_two_processes_at_once(server, found, tmp_path):
    both = threading.Barrier(2)

    def answer(handler, count):
        both.wait(timeout=60)  # each process waits inside its download until the other is there too
        send(handler, BODY)

    server.answers["/file.mat"] = answer
    command = [
        sys.executable,
        "-c",
        PROCESS,
        found.urls[0],
        str(found.size),
        found.sha256,
        str(tmp_path),
    ]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in processes] == [
        found.sha256
    ] * 2
    assert len(server.requests) == 2
    assert files(tmp_path) == ["file.mat"]
