"""Notebooks and pictures: stored outputs are those of the code, and pictures are sharp."""

import base64
import json
import os
import re
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
PICTURES = sorted((ROOT / "docs/pictures").glob("*.png"))


@pytest.fixture
def run_notebooks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import run_notebooks

    return run_notebooks


def width(png):
    return struct.unpack(">I", png[16:20])[0]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_those_of_the_code(path, run_notebooks, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    stored, found = run_notebooks.read(path), run_notebooks.run(path)
    texts = run_notebooks.text_outputs
    assert texts(found) == texts(stored), "run `make docs` and read what has changed"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_name_no_kernel_and_no_place(path, run_notebooks):
    notebook = run_notebooks.read(path)
    assert notebook["metadata"] == {"language_info": {"name": "python"}}
    texts = "\n".join(run_notebooks.text_outputs(notebook))
    assert not re.search(r"(?<![\w.])/\w+/", texts)  # an absolute path


def test_pictures_are_at_least_1400_pixels_wide():
    pictures = {path.name: path.read_bytes() for path in PICTURES}
    for path in NOTEBOOKS:
        for i, text in enumerate(re.findall(r'"image/png": "([^"]+)"', path.read_text("utf-8"))):
            pictures[f"{path.name}, picture {i}"] = base64.b64decode(text)
    assert len(pictures) > len(PICTURES)
    assert {name: width(png) for name, png in pictures.items() if width(png) < 1400} == {}


def test_running_a_notebook_stores_prints_values_commands_and_figures(
    tmp_path, run_notebooks, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    sources = [
        "x = 1\nprint('printed')\nx + 1",
        "x;",
        "!echo one",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
    ]
    cells = [{"cell_type": "code", "source": [source]} for source in sources]
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    notebook = run_notebooks.run(path)
    assert run_notebooks.text_outputs(notebook) == ["printed", "2", "one"]
    assert [len(cell["outputs"]) for cell in notebook["cells"]] == [2, 0, 1, 1]
    assert os.listdir(tmp_path) == ["small.ipynb"]  # a notebook runs in a folder of its own
