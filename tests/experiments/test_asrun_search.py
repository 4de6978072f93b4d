import csv

import pytest

from sgpmic_cli.data import load
from sgpmic_cli.experiments import asrun_search, plan
from sgpmic_cli.experiments.methods import known
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.scores import score_all


@pytest.fixture
def search(tmp_path, monkeypatch):
    """One data set and few variations, one of them no variation at all."""
    chosen = SGPMIC().get_params() | dict(known()["sgp-mic"].settings)
    tried = {"chosen": {}, "the same": {"kernel_start": chosen["kernel_start"]}, "short": {"max_iter": 2}}
    monkeypatch.setattr(asrun_search, "UCI", ("iris",))
    monkeypatch.setattr(asrun_search, "VARIATIONS", tried)
    monkeypatch.setattr(asrun_search, "KERNEL_ROWS", (("iris", 95),))
    return asrun_search.search_asrun(out=tmp_path, repeats=1, n_jobs=1)


def _acc(cell):
    """The ACC of a cell's only run, computed by hand."""
    (run,) = plan.runs_of(cell, 1, 0)
    data = load("iris")
    return score_all(data.labels, SGPMIC(3, 2, random_state=run.seed, **run.settings).fit_predict(data.Y))["acc"]


def test_every_variation_is_judged_on_every_row_and_by_both_kernels(search, tmp_path):
    assert [one.name for one in search.judged] == ["chosen", "short"]
    for one in search.judged:
        assert [cell.variance for cell in one.results] == [50, 95, 99]
        (effect,) = one.kernel_effects()
        rbf, linear = (_acc(cell.outcome.cell) for cell in (one.results[1], one.linear[0]))
        assert effect == pytest.approx(rbf - linear, abs=1e-9)
    with (tmp_path / "search.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * (3 + 1) * 2
    assert {row["kernel"] for row in rows if row["variance"] == "95"} == {"rbf", "linear"}


def test_the_table_has_the_closest_first(search):
    head, body = search.table()
    assert head[:6] == ["variation", "distance", "within 2", "above", "mean diff.", "iris RBF - linear"]
    distances = [float(row[1]) for row in body]
    assert distances == sorted(distances)
