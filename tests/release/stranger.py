"""What a stranger does with the wheel alone. `make wheel-test` and test_wheel.py run it in environments of their own.

Nothing of the checkout may be in reach: no `PYTHONPATH`, another current folder, the installed command.
"""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

COMMAND = Path(sys.executable).with_name("sgpmic")
MINE = """
from sklearn.cluster import KMeans

class Mine(KMeans):
    '''k-means, as somebody's own method.'''
"""
WORSE = (
    MINE
    + """
    def fit_predict(self, X, y=None, sample_weight=None):
        return super().fit_predict(X) * 0
"""
)
GATE = ["check", "--reference", "ref.json", "--n-jobs", "1"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table of three groups and a method of somebody's own."""
    random = np.random.RandomState(0)
    rows = [
        f"{x:.3f},{y:.3f},{z:.3f},{name}"
        for i, name in enumerate("abc")
        for x, y, z in random.randn(25, 3) * 0.4 + np.array([i * 5, (i % 2) * 4, -i * 3])
    ]
    (tmp_path / "my.csv").write_text("u,v,w,kind\n" + "\n".join(rows) + "\n")
    (tmp_path / "mypkg.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def _sgpmic(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


def test_the_short_name_is_the_package():
    import sgpmic
    import sgpmic_cli

    assert "site-packages" in sgpmic_cli.__file__
    assert sgpmic.SGPMIC is sgpmic_cli.SGPMIC
    assert sgpmic.__version__ == sgpmic_cli.__version__
    assert Path(sgpmic_cli.__file__).with_name("py.typed").is_file()


def test_the_notice_of_the_bundled_data_comes_along():
    from importlib.metadata import files

    notices = [path for path in files("sgpmic") if path.name == "NOTICE"]
    assert notices
    assert "CC BY 4.0" in notices[0].read_text()


def test_an_own_table_is_clustered(folder):
    done = _sgpmic("fit", "my.csv", "--label", "kind", "--clusters", "3", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert any((folder / "out").iterdir())


def test_the_gate_works_with_the_reference_that_comes_along(folder):
    done = _sgpmic("check", "--dataset", "iris", "--methods", "pca-fcm,ppca-fcm", "--n-jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("12 numbers: 12 ") or "12 numbers: " in done.stdout
    refused = _sgpmic("check", "--update", "--dataset", "iris", "--methods", "pca-fcm")
    assert refused.returncode == 2
    assert "--reference" in refused.stderr


def test_a_reference_of_ones_own_fails_when_the_method_gets_worse(folder):
    made = _sgpmic(
        *GATE, "--update", "--dataset", "my.csv", "--label", "kind", "--methods", "mypkg:Mine"
    )
    assert made.returncode == 0, made.stderr
    content = json.loads((folder / "ref.json").read_text())
    assert content["files"]["my.csv"]["path"] == "my.csv"
    assert content["label"] == "kind"

    unchanged = _sgpmic(*GATE)
    assert (unchanged.returncode, unchanged.stdout) == (0, "6 numbers: 6 same\n"), unchanged.stderr

    (folder / "mypkg.py").write_text(WORSE)
    worse = _sgpmic(*GATE, "--junit", "gate.xml", "--annotations", "--json")
    assert worse.returncode == 1
    assert len(json.loads(worse.stdout)["changes"]) == 6
    suite = ElementTree.parse(folder / "gate.xml").getroot()
    assert suite.get("failures") == "6"
    assert worse.stderr.count("::error title=sgpmic check::") == 6

    (folder / "mypkg.py").unlink()
    gone = _sgpmic(*GATE)
    assert gone.returncode == 1
    assert "missing" in gone.stdout


def test_another_table_under_the_same_name_is_not_compared(folder):
    assert (
        _sgpmic(
            *GATE, "--update", "--dataset", "my.csv", "--label", "kind", "--methods", "pca-fcm"
        ).returncode
        == 0
    )
    text = (folder / "my.csv").read_text()
    (folder / "my.csv").write_text(text.replace("\n", "\n9,9,9,a\n", 1))
    changed = _sgpmic(*GATE)
    assert changed.returncode == 1
    assert "is not the file that the reference was made with" in " ".join(changed.stdout.split())
    assert _sgpmic(*GATE, "--update").returncode == 0  # all that the reference holds, computed anew
    assert _sgpmic(*GATE).returncode == 0
