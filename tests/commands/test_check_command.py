import pytest
from command_line import sgpmic

from sgpmic_cli.paper.experiments import protocols

SUBSET = "check --dataset iris --methods pca-fcm,ppca-fcm --n-jobs 1"


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """Let the command read a reference with a higher first ACC."""
    path = tmp_path / "reference.csv"
    path.write_text(protocols.REFERENCE.read_text().replace("91.3333", "99.0000", 11))
    monkeypatch.setattr(protocols, "REFERENCE", path)


def test_a_lower_score_is_shown_and_fails(edited):
    result = sgpmic(SUBSET, code=1)
    assert "differs down" in result.stdout
    assert "-7.67" in result.stdout
    assert "1 of 12" in result.stderr
    assert result.stderr.count("\n") == 1


def test_comparing_nothing_fails():
    nothing = sgpmic("check --dataset cmc --methods unca --n-jobs 1", code=1)
    assert "nothing was compared" in nothing.stderr


def test_the_committed_reference_holds_for_fast_methods():
    methods = "pca-fcm,isomap-fcm,ppca-fcm,aml,dec"
    sgpmic(f"check --dataset iris,wine,wdbc --methods {methods} --n-jobs 1")  # exit code 0
