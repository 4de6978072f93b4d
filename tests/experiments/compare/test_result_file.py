import json
from pathlib import Path

from sgpmic_cli.experiments.compare.result_file import read_results, read_table

TABLE2 = Path(__file__).parents[3] / "results" / "table2" / "benchmark.json"


def rounded(value):
    """The same with ten decimals: intervals are computed again, and the last digits are the processor's."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return round(value, 10) if isinstance(value, float) else value


def test_a_table_read_back_is_the_table():
    content = json.loads(TABLE2.read_text(encoding="utf-8"))
    assert rounded(read_table(TABLE2).document()) == rounded(content)
    assert len(read_results(TABLE2)) == len(content["cells"]) == 13 * 25


def test_a_method_that_is_known_no_more_keeps_its_name(tmp_path):
    content = json.loads(TABLE2.read_text(encoding="utf-8"))
    content["cells"] = [{**content["cells"][0], "method": "gone-fcm"}]
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    (result,) = read_results(path)
    assert (result.method, result.entrant.in_paper, result.paper) == (
        "gone-fcm",
        False,
        {"acc": None, "nmi": None},
    )
