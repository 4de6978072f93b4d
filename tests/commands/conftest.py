import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    return tmp_path


@pytest.fixture(autouse=True)
def no_periodic_lines(monkeypatch):
    """Print no lines of progress, which a slow machine would add to stderr."""
    monkeypatch.setattr("sgpmic_cli.commands.progress.LINE_SECONDS", 3600.0)
