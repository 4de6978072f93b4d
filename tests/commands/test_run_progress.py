import io

import pytest
from rich.console import Console
from rich.progress import Progress

from sgpmic_cli.commands.terminal.progress.run_progress import _Bar
from sgpmic_cli.experiments.run.records import Record


def _record(key, status="ok"):
    return Record(key, "iris", "pca-fcm", 2, 3, {}, 0, 1, status, 0.1)


@pytest.fixture
def bar():
    return _Bar(Progress(console=Console(file=io.StringIO()), disable=True))


def test_a_long_run_moves_the_bar_more_than_a_short_one(bar):
    bar.planned(13, 10, {"long": 8.0, "short": 1.0, "other": 1.0})
    (task,) = bar.progress.tasks
    assert (task.total, task.fields["count"]) == (10.0, "0/3")
    bar.finished(_record("long"))
    assert (task.completed, task.fields["count"]) == (8.0, "1/3")
    bar.finished(_record("short", "failed"))
    assert (task.percentage, task.fields["count"]) == (90.0, "2/3")
    assert task.description == "pca-fcm on iris, 1 failed"


def test_without_costs_every_run_counts_the_same(bar):
    bar.planned(5, 1)
    bar.finished(_record("any"))
    assert bar.progress.tasks[0].percentage == 25.0
