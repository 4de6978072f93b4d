import pytest

from sgpmic_cli.data import load
from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.aggregate import aggregate_runs
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.scores import SCORES

LEVELS = (0.1, 0.2, 0.3)
GRADED = Method("graded", "toy_methods:Graded", grid={"level": LEVELS})


def _aggregate(accs):
    """Aggregate a cell from the ACC of its runs by level; None is a failed run."""
    cell = Cell("iris", 95, 2, GRADED, 3, data=load("iris"))
    runs, records = [], {}
    for level, values in zip(LEVELS, accs, strict=True):
        for repeat, acc in enumerate(values):
            run = Run(cell, None, {"level": level}, repeat, repeat, f"{level}/{repeat}", "")
            status = "failed" if acc is None else "ok"
            scores = {} if acc is None else dict.fromkeys(SCORES, acc)
            place = "iris", "graded", 2, 3, run.settings, repeat, repeat
            records[run.key] = Record(run.key, *place, status, 1.0, scores)
            runs.append(run)
    return aggregate_runs(cell, runs, records)


@pytest.mark.parametrize(
    ("accs", "level"),
    [
        ([(50, 60), (70, 60), (40, 90)], 0.2),  # the first of equals
        ([(99, None), (50, 60), (40, 50)], 0.2),  # a mean over fewer runs is not a candidate
        ([(99, None), (None, 60), (None, None)], 0.1),
        ([(None, None), (None, None), (1, None)], 0.3),
    ],
)
def test_the_best_grid_point_with_the_fewest_failures_is_chosen(accs, level):
    result = _aggregate(accs)
    assert result.settings == {"level": level}
    assert result.failed_anywhere == sum(acc is None for values in accs for acc in values)
