import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    return tmp_path
