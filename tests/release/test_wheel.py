"""Build the wheel, install it beside nothing but its dependencies, and use it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from a copy of the checkout without `results/`, which users may delete."""
    folder, source = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("source") / "checkout"
    left_out = shutil.ignore_patterns("results", ".git", ".venv*", "build", "dist", "__pycache__")
    shutil.copytree(ROOT, source, ignore=left_out)
    options = ["--wheel", "--no-isolation", "--outdir", str(folder)]
    command = [sys.executable, "-m", "build", *options, str(source)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_data_reference_types_notice_and_the_short_name(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "sgpmic/__init__.py",
        "sgpmic_cli/py.typed",
        "sgpmic_cli/data/bundled/iris.csv",
        "sgpmic_cli/data/bundled/NOTICE",
        "sgpmic_cli/experiments/reference.json",
    } <= names
    assert any(name.endswith("licenses/datasets/NOTICE") for name in names)
    assert not [name for name in names if name.startswith(("tests", "results", "docs"))]


def test_a_stranger_gets_along_with_the_wheel_alone(wheel, tmp_path):
    """Install the wheel in an environment that sees the dependencies but not this checkout."""
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    (site,) = environment.glob("lib/python*/site-packages")
    (here,) = [
        path
        for path in map(Path, sys.path)
        if path.name == "site-packages" and (path / "numpy").is_dir()
    ]
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site / "dependencies.pth").write_text(
        f"import sys; sys.path.append({str(here)!r})\n"
    )  # after our own; no .pth there
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(ROOT / "tests/release"),
    ]
    command += ["-c", "/dev/null", str(ROOT / "tests/release/stranger.py")]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=_without_paths()
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _without_paths():
    import os

    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTEST_ADDOPTS")
    }
