import json

import pandas as pd
import pytest
from small_studies import SUITE, planned_cells

from sgpmic_cli.benchmark.compare import best_settings
from sgpmic_cli.benchmark.plan import PERCENTAGES, LoadedData, plan_cells, plan_runs
from sgpmic_cli.paper.experiments.protocols import table1
from sgpmic_cli.paper.experiments.table1 import for_people, shapes, write_table1

METHODS = ["pca-fcm", "ppca-fcm"]


def _cells(datasets, variances, methods=METHODS, name="as-run", **options):
    return planned_cells(datasets, variances, methods, protocol=name, **options)


def _seeds(cells, repeats, seed=0):
    return {
        (run.dataset, run.q, run.method, run.repeat): (run.seed, run.key)
        for run in plan_runs(cells, repeats, seed).itertuples()
    }


def test_adding_a_method_a_data_set_or_a_repeat_changes_no_other_run():
    small = _seeds(_cells(["iris"], [95]), 3)
    large = _seeds(_cells(["wine", "iris"], [50, 95], [*METHODS, "isomap-fcm"]), 5)
    assert small.items() <= large.items()


def test_every_run_has_its_own_seed_and_key_which_stay_the_same():
    cells = _cells(["iris", "wine"], ["all"])
    seeds, others = (_seeds(cells, 10, seed) for seed in (0, 1))
    assert len(set(seeds.values())) == len(cells) * 10
    assert not set(seeds.values()) & set(others.values())
    # A change of this number would change every table that was computed before.
    assert seeds["iris", 2, "pca-fcm", 0][0] == 919679051


def test_equal_experiments_are_computed_once():
    cells = _cells(["wdbc", "australian"], ["all"], ["pca-fcm"])
    assert len(cells) == 6
    keys = plan_runs(cells, 10, 0)["key"]
    assert keys.nunique() == 3 * 10  # wdbc has Q = 1, 1, 2 and australian 1, 1, 1
    own_dimensions = _cells(["iris"], [50, 95, 99], ["sgp-mic+"])
    assert plan_runs(own_dimensions, 10, seed=0)["key"].nunique() == 10


def test_q_is_the_printed_one_in_every_row_but_yale():
    names = [name for name in table1() if name != "yale"]
    for cell in _cells(names, ["all"], ["pca-fcm"]):
        assert cell.q == table1()[cell.dataset][f"q{cell.explained_variance}"]
    loaded = LoadedData("yale", (50,), None, "not here")
    (cell,) = plan_cells([loaded], SUITE.study(["yale"], ["pca-fcm"]))
    assert (cell.q, cell.reason) == (3, "not here")
    (run,) = plan_runs([cell], 10, 0).to_dict("records")
    assert (run["status"], run["reason"], run["key"]) == ("unavailable", "not here", "")


def test_protocols_differ_in_columns_and_settings():
    methods = [*METHODS, "isomap-fcm", "sgp-mic", "sdc"]
    as_run, stated = (
        {cell.method.name: cell for cell in _cells(["wine"], [95], methods, name)}
        for name in ("as-run", "as-stated")
    )
    assert [as_run["pca-fcm"].data.Y.shape[1], stated["pca-fcm"].data.Y.shape[1]] == [12, 13]
    assert [as_run["pca-fcm"].q, stated["pca-fcm"].q] == [2, 2]  # printed; 13 columns give 1
    assert (as_run["sdc"].data.Y.shape[1], as_run["sdc"].q) == (13, 2)  # it keeps all columns
    assert as_run["ppca-fcm"].settings == {}
    assert stated["ppca-fcm"].settings == {"posterior": True}
    assert stated["isomap-fcm"].settings == {"components": "joined", "unit_variance": False}
    algorithm1 = {"scale": "none", "center": False, "kernel_start": 1.0, "optimizer": "scg"}
    algorithm1 |= {"max_iter": 4, "optimizer_steps": 8, "learn_weights": True, "learn_noise": True}
    assert algorithm1.items() <= stated["sgp-mic"].settings.items()
    alone, fixed = _cells(["wine"], [95], ["algorithm-1", "algorithm-1-fixed"])
    assert (alone.settings, alone.scores["nmi"]) == (stated["sgp-mic"].settings, "nmi")
    assert alone.data.Y.shape[1] == 12
    assert fixed.settings == {**alone.settings, "learn_weights": False, "learn_noise": False}


def test_the_text_tunes_lambda_of_aml_and_unca_and_shows_the_best():
    run, stated = (
        _cells(["iris"], [95], ["aml", "unca"], name) for name in ("as-run", "as-stated")
    )
    assert [cell.settings.get("lam") for cell in run] == [None, 100.0]
    tuned = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    assert [cell.settings["lam"] for cell in stated] == 2 * tuned
    places = {"dataset": "iris", "explained_variance": 95}
    scores = [("aml", 60.0, 50.0), ("aml", 70.0, 40.0), ("unca", 55.0, 30.0), ("unca", None, None)]
    table = pd.DataFrame(
        [
            {"cell": number, **places, "method": method, "metric": metric, "mean": mean}
            for number, (method, acc, nmi) in enumerate(scores)
            for metric, mean in (("acc", acc), ("nmi", nmi))
        ]
    )
    assert best_settings(table)["mean"].tolist() == [70.0, 40.0, 55.0, 30.0]


def test_what_matches_the_printed_numbers_applies_to_the_papers_data_only(tmp_path):
    own_file = tmp_path / "own.csv"
    own_file.write_text("a,b,y\n1,2,0\n2,3,1\n5,1,1\n")
    methods = ["pca-fcm", "dec", "deepc"]
    *own, sgpmic = _cells([str(own_file)], [95], [*methods, "sgp-mic"], label="y")
    (printed,) = _cells(["iris"], [95], ["sgp-mic"])
    assert sgpmic.settings == {}
    assert printed.settings == {"n_inducing": 50, **SUITE.methods["sgp-mic"].as_run}
    assert [cell.scores for cell in own] == [{"acc": "acc", "nmi": "nmi"}] * 3
    as_run = _cells(["iris"], [95], methods)
    assert [cell.scores["nmi"] for cell in as_run] == ["nmi", "nmi_clusters", "nmi"]
    assert [cell.scores["acc"] for cell in as_run] == ["acc", "acc", "acc_hungarian"]
    stated = _cells(["iris"], [95], methods, "as-stated")
    assert [cell.scores for cell in stated] == [{"acc": "acc", "nmi": "nmi_stated"}] * 3


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
