from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from central_differences import central_differences
from random_problem import problem

from benchmarks import missing_values, verdicts
from benchmarks.two_bounds import (
    bounds_by_iteration,
    posterior,
    reached_gains,
    reached_table,
    standard_value,
)
from sgpmic_cli.paper.model.bound import Bound, observe
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.paper.model.kernels import RBF


def test_thirty_percent_of_the_entries_are_hidden_and_no_row_is_empty():
    Y = np.arange(40_000.0).reshape(2000, 20)
    rows = missing_values.hide(Y, 0)
    assert np.isnan(rows).mean() == pytest.approx(missing_values.HIDDEN, abs=0.02)
    assert not np.isnan(missing_values.hide(Y[:, :1], 0)).any()
    assert np.array_equal(rows, missing_values.hide(Y, 0), equal_nan=True)
    assert not np.array_equal(rows, missing_values.hide(Y, 1), equal_nan=True)
    assert np.array_equal(rows[~np.isnan(rows)], Y[~np.isnan(rows)])


@pytest.fixture
def model():
    """Return data, parameters and responsibilities: 12 rows, two components, five inputs."""
    Y, parameters, S = problem("rbf", n=12, p=3, k=5, m=2)
    return observe(Y), parameters, S


def test_the_standard_bound_is_below_the_corrected_one_and_equals_it_at_its_optimum(model):
    data, p, S = model
    corrected = Bound(RBF(), data, S, active=0.0).value(p)[0]

    def standard(S_of_q):
        q = [posterior(data, p, s, theta) for s, theta in zip(S_of_q.T, p.natural, strict=True)]
        return standard_value(data, p, S, q)[0] - np.sum(S * np.log(S))

    assert standard(S) == pytest.approx(corrected, rel=1e-9)
    assert standard(S[::-1]) < corrected


def test_the_gradient_of_the_standard_bound_is_that_of_central_differences(model):
    data, p, S = model
    q = [posterior(data, p, s, theta) for s, theta in zip(S.T, p.natural, strict=True)]
    moved = replace(p, X=p.X + 0.1, Z=p.Z - 0.05)
    parts = (moved.X, moved.Z, moved.theta)
    for part, found in zip(parts, standard_value(data, moved, S, q)[1:], strict=True):
        numeric = central_differences(lambda: standard_value(data, replace(moved), S, q)[0], part)
        np.testing.assert_allclose(found, numeric, rtol=1e-5, atol=1e-5 * np.abs(found).max())


def test_the_corrected_bound_is_ahead_after_one_iteration_from_the_same_start(model):
    found = bounds_by_iteration(*model, SGPMIC(covariance_floor=0.05), iterations=4)
    values = found.pivot(index="iteration", columns="bound", values="value")
    assert values.index.tolist() == [0, 1, 2, 3, 4]
    assert values["KL-corrected"][0] == values["standard"][0]
    assert values["KL-corrected"][1] > values["standard"][1]


def test_a_run_is_timed_until_it_nears_the_best_of_both():
    curves = pd.DataFrame(
        [
            ("iris", 0, bound, iteration, factor * iteration, value)
            for bound, factor, values in (
                ("KL-corrected", 2, [0, 95, 100]),
                ("standard", 1, [0, 5, 91]),
            )
            for iteration, value in enumerate(values)
        ],
        columns=["dataset", "start", "bound", "iteration", "seconds", "value"],
    )
    corrected, standard = reached_gains(curves).to_dict("records")
    assert (corrected["iterations_90%"], corrected["iterations_99%"]) == (1, 2)
    assert (standard["iterations_90%"], standard["seconds_90%"], standard["reference"]) == (
        2,
        2,
        100,
    )
    assert np.isnan(standard["seconds_99%"])
    ninety, _ = reached_table(reached_gains(curves)).splitlines()[2:]
    assert ninety == "| Iris | 90% | 1 | 2 | 2 | 2 | 1 of 1 | 0 of 1 |"


def test_verdicts_are_counted_on_clouds_and_on_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "CLOUDS", {"Gaussian": verdicts.CLOUDS["Gaussian"]})
    monkeypatch.setattr(verdicts, "SEPARATED", [(200, 2, 8.0, 0.5)])
    verdicts.main(["--out", str(tmp_path), "--draws", "2", "--n-jobs", "1"])
    written = pd.read_csv(tmp_path / "verdicts.csv")
    assert list(written["judged"].unique()) == ["k-means", "clusters", "islands"]
    counts = written.groupby("table", sort=False)["with a group"].agg(list).tolist()
    assert counts == [[0, 0, 0], [2, 2, 2]]
