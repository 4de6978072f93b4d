"""Servers and schedulers that misbehave, all on the loopback address."""

import base64
import dataclasses
import hashlib
import os
import socket
import threading
import time

import pytest
from judging import one_sentence, snapshot

from sgpmic_cli.data import entry, originals
from sgpmic_cli.data.originals import fetch, read_original
from sgpmic_cli.errors import DataUnavailable, SgpmicError

BODY = b"0123456789" * 100
OK = b"HTTP/1.1 200 OK\r\n"
HEAD = OK + b"Content-Length: 1000\r\n\r\n"


class Server:
    """A server that answers with pieces of bytes and pauses between them, then waits or closes."""

    def __init__(self, pieces, pause=0.0, stay=False):
        self.pieces, self.pause, self.stay = pieces, pause, stay
        self.heard = b""
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        try:
            if self.pieces:
                self.heard += connection.recv(65536)
            for piece in self.pieces:
                connection.sendall(piece)
                time.sleep(self.pause)
            while self.stay:
                time.sleep(0.05)
        except OSError:
            pass
        finally:
            connection.close()


@pytest.fixture
def found(monkeypatch, folder):
    monkeypatch.setattr(originals, "BACKOFF", 0.01)
    monkeypatch.setattr(originals, "MIN_SECONDS", 1.5)
    digest = hashlib.sha256(BODY).hexdigest()
    return dataclasses.replace(entry("yale"), filename="file.mat", size=len(BODY), sha256=digest)


def _bytes(data):
    return [data[i : i + 1] for i in range(len(data))]


LATE = "did not send the file within 2 s"
DRIP = {"pause": 0.05}
WAIT = {"stay": True}


@pytest.mark.parametrize(
    ("pieces", "behaviour", "words"),
    [
        (_bytes(HEAD + BODY), DRIP, LATE),
        ([], WAIT, LATE),
        ([HEAD + BODY[:10]], WAIT, LATE),
        (_bytes(b"X-Drip: 1\r\n" * 200), {"pause": 0.02}, "file.mat"),
        ([b"\x1b[31mnonsense\r\n\r\n"], {}, "broke the connection"),
        ([OK + b"\r\n" + BODY * 2], {}, "another file than the publisher's"),
        ([b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"], {}, "answered 302"),
        ([OK + b"Content-Length: " + b"9" * 500 + b"\r\n\r\n"], {}, "file.mat"),
        ([OK + b"A: " + b"b" * 70_000 + b"\r\n\r\n"], {}, "file.mat"),
        ([OK + b"A: b\r\n" * 200 + b"\r\n"], {}, "file.mat"),
    ],
    ids=range(10),
)
def test_misbehaving_server_is_one_sentence(folder, found, pieces, behaviour, words):
    server = Server(pieces, **behaviour)
    before = snapshot(folder)
    with pytest.raises(DataUnavailable, match="yale is unavailable") as raised:
        read_original(found, data_dir=folder / "cache", mirror=f"http://me:secret@{server.address}")
    assert words in str(raised.value)
    assert "secret" not in str(raised.value)
    assert snapshot(folder) == before
    server.socket.close()


@pytest.mark.parametrize(
    "mirror",
    [
        "http://",
        "http://user:secret@[bad/",
        "http://host:port/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1/\r\nX: y",
        "gopher://user:secret@127.0.0.1",
        "http://" + "a" * 5000 + "/",
        "http://\udce9/",
    ],
)
def test_malformed_address_is_one_sentence(folder, found, mirror):
    with pytest.raises(DataUnavailable, match="yale is unavailable") as raised:
        read_original(found, data_dir=folder / "cache", mirror=mirror)
    assert "secret" not in str(raised.value)
    assert len(str(raised.value)) < 1000


def test_login_is_sent_to_the_server(folder, found):
    server = Server([HEAD + BODY])
    mirror = f"http://me:se%20cret@{server.address}"
    assert read_original(found, data_dir=folder / "cache", mirror=mirror) == BODY
    assert b"Authorization: Basic " + base64.b64encode(b"me:se cret") in server.heard
    server.socket.close()


def test_damaged_cache_is_reported_and_an_unwritable_one_does_not_matter(folder, found):
    (folder / "cache").mkdir()
    (folder / "cache" / "file.mat").write_bytes(b"poison")
    with pytest.raises(DataUnavailable, match="in the cache is damaged"):
        read_original(found, data_dir=folder / "cache", offline=True)
    server = Server([HEAD + BODY])
    mirror = f"http://{server.address}"
    (folder / "file").write_text("")
    assert read_original(found, data_dir=folder / "file", mirror=mirror) == BODY
    with pytest.raises(SgpmicError, match="cannot be stored in") as raised:
        fetch(found, data_dir=folder / "file", mirror=mirror)
    assert raised.value.exit_code == 1
    server.socket.close()


@pytest.mark.parametrize("kind", ["cache", "mirror"])
@pytest.mark.parametrize("made", ["pipe", "device"])
def test_pipe_or_device_instead_of_a_file(folder, found, kind, made):
    (folder / kind).mkdir()
    path = folder / kind / "file.mat"
    if made == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(DataUnavailable):
        read_original(found, data_dir=folder / "cache", mirror=str(folder / "mirror"), offline=True)


SLOW_ADDRESSES = ["tcp://", "127.0.0.1:x", "silent", "nonsense"]


@pytest.mark.parametrize(
    "address",
    ["gopher://x", *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW_ADDRESSES)],
)
def test_address_without_a_dask_scheduler_is_one_sentence(shell, folder, address):
    pytest.importorskip("distributed")
    pieces = {"silent": [], "nonsense": [os.urandom(512)]}.get(address)
    server = Server(pieces or [], stay=True)
    where = address if pieces is None else f"tcp://{server.address}"
    arguments = ["--dataset", "iris", "--methods", "pca-fcm", "--out", "out"]
    process = shell("benchmark", *arguments, "--backend", "dask", "--scheduler", where)
    printed, said = process.communicate(timeout=120)
    assert (process.returncode, printed) == (2, "")
    assert "no Dask scheduler answers" in one_sentence(said)
    assert not (folder / "out").exists()
    server.socket.close()
