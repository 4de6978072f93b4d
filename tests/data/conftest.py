import dataclasses
import hashlib

import pytest
from local_server import BODY, Server

from sgpmic_cli.data import entry, registered


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(registered, "BACKOFF", 0.01)
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
