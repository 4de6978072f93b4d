"""The manifest notices results of other code or with other bytes; documents follow the files."""

import json

import pytest

from benchmarks import numbers, results
from sgpmic_cli._version import __version__

STEP = results.STEPS[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with one step that is up to date."""
    monkeypatch.setattr(results, "STEPS", (STEP,))
    (tmp_path / "table1").mkdir()
    (tmp_path / "table1/table1.csv").write_text("a,b\n1,2\n")
    entry = {
        "commit": "0" * 40,
        "code": results.code_of(STEP),
        "platform": "any",
        "seconds": 1,
        "inputs": {},
        "files": results.files_of(STEP, tmp_path),
    }
    manifest = {"commit": "0" * 40, **results.environment(), "steps": {STEP.target: entry}}
    (tmp_path / results.MANIFEST).write_text(json.dumps(manifest))
    return tmp_path


def test_fresh_results_pass(folder):
    assert list(results.stale(folder)) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda folder: (folder / "table1/table1.csv").write_text("a,b\n1,3\n"), "other files"),
        (lambda folder: (folder / "table1/planted.csv").write_text(""), "other files"),
        (lambda folder: (folder / results.MANIFEST).unlink(), "not in the manifest"),
    ],
)
def test_a_planted_file_is_noticed(folder, change, reason):
    change(folder)
    [(step, found)] = results.stale(folder)
    assert step is STEP
    assert reason in found


def test_other_code_is_noticed_but_not_other_docstrings(folder, tmp_path, monkeypatch):
    source = tmp_path / "module.py"
    monkeypatch.setattr(results, "package_sources", lambda module: {source})
    hashes = []
    for text in ('"""One."""\nx = 1', '"""Two."""\nx = 1  # comment', '"""One."""\nx = 2'):
        source.write_text(text)
        hashes.append(results.code_of(STEP))
    assert hashes[0] == hashes[1] != hashes[2]
    assert "other code" in next(iter(results.stale(folder)))[1]


def test_other_settings_and_scripts_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results, "package_sources", lambda module: set())
    (tmp_path / "benchmarks").mkdir()
    for name, text in {"one": "from benchmarks import two", "two": "x = 1"}.items():
        (tmp_path / f"benchmarks/{name}.py").write_text(text)
    for name in results.GENERATORS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1")
    step = results.Step("one", (), (), ("one",), settings=("*.toml",))
    codes = [results.code_of(step)]
    for name in ("benchmarks/two.py", results.GENERATORS[0], "methods.toml"):
        (tmp_path / name).write_text("x = 2")
        codes.append(results.code_of(step))
    assert len(set(codes)) == 4


def test_a_step_is_out_of_date_if_results_that_it_reads_have_changed(folder, monkeypatch):
    step = results.Step("report", ("report.html",), (), inputs=("table1/*",))
    monkeypatch.setattr(results, "STEPS", (STEP, step))
    (folder / "report.html").write_text("<p>")
    results.record(step, folder, 1)
    assert list(results.stale(folder)) == []
    (folder / "table1/table1.csv").write_text("a,b\n1,3\n")
    results.record(STEP, folder, 1)
    assert list(results.stale(folder)) == [(step, "was computed from other results")]


def test_files_of_other_code_are_removed_and_those_of_an_interrupted_step_are_kept(
    folder, monkeypatch
):
    monkeypatch.setattr(results, "code_of", lambda step: "other")
    results.remove_other_code(STEP, folder)
    assert not (folder / "table1/table1.csv").exists()
    assert "other files" in next(iter(results.stale(folder)))[1]  # it has not ended
    (folder / "table1/table1.csv").write_text("a,b\n")
    results.remove_other_code(STEP, folder)
    assert (folder / "table1/table1.csv").exists()
    results.record(STEP, folder, 1)
    assert list(results.stale(folder)) == []


@pytest.mark.skipif(
    "dev" in __version__, reason="a development version may be ahead of its results"
)
def test_committed_results_belong_to_this_code():
    assert [f"{step.target} {reason}" for step, reason in results.stale()] == []


@pytest.mark.parametrize("page", list(numbers.documents()), ids=lambda page: page.stem)
def test_numbers_of_the_documents_are_those_of_the_files(page):
    text = page.read_text(encoding="utf-8")
    assert numbers.updated(text) == text, "run `make numbers`"


def test_a_wrong_number_is_replaced(monkeypatch):
    monkeypatch.setitem(numbers.VALUES, "answer", lambda: "42")
    assert numbers.updated("It is <!--= answer -->41<!--/-->.") == (
        "It is <!--= answer -->42<!--/-->."
    )
