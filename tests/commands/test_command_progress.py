import threading

import pytest

from sgpmic_cli.commands import progress
from sgpmic_cli.commands.output import Output, duration
from sgpmic_cli.commands.progress import STARTING, FitProgress, Progress, RunProgress
from sgpmic_cli.errors import Terminated
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.single_fit.fitting import Placing, Round

COSTS = {"long": 8.0, "short": 1.0, "other": 1.0}


class RecordedOutput(Output):
    """Stores notes, and sets an event after the third."""

    def __init__(self):
        super().__init__()
        self.notes, self.three = [], threading.Event()

    def note(self, sentence):
        self.notes.append(sentence)
        if len(self.notes) >= 3:
            self.three.set()


@pytest.fixture
def output(monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    return RecordedOutput()


def _record(key, status="ok"):
    return Record(key, "iris", "pca-fcm", 2, 3, {}, 0, 1, status, 0.1)


def test_lines_are_printed_during_a_step_and_not_after_it(output):
    with Progress(output, "at work"):
        assert output.three.wait(60)
    printed = len(output.notes)
    assert set(output.notes) == {"at work"}
    assert threading.Event().wait(0.1) is False
    assert len(output.notes) == printed


def test_a_fit_reports_restart_and_iteration(output):
    with FitProgress(output) as update:
        assert output.three.wait(60)
        update(Round(2, 3, 5, 20, -1.5, None))
    assert output.notes[0] == STARTING
    assert "restart 2/3, iteration 5/20: bound -1.50" in output.notes


def test_assigned_rows_are_reported_only_if_it_takes_long(output):
    with FitProgress(output, "reading") as update:
        update(Placing(32, 64))
        assert output.three.wait(60)
        update(Placing(48, None))
        printed = len(output.notes)
        while len(output.notes) < printed + 2:
            threading.Event().wait(0.01)
    assert set(output.notes) <= {"reading", "assigned 32 of 64 rows", "assigned 48 rows"}
    assert "assigned 32 of 64 rows" in output.notes
    assert output.notes[-1] == "assigned 48 rows"


def test_the_time_left_follows_the_cost_of_the_runs(output, monkeypatch):
    now = [100.0]
    watcher = RunProgress(output)
    watcher.bar.get_time = watcher.task._get_time = lambda: now[0]
    watcher.planned(13, 10, COSTS)
    now[0] += 80.0
    watcher.finished(_record("long", "failed"))
    assert (watcher.task.percentage, watcher.task.fields["count"]) == (80.0, "1/3")
    assert watcher.task.description == "pca-fcm on iris, 1 failed"
    assert watcher.state() == "1 of 3 runs done, 1 failed after 1 min 20 s, about 20 s left"
    watcher.planned(5, 1)  # without costs all runs count the same
    watcher.finished(_record("any"))
    assert watcher.task.percentage == 25.0


def test_an_interrupted_experiment_says_how_to_resume(output):
    with pytest.raises(Terminated, match="the same command resumes"), RunProgress(output):
        raise Terminated


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.4, "3 s"), (61, "1 min 1 s"), (7260, "2 h 1 min")]
)
def test_durations(seconds, words):
    assert duration(seconds) == words
