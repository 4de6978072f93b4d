import pandas as pd
import pytest

from sgpmic_cli.commands.fit_models import fit_with_options
from sgpmic_cli.data import load


def test_default_model_has_one_bound_per_iteration(tmp_path):
    fitted = fit_with_options(load("iris"), clusters=3, dims=2, inducing=5, max_iter=2)
    assert fitted.model.covariances_.shape == (3, 2, 2)
    trace = fitted.trace()
    assert list(zip(trace["iteration"], trace["step"], strict=True)) == [(1, "EM"), (2, "EM")]
    assert trace["bound"].tolist() == fitted.model.lower_bounds_
    fitted.write(tmp_path)
    written = pd.read_csv(tmp_path / "trace.csv")
    assert list(written.columns) == ["update", "iteration", "step", "bound", "acc"]
    assert written["bound"].tolist() == pytest.approx(fitted.model.lower_bounds_)
