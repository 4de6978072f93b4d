"""Servers that misbehave, all on the loopback address."""

import base64
import os
from contextlib import suppress
from time import sleep

import pytest
from local_server import BODY, send

from sgpmic_cli.data import originals
from sgpmic_cli.data.originals import fetch, read_original
from sgpmic_cli.errors import DataUnavailable, SgpmicError

OK = b"HTTP/1.1 200 OK\r\n"
HEAD = OK + b"Content-Length: %d\r\n\r\n" % len(BODY)
LATE = "did not send the file within 2 s"
DRIP = {"pause": 0.05}
WAIT = {"stay": True}


@pytest.fixture(autouse=True)
def _short_deadline(monkeypatch):
    monkeypatch.setattr(originals, "MIN_SECONDS", 0.0)


def raw(pieces, pause=0.0, stay=False):
    """Answer with pieces of bytes and pauses between them, then wait for the client or close."""

    def answer(handler, count):
        with suppress(OSError):
            for piece in pieces:
                handler.wfile.write(piece)
                sleep(pause)
            if stay:
                handler.connection.recv(1)

    return answer


def _bytes(data):
    return [data[i : i + 1] for i in range(len(data))]


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
def test_misbehaving_server_is_one_sentence(server, found, tmp_path, pieces, behaviour, words):
    server.answers["/file.mat"] = raw(pieces, **behaviour)
    mirror = server.url.replace("http://", "http://me:secret@")
    with pytest.raises(DataUnavailable, match="yale is unavailable") as raised:
        read_original(found, data_dir=tmp_path / "cache", mirror=mirror)
    assert words in str(raised.value)
    assert "secret" not in str(raised.value)
    assert not list(tmp_path.iterdir())


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
def test_malformed_address_is_one_sentence(tmp_path, found, mirror):
    with pytest.raises(DataUnavailable, match="yale is unavailable") as raised:
        read_original(found, data_dir=tmp_path, mirror=mirror)
    assert "secret" not in str(raised.value)
    assert len(str(raised.value)) < 1000


def test_login_is_sent_to_the_server(server, found, tmp_path):
    heard = []

    def answer(handler, count):
        heard.append(handler.headers["Authorization"])
        send(handler, BODY)

    server.answers["/file.mat"] = answer
    mirror = server.url.replace("http://", "http://me:se%20cret@")
    assert read_original(found, data_dir=tmp_path, mirror=mirror) == BODY
    assert heard == [f"Basic {base64.b64encode(b'me:se cret').decode()}"]


def test_damaged_cache_is_reported_and_an_unwritable_one_does_not_matter(server, found, tmp_path):
    (tmp_path / "file.mat").write_bytes(b"poison")
    with pytest.raises(DataUnavailable, match="is damaged there"):
        read_original(found, data_dir=tmp_path, offline=True)
    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    (tmp_path / "file").write_text("")
    assert read_original(found, data_dir=tmp_path / "file") == BODY
    with pytest.raises(SgpmicError, match="cannot be stored in") as raised:
        fetch(found, data_dir=tmp_path / "file")
    assert raised.value.exit_code == 1


@pytest.mark.parametrize("kind", ["cache", "mirror"])
@pytest.mark.parametrize("made", ["pipe", "device"])
def test_pipe_or_device_instead_of_a_file(found, tmp_path, kind, made):
    path = tmp_path / kind / "file.mat"
    path.parent.mkdir()
    if made == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    where = {"data_dir": tmp_path / "cache", "mirror": str(tmp_path / "mirror")}
    with pytest.raises(DataUnavailable):
        read_original(found, **where, offline=True)
