"""README and docs: blocks of code run as they stand, links lead somewhere, the generated page is up to date."""

import contextlib
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import sgpmic

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?P<before>[^\n]*)\n```(?P<kind>\w+)\n(?P<code>.*?)\n```", re.S)
# What a test cannot run: an installation, another program, or half an hour.
OTHER_PROGRAMS = ("make", "pip", "dask", "pre-commit")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _blocks(page):
    """The blocks of a page that are meant to run, in order; `<!-- not run: reason -->` before a block spares it."""
    text = "\n" + page.read_text(encoding="utf-8")
    return [
        (match["kind"], match["code"])
        for match in BLOCK.finditer(text)
        if not match["before"].startswith("<!-- not run: ")
        and match["kind"] in ("python", "console")
    ]


def _run_commands(code):
    """Each command in a process of its own, as a person runs it."""
    for line in code.splitlines():
        command = line.removeprefix("$ ").partition("  #")[0].strip()
        program = command.partition(" ")[0]
        if not line.startswith("$ ") or program in OTHER_PROGRAMS:
            continue
        assert program == "sgpmic", f"what is {command!r}?"
        arguments = [sys.executable, "-m", "sgpmic_cli", *shlex.split(command)[1:]]
        done = subprocess.run(
            arguments, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if _blocks(page)], ids=lambda page: page.stem
)
def test_every_block_runs(page, tmp_path, monkeypatch):
    """The blocks of a page one after another, in an empty folder, the names of one known to the next."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "sgpmic", sgpmic)
    known = {"__name__": "__main__"}
    for kind, code in _blocks(page):
        if kind == "console":
            _run_commands(code)
        else:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(code, str(page), "exec"), known)


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "docs/gallery/index.md"], ids=lambda page: page.stem
)
def test_links_lead_somewhere(page):
    without_code = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in LINK.findall(without_code):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        aim = page.parent / path if path else page
        assert aim.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in _anchors(aim), f"{page.name} links to {target}"


def _anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def test_the_page_of_the_command_line_says_what_the_commands_say(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import write_command_line

    assert (ROOT / "docs/command-line.md").read_text(
        encoding="utf-8"
    ) == write_command_line.text(), "run `make docs`"


def test_every_test_that_a_promise_names_is_there():
    rows = re.findall(r"^\|.*\|$", (ROOT / "docs/faults.md").read_text(encoding="utf-8"), re.M)[2:]
    assert len(rows) > 25
    for row in rows:
        tests = re.findall(r"`([\w/]+\.py)`", row.split(" | ")[-1])
        assert tests, row
        for name in tests:
            assert (ROOT / (name if "/" in name else f"tests/hostile/{name}")).is_file(), name


def test_the_gallery_shows_every_example_with_its_code_and_picture(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/gallery"))
    import run_all

    folder = ROOT / "docs/gallery"
    page = (folder / "index.md").read_text(encoding="utf-8")
    scripts = {path.stem for path in folder.glob("*.py")} - {"run_all", "gallery_style"}
    assert scripts == set(run_all.ORDER)
    for name in scripts:
        assert (folder / "pictures" / f"{name}.png").is_file()
        start, _, end = run_all.entry(name, "OUTPUT").partition("OUTPUT")
        assert start in page, f"{name} has changed: run `make docs`"
        assert end in page, f"{name} has changed: run `make docs`"


def test_the_readme_shows_the_table_that_the_gallery_computed():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    with (ROOT / "docs/gallery/where_it_pays.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            scores = [
                f"{float(row[method]) + 0.0:.2f}"
                for method in ("SGP-MIC", "k-means", "Gaussian mixture")
            ]
            line = " | ".join([row["data"], f"{row['rows']} x {row['columns']}", *scores])
            assert f"| {line} |".replace("-0.00", "0.00") in readme


def test_the_readme_counts_the_cells_as_the_summary_does():
    summary = (ROOT / "results/table2/summary.md").read_text(encoding="utf-8")
    counted = re.search(
        r"Of the (\d+) on the paper's data \d+ \((\d+) %\) lie within one point, \d+ \((\d+) %\)",
        summary,
    )
    assert counted is not None
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    distinct, near, apart = counted.groups()
    assert (
        f"of {distinct} distinct numbers on the paper's data, {near} % come out within one point"
        in readme
    )
    assert f"and {apart} % differ" in readme


@pytest.mark.slow
def test_every_example_of_the_gallery_runs(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/gallery"))
    import run_all

    for name in run_all.ORDER:
        run_all.run(name)


def test_the_page_on_the_printed_numbers_counts_the_cells_as_the_summary_does():
    page = " ".join((ROOT / "docs/printed-numbers.md").read_text(encoding="utf-8").split())
    summary = json.loads((ROOT / "results/table2/summary.json").read_text(encoding="utf-8"))
    for metric, counts in summary["by_metric"].items():
        words = ("exact", "within 1", "compatible", "differs up", "differs down", "data differ")
        assert (
            f"| {metric.upper()} | {' | '.join(str(counts.get(word, 0)) for word in words)} |"
            in page
        )
    assert (
        f"Of the {summary['judged']} cells on the paper's data {summary['within_one_point']} lie within one point, "
        f"{summary['differ']} differ, and {summary['equivalent']} are shown to lie within two points."
    ) in page
    for method, counts in summary["by_method"].items():
        near = counts.get("exact", 0) + counts.get("within 1", 0)
        far = counts.get("differs up", 0) + counts.get("differs down", 0)
        assert re.search(rf"\b{method.removesuffix('-fcm').upper()} {near} and {far}\b", page), (
            method
        )
