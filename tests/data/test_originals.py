import dataclasses
import io
import time
from pathlib import Path

import numpy as np
import pytest
from local_server import BODY, raw, redirection, send
from scipy.io import savemat

from sgpmic_cli.data import registered
from sgpmic_cli.data.registered import (
    PARSERS,
    NotOriginal,
    cache_folder,
    cached,
    fetch_original,
    read_original,
)
from sgpmic_cli.errors import DataUnavailable


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def whole(handler, count):
    send(handler, BODY)


def test_cache_folder(tmp_path, monkeypatch):
    for name in ("SGPMIC_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "sgpmic"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "sgpmic"
    monkeypatch.setenv("SGPMIC_DATA", "~/data")
    assert cache_folder() == tmp_path / "data"
    assert cache_folder(tmp_path / "here") == tmp_path / "here"


def test_download_is_cached_and_a_damaged_cache_is_replaced(server, found, tmp_path):
    server.answers["/file.mat"] = whole
    assert read_original(found, data_dir=tmp_path) == BODY
    assert read_original(found, data_dir=tmp_path, offline=True) == BODY
    assert len(server.requests) == 1
    assert files(tmp_path) == ["file.mat"]
    (tmp_path / "file.mat").write_bytes(BODY[:-1])
    assert cached(found, tmp_path) is None
    assert read_original(found, data_dir=tmp_path) == BODY
    assert (tmp_path / "file.mat").read_bytes() == BODY


def test_addresses_are_tried_in_order(server, found, tmp_path):
    urls = tuple(f"{server.url}/{path}" for path in ("gone", "wrong", "good", "never"))
    server.answers["/wrong"] = lambda handler, count: send(handler, b"x" * len(BODY))
    server.answers["/good"] = whole
    assert read_original(dataclasses.replace(found, urls=urls), data_dir=tmp_path) == BODY
    assert server.requests == ["/gone", "/wrong", "/good"]


def test_temporary_failures_are_retried_with_growing_pauses(server, found, tmp_path, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(registered, "BACKOFF", 1.0)

    def recovering(handler, count):
        if count == 1:
            handler.send_error(503)
        elif count == 2:
            send(handler, BODY[:1000], length=len(BODY))
        else:
            send(handler, BODY)

    server.answers["/file.mat"] = recovering
    assert read_original(found, data_dir=tmp_path) == BODY
    assert [pause for pause in pauses if pause] == [1.0, 2.0]


def test_redirects_are_followed_unless_they_form_a_circle(server, found, tmp_path):
    server.answers["/file.mat"] = raw([redirection(f"{server.url}/there")])
    server.answers["/there"] = whole
    assert read_original(found, data_dir=tmp_path / "a") == BODY
    assert server.requests == ["/file.mat", "/there"]
    server.answers["/there"] = raw([redirection(f"{server.url}/file.mat")])
    with pytest.raises(DataUnavailable, match="answered 302"):
        read_original(found, data_dir=tmp_path / "b")


def test_offline_sends_no_request(server, found, tmp_path):
    for mirror in (None, server.url):
        with pytest.raises(DataUnavailable, match="--offline forbids"):
            read_original(found, data_dir=tmp_path, mirror=mirror, offline=True)
    assert server.requests == []


def test_mirror_server_replaces_the_publisher(server, found, tmp_path):
    server.answers["/m/file.mat"] = whole
    assert read_original(found, data_dir=tmp_path / "a", mirror=f"{server.url}/m/") == BODY
    assert server.requests == ["/m/file.mat"]


def test_mirror_folder_is_read_in_place(server, found, tmp_path, monkeypatch):
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    mirror.mkdir()
    monkeypatch.setenv("SGPMIC_MIRROR", str(mirror))
    with pytest.raises(DataUnavailable, match=r"file\.mat cannot be read \(no such file"):
        read_original(found, data_dir=cache)
    (mirror / "file.mat").write_bytes(BODY + b"x")
    with pytest.raises(NotOriginal, match="is not the publisher's file"):
        read_original(found, data_dir=cache)
    (mirror / "file.mat").write_bytes(BODY)
    assert read_original(found, data_dir=cache, offline=True) == BODY
    assert not cache.exists()
    assert fetch_original(found, data_dir=cache, offline=True) == cache / "file.mat"
    assert files(cache) == ["file.mat"]
    assert server.requests == []


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        ("class-last", "1.5,2,a\n3,.4,b\n\n"),
        ("class-first", "a,1.5,2\nb,3,.4\n"),
        ("id-class-first", "77,a,1.5,2\n78,b,3,.4\n"),
        ("id-first-class-last", "77,1.5,2,a\n79,?,2,a\n78,3,.4,b\n"),
        ("spaces-class-last", " 1.5  2 a\n3 .4 b \n"),
    ],
)
def test_each_layout_gives_the_same_rows(parser, text):
    Y, classes = PARSERS[parser](text.encode())
    assert Y.tolist() == [[1.5, 2.0], [3.0, 0.4]]
    assert classes == ["a", "b"]


def test_matlab_bytes_become_floats():
    file = io.BytesIO()
    content = {"fea": [[0, 255], [7, 8]], "gnd": [[2], [1]]}
    savemat(file, {name: np.array(values, dtype=np.uint8) for name, values in content.items()})
    Y, classes = PARSERS["matlab"](file.getvalue())
    assert Y.dtype == np.float64
    assert Y.tolist() == [[0, 255], [7, 8]]
    assert classes == ["2", "1"]
