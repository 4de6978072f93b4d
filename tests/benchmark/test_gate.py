import json
import os
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from sgpmic_cli.benchmark.compare.paper import Stat
from sgpmic_cli.benchmark.plan import methods
from sgpmic_cli.benchmark.plan.methods import Method
from sgpmic_cli.benchmark.run.pipeline import RunOptions, Watcher
from sgpmic_cli.benchmark.studies.reference import (
    Change,
    State,
    annotations,
    broken,
    changes_of,
    compared,
    junit,
    read_reference,
    write_reference,
)
from sgpmic_cli.benchmark.studies.regression_gate import Selection, check, update
from sgpmic_cli.errors import SgpmicError, UsageError

HERE = RunOptions(n_jobs=1)
IRIS = Selection(("iris",), ("pca-fcm", "ppca-fcm"))
PLACE = ("iris", 95, "pca-fcm")
OWN = ("my, own.csv", 95, "mypkg:Mine")
SAME = Change(OWN, "acc", State.SAME, Stat(90.0, 1.0), Stat(90.0, 1.0), 1.0)
GONE = Change(OWN, "acc", State.MISSING, Stat(90.0, 1.0), Stat(), reason="gone <away>\nfor good")


@pytest.fixture(scope="module")
def reference():
    return update(None, IRIS, repeats=4, options=HERE)[0]


def _with(reference, **metrics):
    """Return the reference with other values in one cell."""
    changed = reference.cells[PLACE] | metrics
    return replace(reference, cells=reference.cells | {PLACE: changed})


def _states(changes):
    return {
        (*change.place, change.metric): change.state
        for change in changes
        if change.state is not State.SAME
    }


def test_unchanged_code_changes_no_number(reference):
    changes = check(reference, options=HERE)
    assert compared(changes) == len(changes) == 2 * 3 * 2
    assert _states(changes) == {}
    assert broken(changes) == []
    assert compared(check(replace(reference, cells={}), options=HERE)) == 0
    with pytest.raises(UsageError, match="--repeats 5: the reference has 4"):
        check(reference, repeats=5, options=HERE)


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ((88.6667,) * 4, State.SAME),
        ((88.6667, 88.6667, 88.6667, 0.0), State.SAME),  # three repeats are compared
        ((89.5,) * 4, State.MOVED),  # at least one point is allowed
        ((90.0,) * 4, State.DOWN),
        ((87.0,) * 4, State.UP),
        ((98.0, 80.0, 80.0, 98.0), State.MOVED),  # 2.7 off; s = 9 allows 15.6 at n = 3
        ((92.0, 92.0, 92.0, 90.0), State.DOWN),  # 3.3 off; s = 0.87 allows 1.5
        ((None,) * 4, State.MOVED),  # it failed before
    ],
)
def test_the_tolerance_depends_on_the_spread_of_the_reference(reference, values, state):
    before = _with(reference, acc=values).cells[PLACE]
    changes = changes_of(PLACE, before, reference.cells[PLACE], repeats=3)
    assert [change.state for change in changes] == [state, State.SAME]
    assert bool(broken(changes)) == (state is State.DOWN)


def test_a_method_that_fails_now_is_reported_as_failed(monkeypatch):
    toy = Method("toy", "toy_methods:Flaky")
    monkeypatch.setattr(methods, "_BUILT_IN", (toy,))
    monkeypatch.setenv("TOY_MENDED", "1")
    good, changes, _ = update(None, Selection(("iris",), ("toy",)), repeats=6, options=HERE)
    assert {change.state for change in changes} == {State.NEW}
    monkeypatch.delenv("TOY_MENDED")
    changes = check(good, repeats=6, options=HERE)
    assert {change.state for change in broken(changes)} == {State.FAILED}
    assert "the bound is not finite" in broken(changes)[0].reason


def test_methods_data_sets_and_rows_that_no_longer_exist_are_missing(reference):
    cell = reference.cells[PLACE]
    for place in (("iris", 95, "gone-fcm"), ("flowers", 95, "pca-fcm"), ("iris", 42, "pca-fcm")):
        for others in (reference.cells, {}):
            changes = check(replace(reference, cells=others | {place: cell}), options=HERE)
            failing = [(change.place, change.state) for change in broken(changes)]
            assert failing == [(place, State.MISSING)]
            assert compared(changes) == 2 * len(others)


def test_unavailable_data_are_missing_in_the_full_check_only(tmp_path, reference):
    yale = ("yale", 50, "pca-fcm")
    alone = replace(reference, cells=dict.fromkeys([yale, PLACE], reference.cells[PLACE]))
    nowhere = {"offline": True, "data_dir": tmp_path}
    assert broken(check(alone, options=replace(HERE, **nowhere))) == []
    (change,) = broken(check(alone, full=True, options=replace(HERE, **nowhere)))
    assert (change.place, change.state) == (yale, State.MISSING)
    assert "yale is unavailable" in change.reason


class Interrupting(Watcher):
    """Count the stored runs, and interrupt the check after its first run."""

    def planned(self, kept, pending):
        self.kept = kept

    def finished(self, record):
        raise KeyboardInterrupt


def test_an_interrupted_check_resumes_and_files_of_others_stay(tmp_path, reference):
    folder, watcher = tmp_path / ".sgpmic-check", Interrupting()
    options = replace(HERE, data_dir=tmp_path, watcher=watcher)
    for kept in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            check(reference, options=options)
        assert watcher.kept == kept
    check(reference, options=replace(options, watcher=Watcher()))
    assert not folder.exists()
    folder.mkdir()
    (folder / "other.json").touch()  # a record of another check
    check(reference, options=replace(options, watcher=Watcher()))
    assert os.listdir(folder) == ["other.json"]
    blocked = replace(HERE, data_dir=folder / "other.json")
    with pytest.raises(SgpmicError, match="cannot write into --store"):
        check(reference, options=blocked)


def test_an_update_replaces_the_selected_cells_only(reference):
    places = [("iris", 95, "gone-fcm"), ("wine", 95, "pca-fcm")]
    others = dict.fromkeys(places, reference.cells[PLACE])
    old = _with(reference, acc=[50.0] * 4)
    old = replace(old, cells=old.cells | others)
    new, changes, _ = update(old, Selection(("iris",), ("pca-fcm",)), options=HERE)
    assert _states(changes) == {(*PLACE, "acc"): State.UP}
    assert new.cells == reference.cells | others
    with pytest.raises(UsageError, match="update all cells to change it"):
        update(old, Selection(("iris",), ("pca-fcm",)), repeats=2, options=HERE)


def test_a_reference_reads_back_as_it_was_written(tmp_path, reference):
    path = tmp_path / "reference.json"
    with_failure = _with(reference, nmi=[None, 1.25, 2.5, 3.75])
    write_reference(path, with_failure)
    assert read_reference(path) == with_failure
    assert len(path.read_text().splitlines()) == len(with_failure.cells) + 2
    json.loads(path.read_text())


@pytest.mark.parametrize(
    ("changes", "failures", "lines"),
    [
        ([SAME], [None], []),
        ([SAME, GONE], [None, "missing"], [f"ACC of {OWN[2]} on {OWN[0]} at 95 %25: missing, "]),
        ([], ["empty"], ["nothing was compared"]),
    ],
)
def test_failures_are_cases_of_junit_and_one_line_each_for_github(changes, failures, lines):
    suite = ElementTree.fromstring(junit(changes))
    found = [case.find("failure") for case in suite.findall("testcase")]
    assert [None if case is None else case.get("type") for case in found] == failures
    counts = str(len(failures)), str(len(lines))
    assert (suite.get("tests"), suite.get("failures")) == counts
    printed = annotations(changes)
    for line, start in zip(printed, lines, strict=True):
        assert line.startswith(f"::error title=sgpmic check::{start}")
        assert "\n" not in line
