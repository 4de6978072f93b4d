import csv
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app
from sgpmic_cli.data import load
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.plan.cells import runs_of
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.studies import setting_search
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import score_all


@pytest.fixture
def one_that_fails(monkeypatch):
    """Two variations on one data set, of which one cannot be fitted."""
    monkeypatch.setattr(setting_search, "UCI", ("iris",))
    monkeypatch.setattr(
        setting_search,
        "VARIATIONS",
        {"broken": {"optimizer": "none such"}, "short": {"max_iter": 2}},
    )
    monkeypatch.setattr(setting_search, "KERNEL_ROWS", (("iris", 95),))


@pytest.fixture
def search(tmp_path, monkeypatch):
    """One data set and few variations, one of them no variation at all."""
    chosen = known()["sgp-mic"].as_run
    tried = {
        "chosen": {},
        "the same": {"kernel_start": chosen["kernel_start"]},
        "short": {"max_iter": 2},
    }
    monkeypatch.setattr(setting_search, "UCI", ("iris",))
    monkeypatch.setattr(setting_search, "VARIATIONS", tried)
    monkeypatch.setattr(setting_search, "KERNEL_ROWS", (("iris", 95),))
    return setting_search.search_asrun(RunOptions(n_jobs=1), out=tmp_path, repeats=1, more=1)


def _acc(cell):
    """The ACC of a cell's only run, computed by hand."""
    (run,) = runs_of(cell, 1, setting_search.SEED)
    data = load("iris")
    return score_all(
        data.labels, PaperSGPMIC(3, 2, random_state=run.seed, **run.settings).fit_predict(data.Y)
    )["acc"]


def _planned(search, result):
    """The cell that a result comes from."""
    cells = search.runs.prepared.cells
    return next(
        cell
        for cell in cells
        if (cell.variance, cell.settings) == (result.variance, result.settings)
    )


def test_every_variation_is_judged_on_every_row_and_by_both_kernels(search, tmp_path):
    assert [one.name for one in search.judged] == ["chosen", "short"]
    for one in search.judged:
        assert [cell.variance for cell in one.results] == [50, 95, 99]
        (effect,) = one.kernel_effects()
        rbf, linear = (_acc(_planned(search, result)) for result in (one.results[1], one.linear[0]))
        assert effect == pytest.approx(rbf - linear, abs=1e-9)
    with (tmp_path / "search.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * (3 + 1) * 2
    assert {row["kernel"] for row in rows if row["variance"] == "95"} == {"rbf", "linear"}


def test_the_table_has_the_best_first(search):
    head, body = search.table()
    assert head[:6] == [
        "variation",
        "repeats",
        "within 1",
        "differ",
        "mean distance",
        "iris RBF - linear",
    ]
    merits = [(int(row[3]) - int(row[2]), float(row[4])) for row in body]
    assert merits == sorted(merits)


def test_the_first_are_run_again_with_other_seeds_than_the_table_and_stand_above_the_rest(
    tmp_path, monkeypatch
):
    tried = {"chosen": {}, "short": {"max_iter": 2}, "shorter": {"max_iter": 1}}
    for name, value in (
        ("UCI", ("iris",)),
        ("VARIATIONS", tried),
        ("KERNEL_ROWS", ()),
        ("FINALISTS", 1),
    ):
        monkeypatch.setattr(setting_search, name, value)
    done = setting_search.search_asrun(RunOptions(n_jobs=1), out=tmp_path, repeats=1, more=3)
    assert [row[1] for row in done.table()[1]] == ["3", "1", "1"]
    assert done.table()[1][0][0] == done.finalists[0]
    (finalist,) = (one for one in done.judged if one.name in done.finalists)
    cells = done.finals.prepared.cells
    searched = {run.seed for cell in cells for run in done.finals.prepared.runs_of(cell)}
    assert len(searched) == 3 * len(finalist.results)
    assert searched.isdisjoint(run.seed for cell in cells for run in runs_of(cell, 10, 0))


def test_a_variation_with_a_failed_run_comes_last(one_that_fails, tmp_path):
    done = setting_search.search_asrun(RunOptions(n_jobs=1), out=tmp_path, repeats=1, more=1)
    body = done.table()[1]
    assert [row[0] for row in body] == ["short", "broken"]
    assert body[1][1:6] == ["1", "failed", "failed", "failed", "failed"]
    assert (
        "- broken on iris 50, rbf kernel: All 1 runs failed: "
        in (tmp_path / "search.md").read_text()
    )
    assert len(done.failures()) == 3 + 1
    # Some repeats of one row are enough: their mean is not over the same runs as the others'.
    sound = next(one for one in done.judged if one.name == "short")
    partly = replace(
        sound, results=[replace(sound.results[0], repeats=2, failed=1), *sound.results[1:]]
    )
    assert partly.counts()[1] == "failed"
    assert partly.order() > sound.order()


def test_the_command_ends_with_the_code_of_failed_runs(one_that_fails, tmp_path):
    command = [
        "search-asrun",
        "--repeats",
        "1",
        "--more",
        "1",
        "--n-jobs",
        "1",
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 3
    assert "4 of 8 runs failed" in done.stderr
    assert "broken on iris 95, linear kernel: All 1 runs failed" in done.stdout
    assert "8 reused" in CliRunner().invoke(app, command).stderr
    assert (
        "4 runs computed, 4 reused" in CliRunner().invoke(app, [*command, "--retry-failed"]).stderr
    )


def test_a_store_that_cannot_be_written_is_refused_before_anything_runs(one_that_fails, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SgpmicError, match="cannot write into store="):
        setting_search.search_asrun(
            RunOptions(store=tmp_path / "file" / "runs"), out=tmp_path / "out", repeats=1
        )
