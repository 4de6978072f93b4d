"""Raw data frames, masked arrays, constant columns and rows without values in the estimators."""

import numpy as np
import pandas as pd
import pytest
from raw_tables import birds

from sgpmic_cli import SGPMIC, PaperSGPMIC
from sgpmic_cli.clustering.model.clusters.discrete_columns import is_discrete
from sgpmic_cli.clustering.model.estimator import load


@pytest.mark.filterwarnings("ignore:Column")
@pytest.mark.parametrize(
    "model",
    [
        SGPMIC(3, max_iter=2, random_state=0),
        PaperSGPMIC(3, max_iter=2, n_inducing=10, random_state=0),
    ],
)
def test_raw_data_frame_is_fitted_saved_and_predicted(model, tmp_path):
    frame = birds(60)
    frame["paid"] = [f"€ 1.{i % 7}00,50" for i in range(60)]
    frame["when"] = [f"{i % 28 + 1:02d}.01.2024" for i in range(60)]
    model.fit(frame)
    assert "island=Dream" in model.feature_names_in_
    assert "bird" not in model.feature_names_in_
    assert [role.taken_as for role in model.encoder_.roles_][-2:] == ["numbers", "dates"]
    model.save(tmp_path / "m.npz")
    new = frame[frame.columns[::-1]]
    loaded = load(tmp_path / "m.npz")
    np.testing.assert_array_equal(loaded.predict(new), model.labels_)
    encoded = pd.DataFrame(model.encoder_.transform(frame), columns=model.feature_names_in_)
    np.testing.assert_array_equal(loaded.encoder_.transform(new), encoded)
    with pytest.raises(ValueError, match="columns of the model are missing: 'island'"):
        model.predict(frame.drop(columns=["island"]))


def test_decisions_about_raw_columns_are_warned_of():
    with pytest.warns(UserWarning, match="Column 'bird' is left out: .* Text and codes are enc"):
        SGPMIC(3, max_iter=1, random_state=0).fit(birds(40))


def test_constant_columns_change_nothing_and_come_back(iris, iris_model, tmp_path):
    X = np.insert(iris, [0, 2, 4], [1.0, 5.0, 0.0], axis=1)
    with pytest.warns(UserWarning, match=r"Constant columns are left out: 3 \(1, 4, 7\)"):
        model = SGPMIC(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.responsibilities_, iris_model.responsibilities_)
    assert model.score(X) == iris_model.score(iris)
    model.save(tmp_path / "m.npz")
    loaded = load(tmp_path / "m.npz")
    np.testing.assert_array_equal(loaded.predict(X), iris_model.labels_)
    for rows in (loaded.inverse_transform(model.embedding_[:3]), loaded.sample(3)[0]):
        np.testing.assert_array_equal(rows[:, [0, 3, 6]], [[1.0, 5.0, 0.0]] * 3)


def test_rare_flags_do_not_make_a_table_discrete(iris):
    flags = np.zeros((len(iris), 3))
    flags[[3, 70, 120], [0, 1, 2]] = 1.0
    assert not is_discrete(np.hstack([iris, flags]))
    assert is_discrete(np.hstack([iris, np.roll(np.arange(450) % 2, 1).reshape(-1, 3)]))


def test_mask_is_taken_as_missing_values(iris, iris_gaps, gaps_model):
    masked = np.ma.masked_array(iris, np.isnan(iris_gaps))
    np.testing.assert_array_equal(gaps_model.predict(masked), gaps_model.predict(iris_gaps))
    with pytest.raises(ValueError, match="NaN"):
        PaperSGPMIC(3).fit(masked)


def test_row_without_a_value_is_refused_by_fit_and_predict(iris, iris_model):
    X = np.where(np.arange(len(iris))[:, None] == 4, np.nan, iris)
    for call in (SGPMIC(3).fit, iris_model.predict, iris_model.transform):
        with pytest.raises(ValueError, match="Row 5 has no value: leave such rows out"):
            call(X)
