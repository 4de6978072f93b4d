import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.single_fit.fitting import N_RESAMPLES, fit

QUICK = {"clusters": 3, "dims": 2, "inducing": 5, "max_iter": 2}


@pytest.fixture(scope="module")
def iris():
    return load("iris")


def test_default_model_has_one_bound_per_iteration(iris, tmp_path):
    fitted = fit(iris, **QUICK)
    assert fitted.model.n_resamples == N_RESAMPLES
    assert fitted.model.covariances_.shape == (3, 2, 2)
    trace = fitted.trace()
    assert list(zip(trace["round"], trace["step"], strict=True)) == [(1, "EM"), (2, "EM")]
    assert trace["bound"].tolist() == fitted.model.lower_bounds_
    fitted.write(tmp_path)
    written = pd.read_csv(tmp_path / "trace.csv")
    assert list(written.columns) == ["update", "round", "step", "bound", "acc"]
    assert written["bound"].tolist() == pytest.approx(fitted.model.lower_bounds_)


def test_model_of_the_paper_has_a_bound_for_every_step(iris):
    fitted = fit(iris, setting="paper", device="cpu", n_init=2, **QUICK)
    trace = fitted.trace()
    assert trace["round"].tolist() == [1, 1, 2, 2, 2]
    assert trace["step"].tolist() == ["E", "M", "E", "M", "E"]
    assert trace["bound"].tolist() == fitted.model.lower_bounds_
    assert trace["acc"].iloc[-1] == fitted.scores["acc"]


def test_given_settings_reach_the_estimator(iris, tmp_path):
    fitted = fit(iris, n_resamples=0, seed=4, **QUICK)
    assert (fitted.model.n_resamples, fitted.model.random_state) == (0, 4)
    fitted.write(tmp_path)
    labels = pd.read_csv(tmp_path / "labels.csv")
    assert np.allclose(labels[["p0", "p1", "p2"]], fitted.model.responsibilities_, atol=1e-4)
