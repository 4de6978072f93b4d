"""The harness measures what it says, in turns, and judges only what it measured."""

import json

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from sgpmic_cli.baselines.aml import AML
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.speed import figure, measurement, rival, streamed, whole_fits
from sgpmic_cli.speed.floor import floor
from sgpmic_cli.speed.own_process import measured_alone
from sgpmic_cli.speed.problems import Size, of_rows, single, trained
from sgpmic_cli.speed.table2 import by_method
from sgpmic_cli.speed.threads import threads_at
from sgpmic_cli.speed.timing import fastest

TINY = Size("tiny", 60, 5, 2, 10, 3)


def test_candidates_take_turns_and_the_fastest_turn_counts():
    turns = []
    ms = fastest({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, rounds=3)
    assert (
        "".join(turns) == "ab" + "aaabbb" * 3
    )  # once to warm up, then three calls at each of three turns
    assert set(ms) == {"a", "b"}


def test_a_size_gives_times_and_their_ratios(monkeypatch):
    monkeypatch.setattr(measurement, "gpy_version", lambda: None)
    found = measurement.at_size(TINY)
    assert found["N"] == 60
    assert 1.0 <= found["active"] <= 3.0
    assert set(found["ms"]) == {
        "one",
        "one floor",
        "all",
        "all floor",
        "E-step",
        "default",
        "default E-step",
    }
    assert found["ratios"]["all / floor"] == found["ms"]["all"] / found["ms"]["all floor"]
    assert found["ratios"]["E-step / all"] == found["ms"]["E-step"] / found["ms"]["all"]
    assert (
        found["ratios"]["default E-step / default"]
        == found["ms"]["default E-step"] / found["ms"]["default"]
    )
    assert "one / gpy" not in found["ratios"]


def test_two_threads_are_measured_beside_one_for_both_settings(monkeypatch):
    monkeypatch.setattr("sgpmic_cli.speed.work.NEW_ROWS", {"paper": 40, "default": 50})
    found = threads_at(300, rounds=1)
    assert [(row["setting"], row["work"]) for row in found] == [
        (setting, work)
        for setting in ("paper", "default")
        for work in ("evaluation", "E-step", "prediction")
    ]
    assert all(row["equal"] for row in found)
    assert all(row["ratio"] == row["ms"]["2"] / row["ms"]["1"] for row in found)


def test_a_trained_problem_is_the_bundled_data_where_there_are_some():
    seen, problem = trained(Size("iris", 150, 4, 2, 12, 3))
    assert seen.shape == (150, 4)
    np.testing.assert_allclose(problem.S.sum(axis=1), 1.0)
    assert single(problem).S.shape == (150, 1)


def test_the_floor_leaves_the_problem_alone():
    problem = of_rows(500)
    before = [problem.parameters.X.copy(), problem.S.copy(), problem.data.Y.copy()]
    floor(problem)()
    for kept, now in zip(before, (problem.parameters.X, problem.S, problem.data.Y), strict=True):
        np.testing.assert_array_equal(kept, now)


def test_large_problems_are_alike_whatever_their_rows():
    few, many = of_rows(2000), of_rows(20_000)
    np.testing.assert_allclose(few.S.mean(axis=0), many.S.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(few.data.Y.std(axis=0), many.data.Y.std(axis=0), rtol=0.1)


def test_the_exponent_is_that_of_the_larger_sizes():
    rows = [
        {"n": n, "ms": 1e-3 * n**1.03 if n >= 10_000 else 99.0}
        for n in (1000, 10_000, 100_000, 1_000_000)
    ]
    assert measurement.exponent(rows, "n") == pytest.approx(1.03)
    assert measurement.exponent(rows[:2], "n") is None
    assert measurement.exponent([], "k") is None
    by_k = [
        {"k": k, "ms": 5.0 + 1e-3 * k**2 if k < 100 else 1e-3 * k**2}
        for k in (25, 50, 100, 200, 400)
    ]
    assert measurement.exponent(by_k, "k") == pytest.approx(2.0)


@pytest.mark.parametrize(("e_step", "worst"), [(1.0, 0.3), (9.0, 0.9)])
def test_promises_are_judged_by_the_worst_case(e_step, worst):
    def size(name, gpy, all_gpy, low):
        ratios = {
            "one / gpy": gpy,
            "all / gpy": all_gpy,
            "one / floor": low,
            "all / floor": low + 0.1,
            "E-step / all": gpy,
            "default E-step / default": gpy + 0.1,
        }
        return {"name": name, "ratios": ratios}

    document = {
        "gpy": "1.15.0",
        "sizes": [
            size("iris", 0.1, 0.3, 9.0),
            size("segment", 0.2, 0.4, 1.2),
            size("yale", 0.15, 0.9, 1.5),
        ],
        "growth": {"exponent": 1.01},
        "threads": [
            {"setting": setting, "work": work, "ratio": ratio, "ms": {"1": ms}}
            for setting, work, ratio, ms in [
                ("paper", "evaluation", 0.5, 10.0),
                ("paper", "E-step", 0.7, 2.0),
                ("default", "evaluation", 0.6, 10.0),
                ("default", "E-step", 0.8, e_step),
            ]
        ],
        "streamed": [
            {"n": 10, "fit_gb": 9.0, "predict_gb": 8.0},
            {"n": 100, "fit_gb": 3.0, "predict_gb": 0.3},
        ],
    }
    judged = {name: value for name, value, _ in measurement.verdicts(document)}
    assert judged["E-step / evaluation"] == pytest.approx(worst)
    assert judged["one component / GPy"] == 0.2
    assert judged["all components / GPy at segment"] == 0.4
    assert judged["evaluation / floor at cmc, segment, yale"] == pytest.approx(1.6)
    assert judged["two threads / one, evaluation"] == 0.6
    assert "fit of the largest: GB" not in judged
    assert (judged["fit of the largest file: GB"], judged["predict of the largest file: GB"]) == (
        3.0,
        0.3,
    )
    assert not any("GPy" in name for name, _, _ in measurement.verdicts({**document, "gpy": None}))


def test_gpy_is_only_looked_up(monkeypatch):
    monkeypatch.setattr(rival, "find_spec", lambda name: None)
    assert rival.gpy_version() is None


def test_a_fit_in_its_own_process_tells_time_memory_and_progress():
    heard = []
    fit = measured_alone("sgpmic_cli.speed.large", 1200, heard.append)
    assert fit["n"] == 1200
    assert fit["seconds"] > 0.0
    assert 0.01 < fit["peak_gb"] < 3.0
    assert sum(line.startswith("round") for line in heard) == fit["rounds"]


def test_a_fit_that_fails_is_one_sentence():
    heard = []
    with pytest.raises(
        SgpmicError, match=r"measurement of 3 rows.*ended with code 1; its lines above say why"
    ):
        measured_alone("sgpmic_cli.speed.large", 3, heard.append)
    assert any("3" in line for line in heard)


def test_a_file_goes_through_fit_and_predict_in_processes_of_their_own():
    heard = []
    found = measured_alone("sgpmic_cli.speed.streamed", 700, heard.append)
    assert (found["n"], found["p"], found["m"]) == (700, 20, 5)
    for name in ("fit", "predict"):
        assert found[f"{name}_seconds"] > 0.0
        assert 0.01 < found[f"{name}_gb"] < 3.0
        assert any(line.startswith(f"{name} of 700 rows took") for line in heard)


def test_the_rows_of_a_file_are_groups_that_a_fit_can_find(tmp_path):
    streamed.write_rows(tmp_path / "rows.npy", 400)
    rows = np.load(tmp_path / "rows.npy")
    assert rows.shape == (400, 20)
    labels = KMeans(5, n_init=5, random_state=0).fit_predict(rows)
    assert silhouette_score(rows, labels) > 0.5


def test_a_whole_fit_counts_its_evaluations(monkeypatch):
    monkeypatch.setattr(whole_fits, "gpy_version", lambda: None)
    monkeypatch.setattr(whole_fits, "gpytorch_version", lambda: None)
    found = whole_fits.fits_at(TINY)
    assert set(found["ms"]) == {"ours"}
    assert found["ratios"] == {}
    assert whole_fits.STEPS <= found["evaluations"]["ours"] < 2 * whole_fits.STEPS


def test_methods_are_timed_on_one_row_and_share_its_time():
    heard = []
    found = by_method(heard.append, ("iris", 95), ["aml", "pca-fcm"])
    assert (found["dataset"], found["variance"]) == ("iris", 95)
    assert set(found["seconds"]) == {"aml", "pca-fcm"}
    assert min(found["seconds"].values()) > 0.0
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    assert heard == ["measured aml on iris", "measured pca-fcm on iris"]


def test_a_method_that_fails_has_no_time(monkeypatch):
    def failing(self, X):
        raise ValueError("no luck")

    monkeypatch.setattr(AML, "fit_predict", failing)
    with pytest.raises(
        SgpmicError, match=r"aml failed on iris, so it could not be measured.*no luck"
    ):
        by_method(lambda line: None, ("iris", 95), ["aml"])


def test_the_figure_is_drawn(tmp_path):
    growth = {
        "p": 10,
        "q": 2,
        "k": 100,
        "m": 5,
        "exponent": 1.0,
        "rows": [{"n": 10, "ms": 1.0}, {"n": 100, "ms": 9.0}],
    }
    inducing = {
        **growth,
        "n": 1000,
        "exponent": 1.9,
        "rows": [{"k": 10, "ms": 1.0}, {"k": 20, "ms": 4.0}],
    }
    sizes = [
        {
            "name": "iris",
            "N": 150,
            "ms": {"one": 1.0, "gpy": 5.0},
            "ratios": {"E-step / all": 0.8, "default E-step / default": 0.9},
        },
        {
            "name": "wdbc",
            "N": 500,
            "ms": {"one": 2.0},
            "ratios": {"E-step / all": 0.9, "default E-step / default": 0.7},
        },
    ]
    threads = [
        {"setting": setting, "work": "evaluation", "ratio": 0.55}
        for setting in ("paper", "default")
    ]
    table2 = {"seconds": {"pca-fcm": 0.01, "unca": 9.0}}
    fits = [
        {"name": "iris", "steps": 30, "ms": {"ours": 40.0, "gpy": 200.0}},
        {"name": "wdbc", "steps": 30, "ms": {"ours": 90.0, "gpy": 400.0, "gpytorch": 2000.0}},
    ]
    files = [
        {
            "n": n,
            "fit_seconds": n / 1e3,
            "fit_gb": 0.5,
            "predict_seconds": n / 1e4,
            "predict_gb": 0.3,
        }
        for n in (10_000, 100_000)
    ]
    document = {
        "growth": growth,
        "inducing": inducing,
        "sizes": sizes,
        "threads": threads,
        "table2": table2,
    }
    document |= {"whole_fits": fits, "streamed": files}
    figure.draw_growth(tmp_path / "speed", json.loads(json.dumps(document)))
    assert (tmp_path / "speed.png").stat().st_size > 5000


def test_the_bars_of_a_gpu_are_its_times(tmp_path, monkeypatch):
    drawn, draw = [], figure._bars
    monkeypatch.setattr(
        figure,
        "_bars",
        lambda axes, series, colours: drawn.append(series) or draw(axes, series, colours),
    )
    document = {
        **{"device": {"name": "a GPU"}, "m": 5, "p": 10, "q": 2, "gpytorch": "1.15"},
        "evaluations": [
            {"setting": "paper", "n": 1000, "k": 10, "ms": 2.0, "core_ms": 40.0},
            {"setting": "default", "n": 5000, "k": 10, "ms": 7.0},
        ],
        "gpytorch_passes": [{"ms": 30.0}, {"ms": 20.0}],
    }
    figure.draw_device(tmp_path / "speed-gpu", document)
    paper, default = "paper, 1,000 rows, K = 10", "default, 5,000 rows, K = 10"
    times = {"a GPU": {paper: 2.0, default: 7.0}, "one core": {paper: 40.0}}
    assert drawn == [{**times, "GPyTorch on that GPU, one component": {paper: 20.0}}]
