import pytest

from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.aggregate import aggregate_runs
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.scores import SCORES

LEVELS = (0.1, 0.2, 0.3)
GRADED = Method("graded", "toy_methods:Graded", grid={"level": LEVELS})


def _fold(accs):
    """A cell from the ACC of its runs, by level; None for a failed one."""
    cell = Cell("iris", 95, 2, GRADED, 3, data=object())
    behind, records = [], {}
    for level, values in zip(LEVELS, accs, strict=True):
        for repeat, acc in enumerate(values):
            run = Run(cell, None, {"level": level}, repeat, repeat, f"{level}/{repeat}", "")
            ok = acc is not None
            scores = dict.fromkeys(SCORES, acc) if ok else {}
            behind.append(run)
            records[run.key] = Record(
                run.key,
                "iris",
                "graded",
                2,
                3,
                run.settings,
                repeat,
                repeat,
                "ok" if ok else "failed",
                1.0,
                scores,
            )
    return aggregate_runs(cell, behind, records)


@pytest.mark.parametrize(
    ("accs", "level"),
    [
        ([(50, 60), (70, 60), (40, 90)], 0.2),  # the first of equals
        ([(99, None), (50, 60), (40, 50)], 0.2),  # a mean over fewer runs is no rival
        ([(99, None), (None, 60), (None, None)], 0.1),
        ([(None, None), (None, None), (1, None)], 0.3),
    ],
)
def test_of_a_grid_the_best_among_the_points_with_the_fewest_failures_is_chosen(accs, level):
    outcome = _fold(accs)
    assert outcome.settings == {"level": level}
    assert outcome.failed_anywhere == sum(acc is None for values in accs for acc in values)
