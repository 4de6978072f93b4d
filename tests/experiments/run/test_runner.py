import pytest

from sgpmic_cli.experiments.plan.cells import plan_cells, plan_runs
from sgpmic_cli.experiments.plan.methods import resolve
from sgpmic_cli.experiments.plan.protocol import protocol_named
from sgpmic_cli.experiments.plan.table_data import load_table_data
from sgpmic_cli.experiments.run import runner
from sgpmic_cli.experiments.run.records import Store


def _runs(methods, repeats=4, datasets=("iris",), variances=(95,)):
    return plan_runs(
        plan_cells(
            load_table_data(datasets, variances), resolve(methods), protocol_named("as-run")
        ),
        repeats,
        0,
    )


def test_a_failed_run_has_its_reason_and_the_others_go_on(tmp_path):
    runs = _runs(["toy_methods:Flaky"], 12)
    records = runner.execute(runs, Store(tmp_path), n_jobs=1)
    assert len(records) == 12
    for run in runs:
        assert records[run.key].ok == (run.seed % 2 == 0)
    failed = [record for record in records.values() if not record.ok]
    assert failed
    assert {record.reason for record in failed} == {"FloatingPointError: the bound is not finite"}


@pytest.mark.slow
def test_workers_give_what_this_process_gives(tmp_path):
    runs = _runs(["pca-fcm", "isomap-fcm", "toy_methods:Halves"], 3)
    here = runner.execute(runs, Store(tmp_path / "here"), n_jobs=1)
    there = runner.execute(runs, Store(tmp_path / "there"), n_jobs=2)
    assert {key: record.scores for key, record in here.items()} == {
        key: r.scores for key, r in there.items()
    }
    assert all(Store(tmp_path / "there").read(run.key) == there[run.key] for run in runs)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.slow
def test_linear_algebra_has_one_thread(tmp_path, n_jobs):
    records = runner.execute(_runs(["toy_methods:Threads"], 4), Store(tmp_path), n_jobs=n_jobs)
    assert [record.reason for record in records.values()] == [""] * 4


def test_records_answer_unless_force_or_retry(tmp_path):
    store = Store(tmp_path)
    runs = _runs(["toy_methods:Flaky"], 12)
    assert len(runner.divide(runs, store).pending) == 12
    records = runner.execute(runs[:8], store, n_jobs=1)
    n_failed = sum(not record.ok for record in records.values())
    assert len(runner.divide(runs, store).pending) == 4
    assert len(runner.divide(runs, store, retry_failed=True).pending) == 4 + n_failed
    assert len(runner.divide(runs, store, force=True).pending) == 12


def test_one_run_of_each_data_set_makes_what_the_others_share():
    runs = _runs(["isomap-fcm", "pca-fcm"], 3, ["iris", "wine"], ["all"])
    first, second = runner._stages(runs)
    makers = [run for run in first if run.cell.method.name == "isomap-fcm"]
    assert sorted(run.cell.dataset for run in makers) == ["iris", "wine"]
    assert {run.cell.method.name for run in second} == {"isomap-fcm"}
    assert sorted(run.key for run in first + second) == sorted(run.key for run in runs)


def test_one_run_of_each_cell_makes_what_its_repeats_share():
    first, second = runner._stages(_runs(["gplvm-fcm", "isomap-fcm"], 3, ["wine"], ["all"]))
    makers = [(run.cell.method.name, run.cell.q) for run in first]
    assert sorted(makers) == [
        ("gplvm-fcm", 1),
        ("gplvm-fcm", 2),
        ("gplvm-fcm", 4),
        ("isomap-fcm", 1),
    ]
    assert len(second) == 18 - 4


def test_the_longest_runs_go_first_and_cheap_repeats_together():
    runs = _runs(["pca-fcm"], 10, ["iris", "segment"], [95])
    batches = runner._batches(runs)
    assert batches[0][0].cell.dataset == "segment"
    assert sorted(run.key for batch in batches for run in batch) == sorted(run.key for run in runs)
    assert len([batch for batch in batches if batch[0].cell.dataset == "iris"]) == 1
    assert (
        len(runner._batches(_runs(["pca-fcm"], 10, ["iris"], ["all"]))) == 3
    )  # rows do not tear each other apart
    assert all(len({id(run.cell) for run in batch}) == 1 for batch in batches)
