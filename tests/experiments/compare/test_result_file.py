import json
from pathlib import Path

from sgpmic_cli.experiments.compare.comparison import read_table

TABLE2 = Path(__file__).parents[3] / "results" / "table2" / "benchmark.json"


def rounded(value):
    """Round to ten decimals; recomputed intervals may differ in the last digit."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return round(value, 10) if isinstance(value, float) else value


def test_a_table_is_read_back():
    content = json.loads(TABLE2.read_text(encoding="utf-8"))
    assert rounded(read_table(TABLE2).document()) == rounded(content)
    assert len(read_table(TABLE2).results) == len(content["cells"])


def test_an_unknown_method_keeps_its_name(tmp_path):
    content = json.loads(TABLE2.read_text(encoding="utf-8"))
    content["cells"] = [{**content["cells"][0], "method": "gone-fcm"}]
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    (result,) = read_table(path).results
    assert (result.method, result.entrant.in_paper) == ("gone-fcm", False)
    assert not any(result.paper.values())
