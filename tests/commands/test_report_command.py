from pathlib import Path

import pytest
from command_line import assert_one_sentence, sgpmic


@pytest.fixture
def results(here, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "report")
    from made_up import write_results

    write_results(here)
    return here


def test_the_page_is_written_and_its_path_printed(results):
    done = sgpmic("report --results .")
    assert (done.exit_code, done.stdout) == (0, "sgpmic-out/report.html\n")
    page = results / "sgpmic-out" / "report.html"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sgpmic("report --results . --out new/page.html").exit_code == 0
    assert (results / "new" / "page.html").read_bytes() == page.read_bytes()


def test_a_missing_table_is_one_sentence_with_the_command_that_writes_it(here):
    assert_one_sentence(sgpmic("report --results ."), 2, "run `sgpmic benchmark")
    assert not list(here.iterdir())
