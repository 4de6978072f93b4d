import json
import os
from dataclasses import replace

import pytest

from sgpmic_cli.benchmark import gate
from sgpmic_cli.benchmark.gate import Selection
from sgpmic_cli.benchmark.methods import Method
from sgpmic_cli.benchmark.plan import Suite, unvaried
from sgpmic_cli.benchmark.reference import (
    BROKEN,
    COMPARED,
    State,
    changes_frame,
    changes_of,
    read_reference,
    write_reference,
)
from sgpmic_cli.benchmark.run import RunOptions, Silent, Watcher
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.paper.experiments.protocols import paper_suite

HERE = RunOptions(n_jobs=1)
IRIS = Selection(("iris",), ("pca-fcm", "ppca-fcm"))
PLACE = ("iris", 95, "pca-fcm")


def check(*arguments, suite=None, options=HERE, **how):
    return gate.check(suite or paper_suite(), *arguments, options=options, **how)


def update(*arguments, suite=None, **how):
    return gate.update(suite or paper_suite(), *arguments, options=HERE, **how)


def broken(changes):
    return changes[changes["state"].isin(BROKEN)]


def compared(changes):
    return int(changes["state"].isin(COMPARED).sum())


def _places(changes):
    columns = ["dataset", "explained_variance", "method"]
    return list(changes[columns].itertuples(index=False, name=None))


@pytest.fixture(scope="module")
def reference():
    return update(None, IRIS, repeats=4)[0]


def _with(reference, **metrics):
    """Return the reference with other values in one cell."""
    changed = reference.cells[PLACE] | metrics
    return replace(reference, cells=reference.cells | {PLACE: changed})


def _states(changes):
    moved = changes[changes["state"] != State.SAME]
    places = zip(_places(moved), moved["metric"], moved["state"], strict=True)
    return {(*place, metric): state for place, metric, state in places}


def test_unchanged_code_changes_no_number(reference):
    changes = check(reference)
    assert compared(changes) == len(changes) == 2 * 3 * 2
    assert _states(changes) == {}
    assert broken(changes).empty
    assert compared(check(replace(reference, cells={}))) == 0
    with pytest.raises(UsageError, match="--repeats 5: the reference has 4"):
        check(reference, repeats=5)


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
    changes = changes_frame(changes_of(PLACE, before, reference.cells[PLACE], repeats=3))
    assert changes["state"].tolist() == [state, State.SAME]
    assert len(broken(changes)) == (state is State.DOWN)


def test_a_method_that_fails_now_is_reported_as_failed(monkeypatch):
    toy = Suite({"toy": Method("toy", "toy_methods:Flaky")}, {"plain": unvaried})
    monkeypatch.setenv("TOY_MENDED", "1")
    good, changes, _ = update(None, Selection(("iris",), ("toy",)), repeats=6, suite=toy)
    assert set(changes["state"]) == {State.NEW}
    monkeypatch.delenv("TOY_MENDED")
    changes = broken(check(good, repeats=6, suite=toy))
    assert set(changes["state"]) == {State.FAILED}
    assert "the bound is not finite" in changes["reason"].iloc[0]


def test_methods_data_sets_and_rows_that_no_longer_exist_are_missing(reference):
    cell = reference.cells[PLACE]
    for place in (("iris", 95, "gone-fcm"), ("flowers", 95, "pca-fcm"), ("iris", 42, "pca-fcm")):
        for others in (reference.cells, {}):
            changes = check(replace(reference, cells=others | {place: cell}))
            assert _places(broken(changes)) == [place]
            assert broken(changes)["state"].tolist() == [State.MISSING]
            assert compared(changes) == 2 * len(others)


def test_unavailable_data_are_missing_in_the_full_check_only(tmp_path, reference):
    yale = ("yale", 50, "pca-fcm")
    alone = replace(reference, cells=dict.fromkeys([yale, PLACE], reference.cells[PLACE]))
    nowhere = {"offline": True, "data_dir": tmp_path}
    assert broken(check(alone, options=replace(HERE, **nowhere))).empty
    changes = broken(check(alone, full=True, options=replace(HERE, **nowhere)))
    assert (_places(changes), changes["state"].tolist()) == ([yale], [State.MISSING])
    assert "yale is unavailable" in changes["reason"].iloc[0]


class Interrupting(Watcher):
    """Count the stored runs, and interrupt the check after its first run."""

    def planned(self, kept, pending):
        self.kept = kept

    def finished(self, row):
        raise KeyboardInterrupt


def test_an_interrupted_check_resumes_and_files_of_others_stay(tmp_path, reference):
    folder, watcher = tmp_path / ".sgpmic-check", Interrupting()
    options = replace(HERE, data_dir=tmp_path, watcher=watcher)
    for kept in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            check(reference, options=options)
        assert watcher.kept == kept
    check(reference, options=replace(options, watcher=Silent()))
    assert not folder.exists()
    folder.mkdir()
    (folder / "other.json").touch()  # a record of another check
    check(reference, options=replace(options, watcher=Silent()))
    assert os.listdir(folder) == ["other.json"]
    blocked = replace(HERE, data_dir=folder / "other.json")
    with pytest.raises(SgpmicError, match="cannot write into --store"):
        check(reference, options=blocked)


def test_an_update_replaces_the_selected_cells_only(reference):
    places = [("iris", 95, "gone-fcm"), ("wine", 95, "pca-fcm")]
    others = dict.fromkeys(places, reference.cells[PLACE])
    old = _with(reference, acc=[50.0] * 4)
    old = replace(old, cells=old.cells | others)
    new, changes, _ = update(old, Selection(("iris",), ("pca-fcm",)))
    assert _states(changes) == {(*PLACE, "acc"): State.UP}
    assert new.cells == reference.cells | others
    with pytest.raises(UsageError, match="update all cells to change it"):
        update(old, Selection(("iris",), ("pca-fcm",)), repeats=2)


def test_a_reference_reads_back_as_it_was_written(tmp_path, reference):
    path = tmp_path / "reference.json"
    with_failure = _with(reference, nmi=[None, 1.25, 2.5, 3.75])
    write_reference(path, with_failure)
    assert read_reference(path) == with_failure
    assert len(path.read_text().splitlines()) == len(with_failure.cells) + 2
    json.loads(path.read_text())
