"""What a log gets instead of a bar."""

import threading

import pytest

from sgpmic_cli.commands.terminal.output import Output, spoken
from sgpmic_cli.commands.terminal.progress import heartbeat
from sgpmic_cli.commands.terminal.progress.fit_progress import STARTING, showing
from sgpmic_cli.commands.terminal.progress.heartbeat import beating
from sgpmic_cli.commands.terminal.progress.run_progress import _Lines, watching
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.single_fit.fitting import Placing, Round


class Heard(Output):
    """Remembers remarks, and tells when so many have been made."""

    def __init__(self):
        super().__init__()
        self.remarks, self.three = [], threading.Event()

    def remark(self, sentence):
        self.remarks.append(sentence)
        if len(self.remarks) >= 3:
            self.three.set()


@pytest.fixture
def heard(monkeypatch):
    monkeypatch.setattr(heartbeat, "EVERY", 0.01)
    return Heard()


def test_lines_come_while_a_step_lasts_and_none_after(heard):
    with beating(heard, lambda: "at work"):
        assert heard.three.wait(60)
    said = len(heard.remarks)
    assert set(heard.remarks) == {"at work"}
    assert threading.Event().wait(0.1) is False
    assert len(heard.remarks) == said


def test_a_fit_says_where_it_is_over_all_restarts(heard):
    with showing(heard) as hear:
        assert heard.three.wait(60)
        hear(Round(2, 3, 5, 20, -1.5, None))
    assert heard.remarks[0] == STARTING
    assert "restart 2/3, round 5/20: bound -1.50" in heard.remarks


def test_rows_are_placed_without_a_word_unless_it_takes_long(heard):
    with showing(heard, "reading") as hear:
        hear(Placing(32, 64))
        assert heard.three.wait(60)
        hear(Placing(48, None))
        said = len(heard.remarks)
        while len(heard.remarks) < said + 2:
            threading.Event().wait(0.01)
    assert set(heard.remarks) <= {"reading", "placed 32 of 64 rows", "placed 48 rows"}
    assert "placed 32 of 64 rows" in heard.remarks
    assert heard.remarks[-1] == "placed 48 rows"


def test_runs_are_counted_and_the_time_left_follows_their_cost(heard, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(
        "sgpmic_cli.commands.terminal.progress.run_progress.time.monotonic", lambda: now[0]
    )
    lines = _Lines(heard)
    lines.planned(13, 10, {"long": 8.0, "short": 1.0, "other": 1.0})
    now[0] += 80.0
    lines.finished(Record("long", "iris", "pca-fcm", 2, 3, {}, 0, 1, "failed", 0.1))
    assert lines.state() == "1 of 3 runs done, 1 failed after 1 min 20 s, about 20 s left"


def test_without_a_terminal_runs_are_told_in_lines(heard):
    with watching(heard) as watcher:
        watcher.planned(4, 1)
        assert heard.three.wait(60)
    assert heard.remarks[-1].startswith("0 of 3 runs done after ")


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.4, "3 s"), (61, "1 min 1 s"), (7260, "2 h 1 min")]
)
def test_durations(seconds, words):
    assert spoken(seconds) == words
