from pathlib import Path

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app

ROOT = Path(__file__).parents[3]


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tests" / "report")
    from made_up import write_results

    write_results(tmp_path)
    return tmp_path


def test_the_page_is_written_and_its_path_printed(results, monkeypatch):
    monkeypatch.chdir(results)
    done = CliRunner().invoke(app, ["report", "--results", str(results)])
    page = results / "sgpmic-out" / "report.html"
    assert (done.exit_code, done.stdout) == (0, "sgpmic-out/report.html\n")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    elsewhere = results / "new" / "page.html"
    assert (
        CliRunner()
        .invoke(app, ["report", "--results", str(results), "--out", str(elsewhere)])
        .exit_code
        == 0
    )
    assert elsewhere.read_bytes() == page.read_bytes()


def test_without_a_table_one_sentence_says_how_to_make_it(tmp_path):
    done = CliRunner().invoke(app, ["report", "--results", str(tmp_path)])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "run `sgpmic benchmark" in done.stderr
    assert not list(tmp_path.iterdir())
