"""Set one BLAS thread, no time limits of Hypothesis, and make test processes interruptible."""

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import sgpmic_cli.__main__  # noqa: F401 - sets one BLAS thread

# No test depends on the speed of the machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Shells start background processes with SIGINT ignored.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def plain_environment(tmp_path, monkeypatch):
    """Give every test an empty cache, and no proxy."""
    monkeypatch.setenv("SGPMIC_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def publishers_files(monkeypatch):
    """Use the publishers' files beside the checkout as the cache, and return their folder."""
    folder = Path(__file__).parents[2] / "shared" / "datasets" / "original"
    if not folder.is_dir():
        pytest.skip("the publishers' files are not beside this checkout")
    monkeypatch.setenv("SGPMIC_DATA", str(folder))
    return folder
