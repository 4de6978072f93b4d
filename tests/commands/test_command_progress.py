import threading

import pytest

from sgpmic_cli.commands.output import FitProgress, Output, ProgressDisplay, RunProgress
from sgpmic_cli.result.fitting import IterationProgress


class RecordedOutput(Output):
    """Stores notes, and sets an event after each."""

    def __init__(self):
        super().__init__()
        self.notes, self.told = [], threading.Event()

    def note(self, sentence):
        self.notes.append(sentence)
        self.told.set()


@pytest.fixture
def output(monkeypatch):
    monkeypatch.setattr("sgpmic_cli.commands.output.LINE_SECONDS", 0.01)
    return RecordedOutput()


def test_a_long_step_is_announced_once(output):
    with ProgressDisplay(output, "at work") as bar:
        assert output.told.wait(60)
        assert threading.Event().wait(0.1) is False
        assert output.notes == ["at work"]
        output.told.clear()
        bar.update("nearly done")
        assert output.told.wait(60)
    assert output.notes == ["at work", "nearly done"]


def test_a_fit_reports_restart_and_iteration(output):
    with FitProgress(output) as update:
        assert output.told.wait(60)
        update(IterationProgress(2, 3, 5, 20, -1.5, None))
    assert output.notes[0] == "initialising the fit"
    assert "restart 2/3, iteration 5/20: bound -1.50" in output.notes


def test_a_study_reports_the_runs_that_are_done(output):
    progress = RunProgress(output)
    assert progress.state() == "planning"
    progress(0, 9, "1 stored, running")
    progress(3, 9, "short on iris, 1 failed")
    assert progress.task.fields["count"] == "3/9"
    assert progress.task.description == "short on iris, 1 failed"
    assert progress.state() == "3 of 9 runs done"
