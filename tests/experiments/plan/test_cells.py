from dataclasses import replace

import pytest

from sgpmic_cli.data import entry, load
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.plan.cells import plan_cells, plan_runs, runs_of
from sgpmic_cli.experiments.plan.methods import Method, known, resolve
from sgpmic_cli.experiments.plan.protocol import protocol_named
from sgpmic_cli.experiments.plan.table_data import TableData, load_table_data

METHODS = ["pca-fcm", "ppca-fcm"]


def _cells(datasets, variances, methods=METHODS, name="as-run"):
    return plan_cells(load_table_data(datasets, variances), resolve(methods), protocol_named(name))


def _seeds(cells, repeats, seed=0):
    return {
        (cell.dataset, cell.q, cell.method.name, run.repeat): (run.seed, run.key)
        for cell in cells
        for run in runs_of(cell, repeats, seed)
    }


def test_adding_a_method_a_data_set_or_a_repeat_changes_no_other_run():
    small = _seeds(_cells(["iris"], [95]), 3)
    large = _seeds(_cells(["wine", "iris"], [50, 95], [*METHODS, "isomap-fcm"]), 5)
    assert small.items() <= large.items()


def test_every_run_has_its_own_seed_and_key():
    seeds = _seeds(_cells(["iris", "wine"], ["all"]), 10)
    assert len(set(seeds.values())) == len(seeds)
    assert not set(seeds.values()) & set(
        _seeds(_cells(["iris", "wine"], ["all"]), 10, seed=1).values()
    )


def test_seeds_stay_as_they_are():
    # Pinned: a change here silently changes every table that was ever computed.
    run = runs_of(_cells(["iris"], [95], ["pca-fcm"])[0], 1, 0)[0]
    assert run.seed == 919679051


def test_equal_experiments_are_computed_once():
    cells = _cells(["wdbc", "australian"], ["all"], ["pca-fcm"])
    assert len(cells) == 6
    assert len(plan_runs(cells, 10, 0)) == 3 * 10  # wdbc has Q = 1, 1, 2 and australian 1, 1, 1


def test_a_method_with_dimensions_of_its_own_has_the_same_runs_in_every_row():
    planned = _cells(["iris"], [50, 95, 99], ["sgp-mic+", "pca-fcm"])
    assert (
        len(plan_runs([cell for cell in planned if cell.method.name == "sgp-mic+"], 10, seed=0))
        == 10
    )
    assert len({run.q for cell in planned for run in runs_of(cell, 1, 0)}) == 3


def test_q_is_the_printed_one_on_every_row_but_yale():
    printed = {(name, variance): q for name, variance, q in _printed_q() if name != "yale"}
    cells = _cells(list(dict.fromkeys(name for name, _ in printed)), ["all"], ["pca-fcm"])
    assert {(cell.dataset, cell.variance): cell.q for cell in cells} == printed


def _printed_q():
    import csv
    from importlib.resources import files

    with (files("sgpmic_cli.experiments.compare") / "paper_table2.csv").open(
        encoding="utf-8"
    ) as file:
        return {
            (row["dataset"], int(row["variance"]), int(row["q"])) for row in csv.DictReader(file)
        }


def test_the_paper_has_582_numbers():
    assert len(table2()) == 582


def test_protocols_differ_in_columns_q_and_settings():
    as_run = {cell.method.name: cell for cell in _cells(["wine"], [95], [*METHODS, "isomap-fcm"])}
    stated = {
        cell.method.name: cell
        for cell in _cells(["wine"], [95], [*METHODS, "isomap-fcm"], "as-stated")
    }
    assert [as_run["pca-fcm"].data.Y.shape[1], stated["pca-fcm"].data.Y.shape[1]] == [12, 13]
    assert [as_run["pca-fcm"].q, stated["pca-fcm"].q] == [2, 1]
    assert as_run["ppca-fcm"].settings == {}
    assert stated["ppca-fcm"].settings == {"posterior": True}
    assert stated["isomap-fcm"].settings == {"components": "joined", "unit_variance": False}


def test_a_method_that_keeps_all_columns_still_has_the_q_of_its_row():
    method = replace(resolve(["pca-fcm"])[0], drops_columns=False)
    (cell,) = plan_cells(load_table_data(["wine"], [95]), [method], protocol_named("as-run"))
    assert (cell.data.Y.shape[1], cell.q) == (13, 2)


def test_a_grid_gives_one_run_for_each_point_and_repeat():
    method = Method("graded", "toy_methods:Graded", grid={"level": (0.1, 0.9)})
    (cell,) = plan_cells(load_table_data(["iris"], [95]), [method], protocol_named("as-run"))
    runs = runs_of(cell, 3, 0)
    assert [(run.settings["level"], run.repeat) for run in runs] == [
        (x, r) for x in (0.1, 0.9) for r in range(3)
    ]
    assert len({run.seed for run in runs}) == 6


def test_the_key_depends_on_the_data():
    cell = _cells(["iris"], [95], ["pca-fcm"])[0]
    other = replace(cell, data=cell.data.without([cell.data.feature_names[0]]))
    (one,), (two,) = runs_of(cell, 1, 0), runs_of(other, 1, 0)
    assert one.seed == two.seed
    assert one.key != two.key


def test_an_estimator_from_elsewhere_gets_only_what_it_accepts():
    (cell,) = _cells(["iris"], [95], ["toy_methods:Halves"])
    (run,) = runs_of(cell, 1, 0)
    assert run.arguments() == {"n_clusters": 3, "random_state": run.seed}


def test_yale_has_the_printed_q_and_only_its_own_row():
    source = TableData("yale", (50,), entry("yale"), None, "not here")
    (cell,) = plan_cells([source], resolve(["pca-fcm"]), protocol_named("as-run"))
    assert (cell.q, cell.reason) == (3, "not here")
    assert runs_of(cell, 10, 0) == []


def test_all_leaves_out_rows_that_the_paper_does_not_have():
    listed = {
        source.name: source.variances for source in load_table_data(["all"], [99], offline=True)
    }
    assert "yale" not in listed
    assert listed["iris"] == (99,)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [("96", "nearest is 95.*valid: 50, 95, 99, all"), ("0.9", "95"), ("x", "valid: 50")],
)
def test_an_unknown_variance_names_the_valid_ones(bad, sentence):
    with pytest.raises(UsageError, match=sentence):
        load_table_data(["iris"], [bad])


def test_a_last_column_of_measurements_is_not_taken_for_classes(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("a,b,c\n1,2,3\n2,3,5\n5,1,4\n")
    with pytest.raises(UsageError, match="label=COLUMN"):
        plan_cells(
            load_table_data([str(path)], [95]), resolve(["pca-fcm"]), protocol_named("as-run")
        )


def test_what_the_printed_numbers_need_is_for_the_papers_data_alone(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,b,y\n1,2,0\n2,3,1\n5,1,1\n")
    (own,) = plan_cells(
        load_table_data([str(path)], [95], label="y"),
        resolve(["sgp-mic"]),
        protocol_named("as-run"),
    )
    (printed,) = _cells(["iris"], [95], ["sgp-mic"])
    assert own.settings == {}
    assert printed.settings == {"n_inducing": 50, **known()["sgp-mic"].as_run}
    assert (printed.settings["isomap_components"], printed.settings["center"]) == ("largest", False)


def test_columns_that_the_paper_scored_otherwise_are_scored_so_on_its_data_alone(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,b,y\n1,2,0\n2,3,1\n5,1,1\n")
    usual = {"acc": "acc", "nmi": "nmi"}
    asked = resolve(["pca-fcm", "dec", "deepc"])
    own = plan_cells(load_table_data([str(path)], [95], label="y"), asked, protocol_named("as-run"))
    assert [cell.scores for cell in own] == [usual] * 3
    as_run = plan_cells(load_table_data(["iris"], [95]), asked, protocol_named("as-run"))
    assert [cell.scores["nmi"] for cell in as_run] == ["nmi", "nmi_clusters", "nmi"]
    assert [cell.scores["acc"] for cell in as_run] == ["acc", "acc", "acc_hungarian"]
    stated = plan_cells(load_table_data(["iris"], [95]), asked, protocol_named("as-stated"))
    assert [cell.scores for cell in stated] == [{"acc": "acc", "nmi": "nmi_stated"}] * 3


def test_as_stated_is_the_printed_algorithm():
    cells = plan_cells(
        load_table_data(["iris"], [95]), resolve(["sgp-mic"]), protocol_named("as-stated")
    )
    settings = cells[0].settings
    assert (settings["scale"], settings["center"], settings["kernel_start"]) == ("none", False, 1.0)
    assert (settings["optimizer"], settings["learn_weights"], settings["learn_noise"]) == (
        "scg",
        True,
        True,
    )


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.csv").write_text("a,b,y\n1,2,0\n2,3,1\n5,1,1\n")
    with pytest.raises(UsageError, match=r"two data sets are called 'same.csv'"):
        load_table_data(
            [str(tmp_path / folder / "same.csv") for folder in ("a", "b")], [95], label="y"
        )


def test_label_needs_a_file():
    with pytest.raises(UsageError, match="no CSV file is among"):
        load_table_data(["iris"], [95], label="y")


def test_load_is_what_cells_carry():
    (cell,) = _cells(["iris"], [95], ["pca-fcm"])
    assert cell.data.sha256 == load("iris").sha256
