"""The packages that the targets of the Makefile install, according to `make --dry-run`."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path):
    """Return a folder with a space in its name and without environments."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def installed_by(target, checkout):
    """Return the last arguments of the calls of pip, in order."""
    command = ["make", "--dry-run", target]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    return [line.rsplit(" ", 1)[1] for line in done.stdout.splitlines() if "pip install" in line]


def test_targets_install_only_what_they_need(checkout):
    for target in ("quickstart", "check", "reproduce"):
        assert installed_by(target, checkout) == ["."]
    assert set(installed_by("test", checkout)) == {".", '".[dev]"'}  # a dry run lists them twice
    assert installed_by("docs", checkout) == [".", '".[docs]"']
    assert installed_by("map-study", checkout) == [".", '".[study]"']
