"""Set one BLAS thread, no time limits of Hypothesis, and make test processes interruptible."""

import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import sgpmic_cli.__main__  # noqa: F401 - sets one BLAS thread
from sgpmic_cli.clustering.clusters import curved, groups

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


@pytest.fixture(scope="session", autouse=True)
def each_map_of_neighbours_once():
    """Draw the map of the neighbours, which depends on the rows alone, once for equal rows."""
    drawn, draw = {}, groups.neighbour_map

    def neighbour_map(X):
        key = (X.shape, np.ascontiguousarray(X).tobytes())
        return drawn[key] if key in drawn else drawn.setdefault(key, draw(X))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "neighbour_map", neighbour_map)
        patch.setattr(curved, "neighbour_map", neighbour_map)
        yield


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
