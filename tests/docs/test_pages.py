"""README and docs: code blocks run, links and commands exist, numbers agree with the results."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from benchmarks import agreement
from sgpmic_cli.commands import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKING = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "results/README.md"]
BLOCK = re.compile(
    r"(?P<before>[^\n]*)\n```(?P<kind>python|console)\n(?P<code>.*?)\n```"
    r"(?:\n\n```text\n(?P<output>.*?)\n```)?",
    re.S,
)
# Programs that a test cannot run: installations, servers, and targets that take half an hour.
OTHER_PROGRAMS = ("make", "pip", "dask", "pre-commit")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page):
    """Return the code blocks to run; `<!-- not run: reason -->` before a block excludes it."""
    text = "\n" + page.read_text(encoding="utf-8")
    return [
        (match["kind"], match["code"], match["output"])
        for match in BLOCK.finditer(text)
        if not match["before"].startswith("<!-- not run: ")
    ]


def shown(text):
    """Return the lines of a text without the spaces at their ends."""
    return [line.rstrip() for line in text.splitlines()]


def run_commands(code):
    """Run the commands of a block. Lines below a command are the first lines of its output."""
    for part in ("\n" + code).split("\n$ ")[1:]:
        line, *expected = part.splitlines()
        command = line.partition("  #")[0].strip()
        program = command.partition(" ")[0]
        if program in OTHER_PROGRAMS:
            continue
        assert program == "sgpmic", f"unknown program in {command!r}"
        arguments = [sys.executable, "-m", "sgpmic_cli", *shlex.split(command)[1:]]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert shown(done.stdout)[: len(expected)] == expected, command


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem
)
def test_every_block_runs(page, tmp_path, monkeypatch):
    """Run the blocks of a page in order in an empty folder; later blocks see earlier names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    known = {"__name__": "__main__"}
    for kind, code, output in blocks(page):
        if kind == "console":
            run_commands(code)
        else:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(code, str(page), "exec"), known)
            assert output is None or shown(printed.getvalue()) == shown(output), code


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_exist(page):
    without_code = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in LINK.findall(without_code):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        aim = page.parent / path if path else page
        assert aim.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(aim), f"{page.name} links to {target}"


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_make_targets_exist(page):
    commands = set(typer.main.get_command(app).commands)
    targets = set(re.findall(r"^([a-z0-9-]+):", text_of("Makefile"), re.M))
    targets |= {f"reproduce-figure{number}" for number in range(1, 9)}
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"[`$] ?sgpmic ([a-z][a-z0-9-]*)", text)) <= commands
    assert set(re.findall(r"[`$] ?make ([a-z][a-z0-9-]*)", text)) <= targets


def test_command_line_page_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import write_command_line

    assert text_of("docs/command-line.md") == write_command_line.text(), "run `make docs`"


@pytest.mark.parametrize("page", ["docs/lessons.md", "docs/built.md", "docs/model.md"])
def test_named_files_exist(page):
    names = {*re.findall(r"`([\w/]+\.(?:py|toml|csv))`", text_of(page))}
    folders = ["sgpmic_cli", "datasets", "results", "tests"]
    known = {str(path) for name in folders for path in (ROOT / name).rglob("*.*")}
    missing = [name for name in names if not any(path.endswith(f"/{name}") for path in known)]
    assert names
    assert all("NAME" in name for name in missing), missing


@pytest.mark.slow
def test_tables_of_agreement_are_those_of_the_committed_results(tmp_path):
    agreement.main(["--results", str(ROOT / "results"), "--out", str(tmp_path)])
    for name in ("methods", "column", "halves", "order"):
        table = (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert table == text_of(f"results/agreement/{name}.csv"), "run `make agreement`"
