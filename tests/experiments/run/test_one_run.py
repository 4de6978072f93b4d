from sgpmic_cli.experiments.plan.cells import plan_cells, plan_runs
from sgpmic_cli.experiments.plan.methods import known, resolve
from sgpmic_cli.experiments.plan.protocol import protocol_named
from sgpmic_cli.experiments.plan.table_data import load_table_data
from sgpmic_cli.experiments.run.one_run import compute


def _record(method, dataset="iris", variance=95):
    cells = plan_cells(
        load_table_data([dataset], [variance]), resolve([method]), protocol_named("as-run")
    )
    return compute(plan_runs(cells, 1, 0)[0])


def test_labels_of_the_wrong_length_are_a_failure():
    record = _record("toy_methods:Short")
    assert record.status == "failed"
    assert "149" in record.reason


def test_labels_that_are_no_numbers_are_a_failure():
    record = _record("toy_methods:Unnumbered")
    assert (record.status, record.reason) == (
        "failed",
        "ValueError: fit_predict gave labels that are not numbers.",
    )


def test_a_method_that_ends_the_program_ends_its_run_only():
    record = _record("toy_methods:Leaving")
    assert (record.status, record.reason) == ("failed", "SystemExit: 7")


def test_warnings_of_a_fit_are_kept_with_it():
    record = _record("ppca-fcm", "cmc", 99)
    assert record.ok
    assert any("coincident centres" in text for text in record.warnings)


def test_what_a_fit_watched_is_kept_with_it():
    bound = _record("sgp-mic").trace["bound"]
    rounds = known()["sgp-mic"].as_run["max_iter"]
    assert len(bound) == 2 * rounds + 1  # an E and an M update a round, and the last E-step
    assert bound[-1] > bound[0]
    assert _record("pca-fcm").trace == {}
    assert _record("toy_methods:Chatty").trace == {
        "bound": [1.0, 2.0]
    }  # and a dict of losses fails no run
