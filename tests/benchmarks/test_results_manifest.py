"""The manifest describes the committed results, and documents follow the files."""

from types import SimpleNamespace

import pytest

from benchmarks import numbers, results
from sgpmic_cli.files import own_files


@pytest.mark.parametrize("target", results.STEPS)
def test_committed_files_are_those_of_the_manifest(target):
    assert results.read()["steps"][target]["files"] == results.files_of(target)


@pytest.mark.parametrize(
    "folder", [*results.RESULTS.glob("table*"), *results.RESULTS.glob("sweep*")]
)
def test_a_checkout_has_the_markers_that_let_commands_write_its_results_again(folder):
    files = {path.name for path in folder.iterdir()} - {".sgpmic.json"}
    command = "benchmark" if folder.name.startswith("table2") else folder.name
    assert own_files(folder, command, "add") == files


def test_an_interrupted_call_continues_and_another_commit_begins_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setattr(results, "STEPS", {"one": ("one.csv",), "two": ("two.csv",)})
    monkeypatch.setattr(results, "commit", lambda: "first")
    made, found = [], []

    def make(command, **_):
        made.append(command[1])
        file = tmp_path / f"{command[1]}.csv"
        found.append(file.exists())
        file.write_text(results.commit())
        if command[1] == interrupted:
            raise KeyboardInterrupt

    monkeypatch.setattr(results, "subprocess", SimpleNamespace(run=make))
    interrupted = "two"
    with pytest.raises(KeyboardInterrupt):
        results.main([])
    interrupted = ""
    results.main([])
    assert made == ["one", "two", "two"]
    assert found == [False, False, True]  # an interrupted step finds its files
    monkeypatch.setattr(results, "commit", lambda: "second")
    (tmp_path / "runs").mkdir()
    results.main([])
    assert found[3:] == [False, False]
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("page", list(numbers.documents()), ids=lambda page: page.stem)
def test_numbers_of_the_documents_are_those_of_the_files(page):
    text = page.read_text(encoding="utf-8")
    assert numbers.updated(text) == text, "run `make numbers`"
