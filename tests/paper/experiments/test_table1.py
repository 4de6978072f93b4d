import json

import pytest

from sgpmic_cli.benchmark.plan import PERCENTAGES
from sgpmic_cli.paper.experiments.protocols import table1
from sgpmic_cli.paper.experiments.table1 import for_people, shapes, write_table1


@pytest.fixture
def found():
    return {shape["dataset"]: shape for shape in shapes()}


def test_the_bundled_sets_have_the_printed_shapes_and_dimensions(found):
    assert list(found) == list(table1())
    equal = {name for name, shape in found.items() if shape["verdict"] == "equal"}
    assert equal == set(table1()) - {"yale"}
    assert {"n": 2310, "p": 19, "n_classes": 7}.items() <= found["segment"].items()
    assert {"q50": 2, "q95": 17, "q99": 29}.items() <= found["sonar"].items()
    printed = [shape[f"paper_q{each}"] for shape in found.values() for each in PERCENTAGES]
    assert len(printed) - printed.count(None) == 25


def test_an_unavailable_set_has_its_printed_numbers(found, tmp_path):
    assert found["yale"]["verdict"] == "unavailable"
    assert "yale is unavailable" in found["yale"]["note"]
    write_table1(tmp_path, list(found.values()))
    written = {path.name for path in tmp_path.glob("[!.]*")}
    assert written == {f"table1.{ending}" for ending in ("csv", "md", "json")}
    last = json.loads((tmp_path / "table1.json").read_text())["datasets"][-1]
    expected = {"dataset": "yale", "n": None, "paper_n": 165, "q50": None, "paper_q50": 3}
    assert expected.items() <= last.items()


@pytest.mark.usefixtures("publishers_files")
def test_yale_differs_in_its_dimension():
    yale = shapes()[-1]
    expected = {"n": 165, "p": 1024, "n_classes": 15, "q50": 4, "paper_q50": 3}
    assert (expected | {"verdict": "differs"}).items() <= yale.items()
    assert for_people([yale])[1][0][4] == "4 (3)"
