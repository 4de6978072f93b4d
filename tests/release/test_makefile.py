"""The packages that the targets of the Makefile install, according to `make --dry-run`."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("target", "installed"),
    [
        ("quickstart", {"."}),
        ("reproduce", {"."}),
        ("test", {".", '".[dev]"'}),
        ("docs", {".", '".[docs]"'}),
        ("map-study", {".", '".[study]"'}),
    ],
)
def test_targets_install_only_what_they_need(tmp_path, target, installed):
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    command = ["make", "--dry-run", target]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    calls = [line for line in done.stdout.splitlines() if "pip install" in line]
    assert {line.rsplit(" ", 1)[1] for line in calls} == installed
