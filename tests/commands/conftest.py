import pytest


@pytest.fixture(autouse=True)
def no_periodic_lines(monkeypatch):
    """Print no lines of progress, which a slow machine would add to stderr."""
    monkeypatch.setattr("sgpmic_cli.commands.output.LINE_SECONDS", 3600.0)
