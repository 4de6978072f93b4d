import json
from dataclasses import replace
from pathlib import Path

import pytest

from sgpmic_cli.benchmark.compare.comparison import SHOWN, read_table
from sgpmic_cli.benchmark.compare.counts import wins
from sgpmic_cli.benchmark.compare.paper import Stat
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.plan.cells import Cell, runs_of
from sgpmic_cli.benchmark.plan.methods import known
from sgpmic_cli.benchmark.run.pipeline import aggregate_runs
from sgpmic_cli.benchmark.run.records import Record
from sgpmic_cli.benchmark.tables.benchmark_summary import summary
from sgpmic_cli.data import load
from sgpmic_cli.scores import SCORES

TABLE2 = Path(__file__).parents[3] / "results" / "table2" / "benchmark.json"


def _result(method, dataset, scored=None, **means):
    """Aggregate ten equal runs at 95 % of the variance."""
    scores = {"acc": "acc", "nmi": "nmi"} | (scored or {})
    cell = Cell(dataset, 95, 2, known()[method], 3, scores=scores, data=load(dataset))
    runs = runs_of(cell, 10, 0)
    numbers = dict.fromkeys(SCORES, 44.0) | means
    place = dataset, method, 2, 3, {}
    records = {
        run.key: Record(run.key, *place, run.repeat, run.seed, "ok", 0.1, numbers) for run in runs
    }
    return aggregate_runs(cell, runs, records)


def test_the_note_of_a_one_to_one_acc_has_the_purity():
    as_run = known()["deepc"].as_run_scores
    result = _result("deepc", "cmc", as_run, acc=45.3, acc_hungarian=39.2)
    assert (result.ours["acc"].mean, result.verdict("acc")) == (pytest.approx(39.2), "within 1")
    assert "45.30" in result.note


def test_a_null_model_is_compared_with_another_column_and_wins_nothing_in_the_paper():
    null, own = _result("null-fcm", "wine", acc=75.28), _result("isomap-fcm", "wine", acc=75.28)
    assert [each.verdict("acc") for each in (null, own)] == ["exact", "differs up"]
    printed = wins([null, own, _result("pca-fcm", "wine")], "acc", "paper")
    assert printed == {"isomap-fcm": 1, "pca-fcm": 0}
    assert summary([null, own])["other_column"] == ["null-fcm"]


def test_missing_numbers_and_differing_data_have_their_own_verdicts():
    result = _result("pca-fcm", "iris", acc=88.67)
    for changes, verdict in (
        ({}, Verdict.EXACT),
        ({"variance": 42}, Verdict.NEW),
        ({"failed": 3}, Verdict.EXACT),
        ({"failed": 10, "ours": dict.fromkeys(SHOWN, Stat())}, Verdict.FAILED),
        ({"dataset": "yale", "variance": 50}, Verdict.DATA_DIFFER),
        ({"repeats": 0, "ours": dict.fromkeys(SHOWN, Stat())}, Verdict.UNAVAILABLE),
    ):
        assert replace(result, **changes).verdict("acc") is verdict


def rounded(document):
    """Round to ten decimals; recomputed intervals may differ in the last digit."""
    return json.loads(json.dumps(document), parse_float=lambda text: round(float(text), 10))


def test_a_table_is_read_back_also_with_an_unknown_method(tmp_path):
    content = json.loads(TABLE2.read_text(encoding="utf-8"))
    cells = [result.document() for result in read_table(TABLE2).results]
    assert rounded(cells) == rounded(content["cells"])
    content["cells"] = [{**content["cells"][0], "method": "gone-fcm"}]
    (tmp_path / "benchmark.json").write_text(json.dumps(content), encoding="utf-8")
    (result,) = read_table(tmp_path / "benchmark.json").results
    assert (result.method_name, result.verdict("acc")) == ("gone-fcm", Verdict.NEW)
