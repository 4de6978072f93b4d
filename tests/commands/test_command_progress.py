import pytest

from sgpmic_cli.commands import output as module
from sgpmic_cli.commands.output import Output, progress_bar


@pytest.fixture
def output(monkeypatch):
    """An output that stores its notes."""
    found = Output()
    found.notes = []
    monkeypatch.setattr(found, "note", found.notes.append)
    return found


def test_lines_of_progress_are_printed_with_pauses(output, monkeypatch):
    clock = iter([100.0, 105.0, 111.0, 111.0, 115.0])
    monkeypatch.setattr(module, "LINE_SECONDS", 10.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with progress_bar(output) as report:
        for step in ("too early", "later", "too early again"):
            report(None, None, step)
    assert output.notes == ["later"]
