import os

from command_line import sgpmic
from made_up import write_results


def test_the_page_is_written_and_its_path_printed(here):
    write_results(here)
    assert sgpmic("report --results .").stdout == "sgpmic-out/report.html\n"
    page = here / "sgpmic-out" / "report.html"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    sgpmic("report --results . --out new/page.html")
    assert (here / "new" / "page.html").read_bytes() == page.read_bytes()


def test_tables_and_pipes_are_not_replaced(here):
    write_results(here)
    (here / "own.md").write_text("a table")
    os.mkfifo(here / "pipe")
    assert "which is read here" in sgpmic("report --results . --out own.md", code=2).stderr
    assert "a device or pipe" in sgpmic("report --results . --out pipe", code=2).stderr
    assert (here / "own.md").read_text() == "a table"
    assert (here / "pipe").is_fifo()
