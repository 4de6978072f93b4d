import threading
from types import SimpleNamespace

import pytest

from sgpmic_cli.benchmark.plan.methods import Method
from sgpmic_cli.clustering.fitting import IterationProgress
from sgpmic_cli.commands import fit_progress
from sgpmic_cli.commands.fit_progress import FitProgress, Progress
from sgpmic_cli.commands.output import Output
from sgpmic_cli.commands.progress import RunProgress


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
    monkeypatch.setattr(fit_progress, "LINE_SECONDS", 0.01)
    return RecordedOutput()


def _row(key, method, status="ok"):
    return {"key": key, "dataset": "iris", "method": method, "status": status}


def test_a_long_step_is_announced_once(output):
    with Progress(output, "at work") as bar:
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


def _runs(method, n, repeats=3):
    """Plan runs with an estimated time of 0.1 s each on n rows."""
    data = SimpleNamespace(Y=range(n), n_classes=3)
    cell = SimpleNamespace(data=data, n_clusters=3, settings={}, method=Method(method, "m:C"))
    return [SimpleNamespace(key=f"{method}{i}", cell=cell) for i in range(repeats)]


def test_the_time_left_is_estimated_from_the_cost_of_the_runs(output):
    now = [100.0]
    watcher = RunProgress(output)
    watcher.bar.get_time = watcher.task._get_time = lambda: now[0]
    short, long = _runs("short", 1000), _runs("long", 100_000, 6)
    watcher.planned(10, [*short, *long])
    now[0] += 12.0  # starting the processes takes longer than the runs
    for i, run in enumerate(short):
        watcher.finished(_row(run.key, "short", "failed" if i == 0 else "ok"))
    assert watcher.task.fields["count"] == "3/9"
    assert watcher.task.description == "short on iris, 1 failed"
    # 66 s are expected for the runs left, and 3.3 s took 12 s.
    assert watcher.state() == "3 of 9 runs done, 1 failed after 12 s, about 4 min 0 s left"
    now[0] += 1.0
    watcher.finished(_row("long0", "long"))
    # 55 s are expected for the runs left, and 14.3 s took 13 s.
    assert watcher.state() == "4 of 9 runs done, 1 failed after 13 s, about 50 s left"
    assert watcher.task.percentage == pytest.approx(100 * 14.3 / 69.3)
