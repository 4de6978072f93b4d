from xml.etree import ElementTree

import pytest

from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.experiments.studies.gate_changes import Change, State, annotations, junit

PLACE = ("my, own.csv", 95, "mypkg:Mine")
SAME = Change(PLACE, "acc", State.SAME, Stat(90.0, 1.0), Stat(90.0, 1.0), 1.0)
GONE = Change(PLACE, "acc", State.MISSING, Stat(90.0, 1.0), Stat(), reason="gone <away>\nfor good")


def test_junit_has_a_case_for_each_number():
    suite = ElementTree.fromstring(junit([SAME, GONE]))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    whole, broken = suite.findall("testcase")
    assert whole.find("failure") is None
    assert "gone <away>" in broken.find("failure").get("message")


def test_an_empty_comparison_is_a_failure():
    suite = ElementTree.fromstring(junit([]))
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert annotations([]) == ["::error title=sgpmic check::nothing was compared"]


@pytest.mark.parametrize(
    ("state", "words"), [(State.DOWN, "differs down: 90.00±1.00"), (State.FAILED, "failed: ")]
)
def test_a_change_is_a_sentence(state, words):
    change = Change(PLACE, "nmi", state, Stat(90.0, 1.0), Stat(80.0, 1.0), 1.0)
    assert f"NMI of mypkg:Mine on my, own.csv at 95 % {words}" in change.sentence()


def test_an_annotation_is_one_line_with_percent_signs_escaped():
    assert annotations([SAME]) == []
    (line,) = annotations([SAME, GONE])
    assert line.startswith(
        "::error title=sgpmic check::ACC of mypkg:Mine on my, own.csv at 95 %25 is missing"
    )
    assert line.endswith("gone <away>%0Afor good")
    assert "\n" not in line
