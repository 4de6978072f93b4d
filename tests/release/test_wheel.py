"""Build the wheel, install it in an environment with its dependencies only, and use it."""

import os
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


def test_the_wheel_contains_two_packages(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    folders = {name.partition("/")[0] for name in names}
    assert {name for name in folders if "dist-info" not in name} == {"sgpmic", "sgpmic_cli"}


def test_the_installed_wheel_works_without_the_checkout(wheel, tmp_path):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    # The dependencies come from this environment. Its .pth files, such as that of an editable
    # installation, are not read from an appended path.
    (site,) = environment.glob("lib/python*/site-packages")
    (here,) = [
        path
        for path in map(Path, sys.path)
        if path.name == "site-packages" and (path / "numpy").is_dir()
    ]
    (site / "dependencies.pth").write_text(f"import sys; sys.path.append({str(here)!r})\n")
    release = ROOT / "tests/release"
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(release), "-c", "/dev/null"]
    command = [python, "-m", "pytest", *options, str(release / "installed_wheel.py")]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYT")}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
