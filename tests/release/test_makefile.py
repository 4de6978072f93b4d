"""What the targets of the Makefile install, told by `make --dry-run` in a folder where nothing is installed yet."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def installed_by(target, checkout):
    """What pip is asked to install, in order."""
    said = subprocess.run(
        ["make", "--dry-run", target], cwd=checkout, capture_output=True, text=True, check=True
    )
    return [line.rsplit(" ", 1)[1] for line in said.stdout.splitlines() if "pip install" in line]


def test_running_needs_the_bare_package(checkout):
    for target in ("quickstart", "check", "reproduce"):
        assert installed_by(target, checkout) == ["."]


def test_tests_need_their_tools_on_top(checkout):
    assert installed_by("test", checkout) == [".", '".[dev]"']
    assert installed_by("docs", checkout) == [".", '".[docs]"']
    assert installed_by("map-study", checkout) == [".", '".[study]"']


def test_what_is_there_is_not_installed_again(checkout):
    (checkout / ".venv").mkdir()
    (checkout / ".venv/.installed").touch()
    assert installed_by("quickstart", checkout) == []
    assert installed_by("test", checkout) == ['".[dev]"']
    (checkout / ".venv/.installed-dev").touch()
    assert installed_by("test", checkout) == []
