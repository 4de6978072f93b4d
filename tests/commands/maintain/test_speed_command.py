"""`sgpmic speed --device cuda`: the document as it was measured, or one sentence."""

import json

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.model.device import choice
from sgpmic_cli.speed import device


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda: CliRunner().invoke(app, ["speed", "--device", "cuda", "--out", "out"])


def test_without_a_gpu_one_sentence_and_nothing_written(run, tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "missing", lambda: "PyTorch sees none")
    result = run()
    assert result.exit_code == SgpmicError.exit_code
    assert "there is no GPU to measure (PyTorch sees none)" in result.stderr
    assert not (tmp_path / "out").exists()


def test_what_was_measured_is_written_and_its_promises_are_shown(run, tmp_path, monkeypatch):
    document = {
        **{"device": {"name": "a GPU"}, "m": 5, "p": 10, "q": 2, "gpytorch": None},
        "evaluations": [{"setting": "paper", "n": 1000, "k": 10, "ms": 23.5, "core_ms": 4000.0}],
        "verdicts": [
            {"promise": "a million rows: ms", "measured": 23.5, "limit": 40.0, "kept": True}
        ],
    }
    monkeypatch.setattr(choice, "missing", lambda: None)
    monkeypatch.setattr(device, "measure_device", lambda say: document)
    result = run()
    assert result.exit_code == 0
    assert json.loads((tmp_path / "out" / "speed-gpu.json").read_text()) == document
    assert (tmp_path / "out" / "figures" / "speed-gpu.png").is_file()
    assert "23.5" in result.stdout
    assert "kept" in result.stdout
    assert "GPyTorch is not in this environment" in result.stderr
