"""The report of a user's benchmark: own data, two own methods, and a CSV of printed numbers."""

import re

import pytest
from small_studies import small_benchmark

from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.experiments.protocols import read_printed
from sgpmic_cli.paper.page import report_page

HEADING = "method,dataset,metric,mean,std,repeats\n"
PRINTED = f"""{HEADING}toy_methods:Halves,mine.csv,acc,50.0,0.0,5
toy_methods:Halves,mine.csv,ari,100.0,0.1,5
baseline,mine.csv,acc,70.0,1.0,1
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    lines = [f"{i % 7},{i * i % 11},{'ab'[i % 2]}" for i in range(40)]
    (folder / "mine.csv").write_text("x,y,kind\n" + "\n".join(lines))
    (folder / "printed.csv").write_text(PRINTED)
    methods = ["toy_methods:Halves", "toy_methods:Flaky"]
    small_benchmark([str(folder / "mine.csv")], [95], methods, out=folder / "out", repeats=4)
    return folder


def _cells(page):
    """Return class and content of every cell of the table, by metric and method."""
    found = re.findall(r'<td class="cell ?([^"]*)" id="(\w+?)-[^>]*data-place="([^"]*)"', page)
    return {(metric, place.rpartition("/")[2]): verdict for verdict, metric, place in found}


def test_without_printed_numbers_the_page_compares_the_methods_by_ari(results):
    page = report_page(results / "out")
    cells = _cells(page)
    assert [metric for metric, _ in cells][::2] == ["ari", "acc", "nmi"]
    assert set(cells.values()) <= {"v-best", "v-tied", "v-lower"}
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections == ["summary", "table", "environment"]
    assert re.search(r'<th scope="col">best</th><th scope="col">tied</th>', page)
    assert 'class="paper"' not in page
    content = page[page.index("<header>") : page.index("<script>")]
    assert not re.search("printed|paper", content, re.IGNORECASE)


def test_printed_numbers_are_compared_and_their_methods_shown(results):
    page = report_page(results / "out", results / "printed.csv")
    verdicts = _cells(page)
    assert verdicts["ari", "toy_methods:Halves"] == "v-differs-down"
    assert verdicts["acc", "toy_methods:Flaky"] in ("v-best", "v-tied", "v-lower")
    assert verdicts["acc", "baseline"] == "v-not-run"
    assert "There are 3 printed numbers, and 2 of our numbers" in page
    assert "Of 2 printed numbers that were run, " in page
    assert "70.00<small>±1.00</small>" in page
    assert "50.00±0.00, 5 runs" in page


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "No columns"),
        (HEADING, "no number"),
        ("method,dataset,metric\nm,iris,acc\n", "column 'mean' is missing"),
        (f"{HEADING}m,iris,acc,high,0,5\n", "line 2: a number is missing or wrong"),
        (f"{HEADING}m,iris,acc,50\n", "line 2: a number is missing or wrong"),
        (f"{HEADING}m,iris,f1,50,0,5\n", "line 2: its metric is none of acc, nmi, ari"),
        (f"{HEADING}m,iris,acc,50,-1,5\n", "line 2: a number is negative"),
        (f"{HEADING}m,iris,acc,50,0,0\n", "line 2: a number is negative"),
        (f"{HEADING}m,iris,acc,inf,0,5\n", "line 2: a number is missing or wrong"),
        (f"{HEADING}m,iris,acc,50,0,5\nm,iris,acc,51,0,5\n", "line 3: it repeats an earlier cell"),
        (b"\xff\xfe", "is not a CSV file of printed numbers"),
    ],
)
def test_a_wrong_file_of_printed_numbers_is_one_sentence(tmp_path, content, problem):
    path = tmp_path / "printed.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UsageError, match=problem) as caught:
        read_printed(path)
    assert "\n" not in str(caught.value)


def test_the_papers_folder_has_its_own_printed_numbers(tmp_path):
    (tmp_path / "table2").mkdir()
    (tmp_path / "table2" / "benchmark.json").write_text("{}")
    with pytest.raises(UsageError, match=r"--results .*table2"):
        report_page(tmp_path, tmp_path / "printed.csv")
