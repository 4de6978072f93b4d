import os

import pytest
from local_server import BODY, raw, redirection, send

from sgpmic_cli.data import registered
from sgpmic_cli.data.registered import NotOriginal, fetch_original, read_original
from sgpmic_cli.errors import DataUnavailable, SgpmicError

OK = b"HTTP/1.1 200 OK\r\n"
HEAD = OK + b"Content-Length: %d\r\n\r\n" % len(BODY)
LATE = "did not send the file within 1 s"


@pytest.fixture(autouse=True)
def _short_deadline(monkeypatch):
    monkeypatch.setattr(registered, "MIN_SECONDS", 1.0)
    monkeypatch.setattr(registered, "MIN_SPEED", 1e9)


def _bytes(data):
    return [data[i : i + 1] for i in range(len(data))]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (raw(_bytes(HEAD + BODY), pause=0.05), LATE),
        (raw([], stay=True), LATE),
        (raw([HEAD + BODY[:10]], stay=True), LATE),
        (raw(_bytes(OK + b"X-Drip: 1\r\n" * 200), pause=0.02), LATE),
        (raw([b"\x1b[31mnonsense"]), "broke the connection"),
        (raw([b"nonsense\r\n\r\n"]), r"broke the connection \(nonsense\\r\\n\)"),
        (raw([OK + b"\r\n" + BODY * 2]), "another file than the publisher's.*sha256 differs"),
        (raw([HEAD + BODY[::-1]]), "sha256 differs"),
        (raw([HEAD + BODY[:1000]]), f"sent only 1000 of {len(BODY)} bytes"),
        (raw([OK + b"Content-Length: 18\r\n\r\n<html>moved</html>"]), "sent only 18 of"),
        (lambda handler, count: handler.send_error(404), "answered 404 Not Found"),
        (lambda handler, count: handler.send_error(503), r"answered 503 .* \(3 attempts\)"),
        (raw([redirection("file:///etc/passwd")]), "answered 302"),
        (raw([OK + b"Content-Length: " + b"9" * 500 + b"\r\n\r\n"]), "file.mat"),
        (raw([OK + b"A: " + b"b" * 70_000 + b"\r\n\r\n"]), "file.mat"),
        (raw([OK + b"A: b\r\n" * 200 + b"\r\n"]), "file.mat"),
    ],
    ids=range(16),
)
def test_failed_download_is_one_sentence_and_writes_nothing(
    server, found, tmp_path, answer, reason
):
    server.answers["/file.mat"] = answer
    with pytest.raises(DataUnavailable, match=reason) as caught:
        read_original(found, data_dir=tmp_path / "cache")
    text = str(caught.value)
    assert text.startswith(f"yale is unavailable: {server.url}/file.mat ")
    assert "retry later, or name a folder or server" in text
    assert "--mirror PLACE or SGPMIC_MIRROR" in text
    assert "\n" not in text
    assert isinstance(caught.value, NotOriginal) == ("sha256" in reason)
    assert len(server.requests) == (3 if reason != LATE else 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "mirror",
    [
        "http://",
        "http://user:secret@127.0.0.1/",
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


def test_damaged_cache_is_reported_and_an_unwritable_one_does_not_matter(server, found, tmp_path):
    (tmp_path / "file.mat").write_bytes(b"poison")
    with pytest.raises(DataUnavailable, match="is damaged there"):
        read_original(found, data_dir=tmp_path, offline=True)
    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    (tmp_path / "file").write_text("")
    assert read_original(found, data_dir=tmp_path / "file") == BODY
    with pytest.raises(SgpmicError, match="cannot be stored in") as raised:
        fetch_original(found, data_dir=tmp_path / "file")
    assert raised.value.exit_code == 1


def test_pipe_instead_of_a_file_is_refused(found, tmp_path):
    os.mkfifo(tmp_path / "file.mat")
    with pytest.raises(DataUnavailable, match="not a regular file"):
        read_original(found, data_dir=tmp_path / "cache", mirror=str(tmp_path))
