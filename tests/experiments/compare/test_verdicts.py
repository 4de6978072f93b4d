from dataclasses import replace

import pytest

from sgpmic_cli.experiments.compare.paper import Published
from sgpmic_cli.experiments.compare.verdicts import LEGEND, Verdict, compare, judge
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.scores import SCORES


@pytest.mark.parametrize(
    ("ours", "s_ours", "paper", "s_paper", "verdict"),
    [
        (91.3333, 0.0, 91.33, 0.0, "exact"),
        (76.01, 0.0, 76.00, 0.0, "exact"),
        (75.99, 5.0, 76.00, 5.0, "exact"),
        (76.02, 0.0, 76.00, 0.0, "match"),
        (77.00, 0.0, 76.00, 0.0, "match"),
        (77.01, 0.0, 76.00, 0.0, "better"),
        (74.99, 0.0, 76.00, 0.0, "worse"),
        (86.00, 4.0, 76.00, 3.0, "match"),  # 2 sqrt(9 + 16) = 10
        (86.01, 4.0, 76.00, 3.0, "better"),
        (65.99, 4.0, 76.00, 3.0, "worse"),
    ],
)
def test_the_rules(ours, s_ours, paper, s_paper, verdict):
    assert compare(Stat(ours, s_ours), Published(paper, s_paper, False)) == verdict


def test_what_goes_before_the_numbers():
    stats = dict.fromkeys(SCORES, Stat(50.0, 0.0))
    cell = Cell("iris", 95, 2, Method("m", "a:B"), 3, data=object())
    outcome = Outcome(cell, {}, 10, 0, stats, 0.1)
    paper = Published(50.0, 0.0, False)
    assert judge(outcome, "acc", paper) is Verdict.EXACT
    assert judge(outcome, "acc", None) is Verdict.NEW
    assert judge(replace(outcome, failed=3), "acc", paper) is Verdict.EXACT
    assert judge(replace(outcome, failed=10), "acc", paper) is Verdict.FAILED
    assert judge(replace(outcome, cell=replace(cell, data_differ=True)), "acc", paper) is Verdict.DATA_DIFFER
    assert judge(replace(outcome, cell=replace(cell, data=None)), "acc", paper) is Verdict.UNAVAILABLE


def test_the_legend_explains_every_verdict():
    assert set(LEGEND) == set(Verdict)
