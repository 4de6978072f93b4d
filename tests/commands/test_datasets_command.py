import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands.cluster_data.datasets import app
from sgpmic_cli.data import entry, names
from sgpmic_cli.errors import DataUnavailable, UsageError

ORIGINAL = Path(__file__).parents[3].parent / "shared" / "datasets" / "original"


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    monkeypatch.setenv("SGPMIC_DATA", str(tmp_path / "cache"))
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_list_names_every_set(run):
    rows = json.loads(run("list", "--json").stdout)["datasets"]
    assert [row["name"] for row in rows] == names()
    human = run("list")
    assert human.exit_code == 0
    assert all(name in human.stdout for name in names())
    assert "\x1b" not in human.stdout


def test_show_gives_licence_and_attribution(run):
    shown = json.loads(run("show", "wine", "--json").stdout)
    assert shown["licence"] == "CC BY 4.0"
    assert shown["attribution"] == entry("wine").attribution
    assert shown["state"] == "bundled"
    human = run("show", "wine").stdout
    assert "Aeberhard" in human
    assert "CC BY 4.0" in human


def test_show_an_unknown_name(run):
    error = run("show", "wien").exception
    assert isinstance(error, UsageError)
    assert "did you mean 'wine'?" in str(error)


def test_fetch_offline_is_unavailable_and_still_one_document(run):
    result = run("fetch", "yale", "--offline", "--json")
    assert json.loads(result.stdout)["datasets"][0]["state"] == "unavailable"
    assert isinstance(result.exception, DataUnavailable)
    assert result.exception.exit_code == 4


def test_fetch_a_bundled_set_has_nothing_to_do(run):
    result = run("fetch", "iris")
    assert result.exit_code == 0
    assert "bundled" in result.stdout


def test_fetch_from_a_mirror_then_present(run, tmp_path):
    if not ORIGINAL.is_dir():
        pytest.skip("the publishers' files are not beside this checkout")
    chosen = tmp_path / "chosen"
    assert run("fetch", "--mirror", str(ORIGINAL), "--data-dir", str(chosen)).exit_code == 0
    assert sorted(path.name for path in chosen.iterdir()) == ["COIL20.mat", "Yale_32x32.mat"]
    rows = json.loads(run("list", "--json", "--data-dir", str(chosen)).stdout)["datasets"]
    assert {row["name"]: row["state"] for row in rows}["yale"] == "present"


def test_verify_without_and_with_a_mirror(run, tmp_path):
    result = run("verify", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["ok"] is True
    empty = run("verify", "--json", "--mirror", str(tmp_path))
    assert empty.exit_code == 4
    assert json.loads(empty.stdout)["ok"] is False
    if not ORIGINAL.is_dir():
        pytest.skip("the publishers' files are not beside this checkout")
    proved = run("verify", "--mirror", str(ORIGINAL))
    assert proved.exit_code == 0
    assert proved.stdout.count("original") == 10


def test_importing_the_command_is_cheap():
    code = (
        "import sys, sgpmic_cli.commands.cluster_data.datasets as c; "
        "print(c._complete('i'), {'numpy', 'pandas'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "['iris'] set()"
