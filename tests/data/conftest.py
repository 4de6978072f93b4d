import dataclasses
import hashlib

import pytest
from local_server import BODY, Server

from sgpmic_cli.data import entry, originals


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("SGPMIC_DATA", "SGPMIC_MIRROR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(originals, "BACKOFF", 0.01)
    running = Server()
    yield running
    running.close()


@pytest.fixture
def found(server):
    """A downloadable set whose file is BODY on the local server."""
    return dataclasses.replace(
        entry("yale"),
        urls=(f"{server.url}/file.mat",),
        filename="file.mat",
        size=len(BODY),
        sha256=hashlib.sha256(BODY).hexdigest(),
    )
