import numpy as np
import pytest
from scipy import stats

from sgpmic_cli.benchmark.compare.paper import Published, Stat
from sgpmic_cli.benchmark.compare.verdicts import Difference, Verdict


@pytest.mark.parametrize(
    ("ours", "s_ours", "paper", "s_paper", "verdict"),
    [
        (91.3333, 0.0, 91.33, 0.0, "exact"),
        (76.01, 0.0, 76.00, 0.0, "exact"),
        (75.99, 5.0, 76.00, 5.0, "exact"),
        (76.02, 0.0, 76.00, 0.0, "within 1"),
        (77.00, 0.0, 76.00, 0.0, "within 1"),
        (77.01, 0.0, 76.00, 0.0, "differs up"),
        (74.99, 0.0, 76.00, 0.0, "differs down"),
        # Twice the standard error of the difference, sqrt(16/10 + 16/10), is 3.6.
        (80.00, 4.0, 76.00, 4.0, "differs up"),
        (79.00, 4.0, 76.00, 4.0, "compatible"),
        (72.00, 4.0, 76.00, 4.0, "differs down"),
    ],
)
def test_the_verdict_on_two_means(ours, s_ours, paper, s_paper, verdict):
    difference = Difference.of(Stat(ours, s_ours), 10, Published(paper, s_paper, repeats=10))
    assert difference.verdict == verdict


def test_the_interval_is_welchs():
    ours, paper = np.random.RandomState(0).normal([[60.0], [63.0]], [[2.0], [5.0]], size=(2, 10))
    # With sample deviations, SciPy's test on the raw values gives the same interval.
    printed = Published(paper.mean(), paper.std(ddof=1), repeats=10)
    difference = Difference.of(Stat(ours.mean(), ours.std(ddof=1)), 10, printed)
    expected = stats.ttest_ind(ours, paper, equal_var=False)
    assert difference.interval() == pytest.approx(tuple(expected.confidence_interval(0.95)))


@pytest.mark.parametrize(
    ("s_ours", "n", "s_paper", "m", "verdict"),
    [
        (0.0, 10, 6.0, 10, Verdict.COMPATIBLE),
        (6.0, 10, 0.0, 10, Verdict.COMPATIBLE),
        (0.0, 10, 3.0, 10, Verdict.DOWN),
        (0.0, 1, 3.0, 10, Verdict.COMPATIBLE),
        (3.0, 10, 0.0, 1, Verdict.COMPATIBLE),
        (0.0, 1, 0.0, 1, Verdict.DOWN),
    ],
)
def test_a_side_without_spread_takes_that_of_the_other(s_ours, n, s_paper, m, verdict):
    difference = Difference.of(Stat(70.0, s_ours), n, Published(75.0, s_paper, repeats=m))
    assert difference.error == pytest.approx(max(s_ours, s_paper) * np.sqrt(1 / n + 1 / m))
    assert difference.verdict is verdict
    if 1 in (n, m):
        assert difference.freedom == max(n, m, 2) - 1


@pytest.mark.parametrize(
    ("difference", "spread", "shown"), [(0.5, 1.0, True), (0.5, 3.0, False), (2.5, 0.1, False)]
)
def test_equivalence_needs_a_narrow_interval_inside_two_points(difference, spread, shown):
    ours, paper = Stat(50.0 + difference, spread), Published(50.0, spread, repeats=10)
    assert Difference.of(ours, 10, paper).equivalent is shown
