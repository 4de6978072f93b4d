from pathlib import Path

import pytest
from command_line import sgpmic


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
