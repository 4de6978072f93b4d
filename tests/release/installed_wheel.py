"""Tests of an installed wheel, which `make wheel-test` runs in a new environment.

They use the installed command in another folder and without `PYTHONPATH`, so that nothing of the
checkout is imported.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

COMMAND = Path(sys.executable).with_name("sgpmic")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a table of three groups."""
    random = np.random.RandomState(0)
    rows = [
        f"{x:.3f},{y:.3f},{z:.3f},{name}"
        for i, name in enumerate("abc")
        for x, y, z in random.randn(25, 3) * 0.4 + np.array([i * 5, (i % 2) * 4, -i * 3])
    ]
    (tmp_path / "my.csv").write_text("u,v,w,kind\n" + "\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def sgpmic_command(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


def test_sgpmic_and_sgpmic_cli_have_the_same_names():
    import sgpmic
    import sgpmic_cli

    assert "site-packages" in sgpmic_cli.__file__
    assert sgpmic.GroupMap is sgpmic_cli.GroupMap
    assert sgpmic.__version__ == sgpmic_cli.__version__
    assert Path(sgpmic_cli.__file__).with_name("py.typed").is_file()


def test_the_wheel_has_two_packages_and_the_notice_of_the_bundled_data():
    from importlib.metadata import files

    paths = [path for path in files("sgpmic") if ".dist-info" not in path.parts[0]]
    assert {path.parts[0] for path in paths} - {"..", "__pycache__"} == {"sgpmic", "sgpmic_cli"}
    assert any("CC BY 4.0" in path.read_text() for path in paths if path.name == "NOTICE")


def test_fit_clusters_a_table_of_the_user(folder):
    done = sgpmic_command("fit", "my.csv", "--label", "kind", "--clusters", "3", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert any((folder / "out").iterdir())


def test_check_compares_with_the_installed_reference(folder):
    done = sgpmic_command(
        "check", "--dataset", "iris", "--methods", "pca-fcm,ppca-fcm", "--n-jobs", "1"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 numbers: " in done.stdout
