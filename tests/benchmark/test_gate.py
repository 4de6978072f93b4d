import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.benchmark import gate
from sgpmic_cli.benchmark.gate import PLACE, RUNS, State, changes_of
from sgpmic_cli.benchmark.methods import Method
from sgpmic_cli.benchmark.plan import Suite, unvaried
from sgpmic_cli.benchmark.run import RunOptions
from sgpmic_cli.paper.experiments.protocols import REFERENCE, paper_suite

CELL = ("iris", 95, "pca-fcm")
ALONE = RunOptions(n_jobs=1)


@pytest.fixture(scope="module")
def reference():
    return gate.read_reference(REFERENCE)


@pytest.fixture
def cell(reference):
    return gate.select(reference, ["iris"], ["pca-fcm"]).query("explained_variance == 95")


def _reference(scores):
    """Return a reference with one ACC."""
    scores = np.array(scores, float)
    row = {**dict(zip(PLACE, CELL, strict=True)), "metric": "acc", "mean": scores.mean()}
    row["error"] = scores.std(ddof=1) / np.sqrt(len(scores))
    return pd.DataFrame([{**row, **dict(zip(RUNS, scores, strict=True))}])


def _frame(scores, reason=""):
    """Return runs of the cell with these ACC."""
    runs = {
        **dict(zip(PLACE, CELL, strict=True)),
        "nmi": 1.0,
        "scores": {"acc": "acc", "nmi": "nmi"},
        "reason": reason,
    }
    return pd.DataFrame([{**runs, "repeat": i, "acc": x} for i, x in enumerate(scores)])


SPREAD = [60.0, 80.0] * 5  # standard error 3.33, so 7.67 points are allowed


@pytest.mark.parametrize(
    ("before", "now", "state"),
    [
        ([80.0] * 10, [80.0] * 10, State.SAME),
        ([80.0] * 10, [79.1] * 3, State.MOVED),  # one point is allowed
        ([80.0] * 10, [78.9] * 3, State.DOWN),
        ([80.0] * 10, [81.1] * 10, State.UP),
        (SPREAD, [53.0, 73.0] * 5, State.MOVED),
        (SPREAD, [52.0, 72.0] * 5, State.DOWN),
        (SPREAD, [60.0, 80.0, 60.0], State.SAME),  # runs of equal seeds are compared
        ([80.0] * 10, [80.0, 80.0, None], State.FAILED),
    ],
)
def test_a_mean_may_fall_by_a_point_and_two_standard_errors(before, now, state):
    (change,) = changes_of(_reference(before), _frame(now)).to_dict("records")
    assert change["state"] == state


def test_the_fast_check_compares_the_first_three_runs(cell):
    assert set(gate.check_scores(paper_suite(), cell, ALONE)["state"]) == {State.SAME}
    fallen = cell.assign(**dict.fromkeys(RUNS[:3], cell["run0"].iloc[0] + 4.0))
    changes = gate.check_scores(paper_suite(), fallen[:1].assign(error=0.1), ALONE)
    assert changes["state"].tolist() == [State.DOWN]
    assert changes["allowed"].tolist() == [pytest.approx(1.0 + 0.2 * np.sqrt(10 / 3))]


def test_a_method_that_fails_is_reported_as_failed(cell):
    toy = Suite({"pca-fcm": Method("pca-fcm", "toy_methods:Broken")}, {"plain": unvaried})
    changes = gate.check_scores(toy, cell, ALONE, 1.0)
    assert set(changes["state"]) == {State.FAILED}
    assert set(changes["reason"]) == {"ValueError: no luck"}


def test_an_update_writes_the_selected_cells_only(reference, cell, tmp_path):
    path = tmp_path / "reference.csv"
    old = reference.assign(mean=1.0)
    old.to_csv(path, index=False, float_format="%.4f")
    gate.update_reference(path, paper_suite(), cell, ALONE)
    new = gate.read_reference(path)
    changed = new["mean"] != 1.0
    assert changed.sum() == 2
    pd.testing.assert_frame_equal(new[changed], cell, check_dtype=False)
