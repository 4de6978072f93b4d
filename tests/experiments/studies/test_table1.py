import json
from pathlib import Path

import pytest

from sgpmic_cli.experiments.compare.paper import printed_q, table1
from sgpmic_cli.experiments.studies.table1 import for_people, shapes, write_table1

MIRROR = Path(__file__).parents[3].parent / "shared" / "datasets" / "original"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return {
        shape.name: shape
        for shape in shapes(offline=True, data_dir=tmp_path_factory.mktemp("none"))
    }


def test_the_eight_bundled_sets_have_the_printed_shapes_and_dimensions(found):
    assert list(found) == list(table1())
    assert {name for name, shape in found.items() if shape.verdict == "equal"} == set(table1()) - {
        "yale"
    }
    assert found["segment"].ours == (2310, 19, 7)
    assert found["sonar"].q == {50: 2, 95: 17, 99: 29}
    assert sum(len(shape.printed_q) for shape in found.values()) == len(printed_q()) == 25


def test_what_is_missing_still_has_its_printed_line(found, tmp_path):
    yale = found["yale"]
    assert (yale.verdict, yale.ours, yale.printed) == ("unavailable", None, (165, 1024, 15))
    assert "yale is unavailable" in yale.note
    write_table1(tmp_path, list(found.values()))
    assert {path.name for path in tmp_path.iterdir()} == {
        f"table1.{ending}" for ending in ("csv", "md", "tex", "json")
    }
    last = json.loads((tmp_path / "table1.json").read_text())["datasets"][-1]
    assert (last["dataset"], last["n"], last["paper_n"], last["q50"], last["paper_q50"]) == (
        "yale",
        None,
        165,
        None,
        3,
    )


@pytest.mark.skipif(
    not MIRROR.is_dir(), reason="the publishers' files are not beside this checkout"
)
def test_yale_differs_in_its_dimension(tmp_path):
    yale = shapes(mirror=str(MIRROR), data_dir=tmp_path)[-1]
    assert (yale.ours, yale.q, yale.printed_q, yale.verdict) == (
        (165, 1024, 15),
        {50: 4},
        {50: 3},
        "differs",
    )
    assert for_people([yale])[1][0][4] == "4 (3)"
