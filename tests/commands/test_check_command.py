import json
import shutil

import pytest
from command_line import assert_one_sentence, sgpmic

from sgpmic_cli.benchmark.methods import Method
from sgpmic_cli.paper.experiments import methods

SUBSET = "check --dataset iris --methods pca-fcm,ppca-fcm --n-jobs 1"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    path = tmp_path_factory.mktemp("reference") / "reference.json"
    sgpmic(f"{SUBSET} --update --repeats 3 --reference", path)
    return path


@pytest.fixture
def edited(reference, tmp_path):
    """Return a function that writes a reference with a changed first cell."""

    def write(**changes):
        content = json.loads(reference.read_text())
        content["cells"][0].update(changes)
        path = tmp_path / "edited.json"
        path.write_text(json.dumps(content))
        return path

    return write


def test_a_lower_score_is_shown_and_fails(edited):
    result = sgpmic(f"{SUBSET} --reference", edited(acc=[99.0, 99.0, 99.0]), code=1)
    assert "differs down" in result.stdout
    assert "-7.67" in result.stdout
    assert "1 of 18" in result.stderr
    assert result.stderr.count("\n") == 1


def test_comparing_nothing_or_without_a_reference_fails(reference, tmp_path):
    nothing = sgpmic(f"{SUBSET} --dataset cmc --reference", reference, code=1)
    assert nothing.stdout == "0 numbers: none\n"
    assert "nothing was compared" in nothing.stderr
    absent = sgpmic(f"{SUBSET} --reference", tmp_path / "none.json", code=1)
    assert_one_sentence(absent, "make one with sgpmic check --update --reference FILE")


def test_an_update_prints_the_difference_and_writes_the_file(reference, edited):
    path = edited(acc=[80.0, 80.0, 80.0])
    assert "+11.33" in sgpmic(f"{SUBSET} --update --reference", path).stdout
    assert path.read_text() == reference.read_text()


@pytest.mark.slow
def test_an_update_with_failed_runs_keeps_the_old_scores(reference, tmp_path, monkeypatch):
    path = tmp_path / "reference.json"
    shutil.copy(reference, path)
    broken = {"pca-fcm": Method("pca-fcm", "toy_methods:Broken")}
    monkeypatch.setattr(methods, "_registered", lambda: broken)
    result = sgpmic(f"{SUBSET} --update --methods pca-fcm --reference", path, code=3)
    assert "failed: ValueError: no luck" in " ".join(result.stdout.split())
    assert "9 of 9 runs failed; a cell in which all runs failed keeps its old" in result.stderr
    assert path.read_text() == reference.read_text()


def test_the_committed_reference_holds_for_fast_methods():
    methods = "pca-fcm,isomap-fcm,ppca-fcm,aml,dec"
    sgpmic(f"check --dataset iris,wine,wdbc --methods {methods} --n-jobs 1")  # exit code 0
