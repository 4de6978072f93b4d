"""A method of the user: a class in the working directory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = '''
from sklearn.cluster import KMeans


class MyClusterer(KMeans):
    """K-means under another name, which ignores the latent dimensions."""
'''


@pytest.fixture
def shell(tmp_path):
    """Run the command in a folder with a method and a data set of the user."""
    (tmp_path / "mypkg").mkdir()
    (tmp_path / "mypkg" / "mymodule.py").write_text(MODULE)
    lines = [f"{i % 2 * 10 + i % 5},{i % 3},{'xy'[i % 2]}" for i in range(60)]
    (tmp_path / "my.csv").write_text("a,b,kind\n" + "\n".join(lines) + "\n")

    def run(*arguments):
        code = "from sgpmic_cli.__main__ import main; main()"
        command = [sys.executable, "-c", code, "benchmark", *arguments]
        return subprocess.run(
            [*command, "--repeats", "2", "--n-jobs", "2", "--json", "--quiet"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
        )

    return run


@pytest.mark.slow
def test_a_class_in_the_working_directory_runs_on_a_csv_file(shell):
    methods = "mypkg.mymodule:MyClusterer,pca-fcm"
    done = shell("--dataset", "my.csv,iris", "--label", "kind", "--methods", methods)
    assert done.returncode == 0, done.stderr
    cells = {(cell["dataset"], cell["method"]): cell for cell in json.loads(done.stdout)["cells"]}
    mine = cells["my.csv", "mypkg.mymodule:MyClusterer"]
    assert (mine["acc"]["mean"], mine["n_clusters"], mine["failed"]) == (100.0, 2, 0)
    assert mine["verdict"] == {"acc": "new", "nmi": "new"}
    assert cells["iris", "mypkg.mymodule:MyClusterer"]["acc"]["mean"] == pytest.approx(
        89.33, abs=1.0
    )
    assert cells["iris", "pca-fcm"]["verdict"]["acc"] == "exact"
