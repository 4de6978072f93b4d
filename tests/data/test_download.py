import hashlib
import socket
import time

import pytest
from local_server import BODY, send

from sgpmic_cli.data import download
from sgpmic_cli.data.download import Refused, WrongFile

SHA256 = hashlib.sha256(BODY).hexdigest()


def get(server, path="/f"):
    return download.download(server.url + path, sha256=SHA256, size=len(BODY))


def test_good_file(server):
    server.answers["/f"] = lambda handler, count: send(handler, BODY)
    assert get(server) == BODY
    assert server.requests == ["/f"]


def test_wrong_hash_is_not_asked_for_again(server):
    server.answers["/f"] = lambda handler, count: send(handler, BODY[::-1])
    with pytest.raises(WrongFile, match="sha256 differs"):
        get(server)
    assert len(server.requests) == 1


def test_shorter_whole_file_is_another_file(server):
    server.answers["/f"] = lambda handler, count: send(handler, b"<html>moved</html>")
    with pytest.raises(WrongFile, match="sha256 differs"):
        get(server)
    assert len(server.requests) == 1


def test_truncated_body_then_success(server):
    server.answers["/f"] = lambda handler, count: send(
        handler, BODY if count > 1 else BODY[:1000], length=len(BODY)
    )
    assert get(server) == BODY
    assert len(server.requests) == 2


def test_body_that_is_always_truncated(server):
    server.answers["/f"] = lambda handler, count: send(handler, BODY[:1000], length=len(BODY))
    with pytest.raises(Refused, match=rf"broke off after 1000 of {len(BODY)} bytes \(4 attempts\)"):
        get(server)
    assert len(server.requests) == 4


def test_not_found_is_not_retried(server):
    with pytest.raises(Refused, match="answered 404 Not Found"):
        get(server)
    assert len(server.requests) == 1


def test_busy_server_then_success(server):
    server.answers["/f"] = lambda handler, count: (
        send(handler, BODY) if count > 2 else handler.send_error(503)
    )
    assert get(server) == BODY
    assert len(server.requests) == 3


def test_busy_server_all_the_time(server):
    server.answers["/f"] = lambda handler, count: handler.send_error(503)
    with pytest.raises(Refused, match=r"answered 503 Service Unavailable \(4 attempts\)"):
        get(server)
    assert len(server.requests) == 4


def test_waits_grow(server, monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(download, "BACKOFF", 1.0)
    server.answers["/f"] = lambda handler, count: handler.send_error(500)
    with pytest.raises(Refused):
        get(server)
    assert [round(wait / 2**k, 0) for k, wait in enumerate(waits)] == [1.0, 1.0, 1.0]


def test_redirect(server):
    def moved(handler, count):
        handler.send_response(302)
        handler.send_header("Location", f"{server.url}/there")
        handler.end_headers()

    server.answers["/f"] = moved
    server.answers["/there"] = lambda handler, count: send(handler, BODY)
    assert get(server) == BODY
    assert server.requests == ["/f", "/there"]


def test_circle_of_redirects(server):
    def moved(handler, count):
        handler.send_response(302)
        handler.send_header("Location", f"{server.url}/f")
        handler.end_headers()

    server.answers["/f"] = moved
    with pytest.raises(Refused, match="answered 302"):
        get(server)


def test_endless_body_is_cut(server):
    sent = []

    def endless(handler, count):
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
                sent.append(65536)
        except OSError:
            pass

    server.answers["/f"] = endless
    with pytest.raises(WrongFile, match=f"more than the {len(BODY)} bytes"):
        get(server)
    assert len(server.requests) == 1


def test_dripping_body_meets_the_deadline(server, monkeypatch):
    def drip(handler, count):
        handler.send_response(200)
        handler.end_headers()
        try:
            for byte in BODY:
                handler.wfile.write(bytes([byte]))
                time.sleep(0.01)
        except OSError:
            pass

    monkeypatch.setattr(download, "seconds_for", lambda size: 0.2)
    server.answers["/f"] = drip
    with pytest.raises(Refused, match="had not sent the file"):
        get(server)


def test_silent_server(server, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    server.answers["/f"] = lambda handler, count: time.sleep(1)
    with pytest.raises(Refused, match="was silent"):
        get(server)
    assert len(server.requests) == 1


def test_closed_port_is_tried_again_and_given_up(monkeypatch):
    monkeypatch.setattr(download, "BACKOFF", 0.01)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(
        Refused, match=r"broke the connection \(ConnectionRefusedError\) \(4 attempts\)"
    ):
        download.download(f"http://127.0.0.1:{port}/f", sha256=SHA256, size=1)


@pytest.mark.parametrize("url", ["ftp://host/f", "file:///etc/hosts", "nonsense"])
def test_other_kinds_of_address(url):
    with pytest.raises(Refused, match="http"):
        download.download(url, sha256=SHA256, size=1)


def test_unknown_host(monkeypatch):
    def unknown(*_args, **_kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Refused, match="cannot be reached"):
        download.download("http://nowhere.invalid/f", sha256=SHA256, size=1)
