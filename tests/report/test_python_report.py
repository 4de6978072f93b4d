"""The page of a model that was fitted in Python."""

import numpy as np
import pandas as pd
import pytest

from sgpmic import SGPMIC, PaperSGPMIC, write_report


@pytest.mark.parametrize("make", [SGPMIC, PaperSGPMIC])
def test_the_page_describes_the_fit_and_needs_no_other_file(make, tmp_path):
    random = np.random.RandomState(0)
    X = np.vstack([random.randn(20, 3), random.randn(20, 3) + 6.0])
    rows = pd.DataFrame(X, columns=["length", "width", "<height>"])
    model = make(2, n_inducing=5, max_iter=2, random_state=0).fit(rows)
    write_report(model, rows, tmp_path / "birds.html")
    page = (tmp_path / "birds.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["birds.html"]
    assert "Clusters of birds" in page
    assert "width" in page
    assert "&lt;height&gt;" in page
    assert "could not be drawn" not in page
    assert "sgpmic predict" not in page  # there is no model file
    assert not hasattr(model, "encoder_")
    with pytest.raises(ValueError, match="not fitted yet"):
        write_report(make(2), rows, tmp_path / "other.html")
    with pytest.raises(ValueError, match="it has 5 rows, not 40"):
        write_report(model, rows[:5], tmp_path / "other.html")
