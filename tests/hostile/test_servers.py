"""Servers and schedulers that do not behave, all on the loopback address: one sentence within one real deadline."""

import base64
import dataclasses
import hashlib
import os
import socket
import threading
import time

import pytest
from judging import one_sentence, snapshot

from sgpmic_cli.data import download as downloading
from sgpmic_cli.data import entry
from sgpmic_cli.data.originals import fetch, read_original
from sgpmic_cli.errors import DataUnavailable, SgpmicError, UsageError
from sgpmic_cli.experiments.run import dask_backend
from sgpmic_cli.experiments.run.dask_backend import records_of_workers

BODY = b"0123456789" * 100
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"


class Server:
    """Answers every connection with the bytes of `answer`, in pieces with pauses between them, then waits or closes."""

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
    monkeypatch.setattr(downloading, "BACKOFF", 0.01)
    monkeypatch.setattr(downloading, "LEAST_SECONDS", 1.5)
    details = {
        "filename": "file.mat",
        "size": len(BODY),
        "sha256": hashlib.sha256(BODY).hexdigest(),
    }
    return dataclasses.replace(entry("yale"), **details)


def _drops(data, size=1):
    return [data[i : i + size] for i in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("pieces", "pause", "stay", "words"),
    [
        (_drops(HEAD + BODY), 0.05, False, "allowed for it were over"),
        ([HEAD, *_drops(BODY)], 0.05, False, "allowed for it were over"),
        ([b"HTTP/1.1 200 OK\r\n"], 0.0, True, "allowed for it were over"),
        ([], 0.0, True, "allowed for it were over"),
        ([HEAD + BODY[:10]], 0.0, True, "allowed for it were over"),
        (_drops(b"X-Drip: 1\r\n" * 200), 0.02, False, "file.mat"),
        ([b""], 0.0, False, "broke the connection"),
        ([b"\x1b[31mnonsense\r\n\r\n"], 0.0, False, "broke the connection"),
        ([HEAD + BODY[:10]], 0.0, False, "broke"),
        ([HEAD + b"x" * 1000], 0.0, False, "another file than the publisher's"),
        ([b"HTTP/1.1 200 OK\r\n\r\n" + BODY * 2], 0.0, False, "sent more than"),
        ([b"HTTP/1.1 404 \x1b[31mGone\r\n\r\n"], 0.0, False, "answered 404"),
        ([b"HTTP/1.1 500 \x07\r\n\r\n"], 0.0, False, "answered 500"),
        (
            [b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"],
            0.0,
            False,
            "answered 302",
        ),
        ([b"HTTP/1.1 302 Found\r\nLocation: /file.mat\r\n\r\n"], 0.0, False, "answered 302"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"], 0.0, False, "file.mat"),
        (
            [b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 500 + b"\r\n\r\n"],
            0.0,
            False,
            "file.mat",
        ),
        ([b"HTTP/1.1 200 OK\r\n" + b"A: " + b"b" * 70_000 + b"\r\n\r\n"], 0.0, False, "file.mat"),
        ([b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n"], 0.0, False, "file.mat"),
        ([b"\0" * 1000], 0.0, False, "file.mat"),
    ],
)
def test_a_server_that_misbehaves_is_one_sentence_in_time(
    folder, found, pieces, pause, stay, words
):
    server = Server(pieces, pause, stay)
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
        "http://[::1",
        "http://user:secret@[bad/",
        "http://host:port/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "http://a b/",
        "http://127.0.0.1/\r\nX: y",
        "ftp://127.0.0.1/",
        "file:///etc",
        "gopher://user:secret@127.0.0.1",
        "http://" + "a" * 5000 + "/",
        "http://\udce9/",
        "://",
    ],
)
def test_a_malformed_address_is_one_sentence(folder, found, mirror):
    with pytest.raises(DataUnavailable, match="yale is unavailable") as raised:
        read_original(found, data_dir=folder / "cache", mirror=mirror)
    assert "secret" not in str(raised.value)
    assert len(str(raised.value)) < 1000


def test_a_login_goes_to_the_server_and_nowhere_else(folder, found):
    server = Server([HEAD + BODY])
    assert (
        read_original(
            found, data_dir=folder / "cache", mirror=f"http://me:se%20cret@{server.address}"
        )
        == BODY
    )
    assert b"Authorization: Basic " + base64.b64encode(b"me:se cret") in server.heard
    server.socket.close()


def test_a_poisoned_cache_is_called_damaged_and_a_read_only_one_costs_nothing(folder, found):
    (folder / "cache").mkdir()
    (folder / "cache" / "file.mat").write_bytes(b"poison")
    with pytest.raises(DataUnavailable, match="in the cache is damaged"):
        read_original(found, data_dir=folder / "cache", offline=True)
    server = Server([HEAD + BODY])
    (folder / "nocache").write_text("")
    assert (
        read_original(found, data_dir=folder / "nocache", mirror=f"http://{server.address}") == BODY
    )
    with pytest.raises(SgpmicError, match="cannot be kept in") as raised:
        fetch(found, data_dir=folder / "nocache", mirror=f"http://{server.address}")
    assert raised.value.exit_code == 1
    server.socket.close()


@pytest.mark.parametrize("kind", ["cache", "mirror"])
@pytest.mark.parametrize("made", ["pipe", "device"])
def test_a_pipe_or_device_in_place_of_a_file(folder, found, kind, made):
    (folder / kind).mkdir()
    path = folder / kind / "file.mat"
    if made == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(DataUnavailable):
        read_original(found, data_dir=folder / "cache", mirror=str(folder / "mirror"), offline=True)


@pytest.mark.parametrize(
    "address",
    [
        "silent",
        "http",
        "nonsense",
        "tcp://127.0.0.1:9",
        "tcp://127.0.0.1",
        "tcp://",
        "127.0.0.1:x",
        "gopher://x",
        "\x1b",
    ],
)
def test_a_scheduler_that_is_none_is_one_sentence_in_time(monkeypatch, address):
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_backend, "CONNECT_SECONDS", 1)
    pieces = {
        "silent": [],
        "http": [b"HTTP/1.1 200 OK\r\n\r\n"],
        "nonsense": [os.urandom(512)],
    }.get(address)
    server = Server(pieces or [], stay=True)
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        next(records_of_workers([], address if pieces is None else f"tcp://{server.address}"))
    server.socket.close()


@pytest.mark.parametrize("address", ["gopher://x", "tcp://", "127.0.0.1:x"])
@pytest.mark.slow
def test_no_client_of_dask_complains_at_the_end_of_the_process(shell, address):
    pytest.importorskip("distributed")
    where = ["--backend", "dask", "--scheduler", address]
    process = shell(
        "benchmark", "--dataset", "iris", "--methods", "pca-fcm", "--out", "out", *where
    )
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (2, "")
    assert "no Dask scheduler answers" in one_sentence(said)
