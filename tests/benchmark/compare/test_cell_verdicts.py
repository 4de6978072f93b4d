import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sgpmic_cli.benchmark.compare.verdicts import judge


def _judged(ours, std, paper, paper_std, repeats=10, paper_repeats=10):
    columns = {"repeats": repeats, "failed": 0, "mean": ours, "std": std, "paper_mean": paper}
    columns |= {"paper_std": paper_std, "paper_repeats": paper_repeats, "data_differ": False}
    return judge(pd.DataFrame([columns])).iloc[0]


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
    assert _judged(ours, s_ours, paper, s_paper)["verdict"] == verdict


def test_the_interval_is_welchs():
    ours, paper = np.random.RandomState(0).normal([[60.0], [63.0]], [[2.0], [5.0]], size=(2, 10))
    # With sample deviations, SciPy's test on the raw values gives the same interval.
    judged = _judged(ours.mean(), ours.std(ddof=1), paper.mean(), paper.std(ddof=1))
    expected = stats.ttest_ind(ours, paper, equal_var=False).confidence_interval(0.95)
    assert judged[["low", "high"]].tolist() == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("s_ours", "n", "s_paper", "m", "verdict"),
    [
        (0.0, 10, 6.0, 10, "compatible"),
        (6.0, 10, 0.0, 10, "compatible"),
        (0.0, 10, 3.0, 10, "differs down"),
        (0.0, 1, 3.0, 10, "compatible"),
        (3.0, 10, 0.0, 1, "compatible"),
        (0.0, 1, 0.0, 1, "differs down"),
    ],
)
def test_a_side_without_spread_takes_that_of_the_other(s_ours, n, s_paper, m, verdict):
    judged = _judged(70.0, s_ours, 75.0, s_paper, n, m)
    error = max(s_ours, s_paper) * np.sqrt(1 / n + 1 / m)
    assert judged["error"] == pytest.approx(error)
    assert judged["verdict"] == verdict
    if 1 in (n, m):  # the degrees of freedom of the other side
        reach = stats.t.ppf(0.975, max(n, m, 2) - 1) * error
        assert judged["high"] == pytest.approx(-5.0 + reach)


@pytest.mark.parametrize(
    ("difference", "spread", "shown"), [(0.5, 1.0, True), (0.5, 3.0, False), (2.5, 0.1, False)]
)
def test_equivalence_needs_a_narrow_interval_inside_two_points(difference, spread, shown):
    assert _judged(50.0 + difference, spread, 50.0, spread)["equivalent"] == shown
