from command_line import sgpmic
from made_up import write_results


def test_the_page_is_written_and_its_path_printed(here):
    write_results(here)
    assert sgpmic("report --results .").stdout == "sgpmic-out/report.html\n"
    page = here / "sgpmic-out" / "report.html"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    sgpmic("report --results . --out new/page.html")
    assert (here / "new" / "page.html").read_bytes() == page.read_bytes()
