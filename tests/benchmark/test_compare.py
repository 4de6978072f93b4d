import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sgpmic_cli.benchmark.compare import compare, judge, summary
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.benchmark.tables import document, read_document
from sgpmic_cli.paper.experiments.protocols import paper_suite, table2
from sgpmic_cli.scores import SCORES

TABLE2 = Path(__file__).parents[2] / "results" / "table2" / "benchmark.json"
METHODS = paper_suite().methods


def _runs(method, dataset, scored=None, cell=0, percentage=95, **fields):
    scores = {"acc": "acc", "nmi": "nmi"} | (scored or {})
    place = {"cell": cell, "dataset": dataset, "data": "hash", "q": 2, "n_clusters": 3}
    place |= {"explained_variance": percentage, "method": method, "settings": {}}
    run = {"status": "ok", "seconds": 0.1, "reason": "", "warnings": []}
    numbers = dict.fromkeys(SCORES, 44.0)
    return pd.DataFrame([{**place, **run, **numbers, "scores": scores, **fields}] * 10)


def _compared(*runs):
    return compare(pd.concat(runs), METHODS, table2())


def test_the_note_of_a_one_to_one_acc_has_the_purity():
    as_run = METHODS["deepc"].as_run_scores
    table = _compared(_runs("deepc", "cmc", as_run, acc=45.3, acc_hungarian=39.2))
    acc = table[table["metric"] == "acc"].iloc[0]
    assert (acc["mean"], acc["verdict"]) == (pytest.approx(39.2), "within 1")
    assert "45.30" in acc["note"]


def test_a_null_model_is_compared_with_another_column():
    table = _compared(
        _runs("null-fcm", "wine", acc=75.28),
        _runs("isomap-fcm", "wine", cell=1, acc=75.28),
        _runs("pca-fcm", "wine", cell=2),
    )
    verdicts = table[table["metric"] == "acc"]["verdict"].tolist()
    assert verdicts[:2] == ["exact", "differs up"]
    assert summary(table)["other_column"] == ["null-fcm"]


@pytest.mark.parametrize(
    ("dataset", "percentage", "failed", "verdict"),
    [
        ("iris", 95, 0, "exact"),
        ("iris", 42, 0, "alone"),
        ("iris", 95, 3, "exact"),
        ("iris", 95, 10, "failed"),
        ("yale", 50, 0, "data differ"),
        ("iris", 95, None, "unavailable"),
    ],
)
def test_missing_numbers_and_differing_data_have_their_own_verdicts(
    dataset, percentage, failed, verdict
):
    runs = _runs("pca-fcm", dataset, percentage=percentage, acc=88.67)
    if failed is None:
        runs = runs[:1].assign(status="unavailable", reason="gone")
    else:
        runs.iloc[:failed, runs.columns.get_loc("status")] = "failed"
    table = _compared(runs)
    assert table.loc[table["metric"] == "acc", "verdict"].tolist() == [verdict]


def test_a_document_is_read_back_also_with_an_unknown_method(tmp_path):
    content = json.loads(TABLE2.read_text(encoding="utf-8"))
    table = read_document(TABLE2, METHODS, table2())
    study = Study([], {}, repeats=content["repeats"], protocol=content["protocol"])
    assert document(study, table) == content
    content["numbers"] = [{**content["numbers"][0], "method": "gone-fcm"}]
    (tmp_path / "benchmark.json").write_text(json.dumps(content), encoding="utf-8")
    table = read_document(tmp_path / "benchmark.json", METHODS, table2())
    assert table["method"].unique() == ["gone-fcm"]
    assert table["verdict"].unique() == ["alone"]


def test_numbers_without_a_printed_one_are_judged_beside_the_best_of_their_row():
    spread = [{"ari": 60.0}, {"ari": 59.0}, {"ari": 50.0}]
    runs = [
        _runs(name, "iris", cell=i, percentage=42).assign(ari=each["ari"] + 3 * np.sin(range(10)))
        for i, (name, each) in enumerate(zip("abc", spread, strict=True))
    ]
    table = _compared(*runs)
    ari = table[table["metric"] == "ari"]
    assert ari["verdict"].tolist() == ["best", "tied", "lower"]
    # The sample deviations of SciPy are wider by sqrt(10 / 9), which changes no verdict here.
    p_values = [stats.ttest_ind(runs[0]["ari"], each["ari"]).pvalue for each in runs[1:]]
    assert p_values[0] > 0.2
    assert p_values[1] < 0.001
    assert set(table.loc[table["metric"] == "acc", "verdict"]) == {"best"}  # all are equal
    assert table["difference"].isna().all()


def _judged(ours, std, paper, paper_std, repeats=10, paper_repeats=10):
    columns = {"metric": "acc", "dataset": "d", "explained_variance": 95}
    columns |= {"repeats": repeats, "failed": 0, "mean": ours, "std": std, "paper_mean": paper}
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
        # Equal runs whose mean is rounded.
        (1.4e-14, 10, 6.0, 10, "compatible"),
        (1.4e-14, 10, 0.0, 10, "differs down"),
    ],
)
def test_a_side_without_spread_takes_that_of_the_other(s_ours, n, s_paper, m, verdict):
    judged = _judged(70.0, s_ours, 75.0, s_paper, n, m)
    error = max(s_ours, s_paper) * np.sqrt(1 / n + 1 / m)
    assert judged["verdict"] == verdict
    # With a single run, the degrees of freedom are those of the other side.
    freedom = max(n, m, 2) - 1 if 1 in (n, m) else n + m - 2
    assert judged["high"] == pytest.approx(-5.0 + stats.t.ppf(0.975, freedom) * error, abs=1e-9)
