import numpy as np
import pandas as pd
import pytest
from raw_tables import birds

from sgpmic_cli import SGPMIC, GroupMap, load
from sgpmic_cli.estimators import unusual_below


@pytest.mark.filterwarnings("ignore:Column")
@pytest.mark.parametrize(
    "model",
    [
        GroupMap(3, max_iter=2, random_state=0),
        SGPMIC(3, max_iter=2, n_inducing=10, random_state=0),
    ],
)
def test_raw_data_frame_is_fitted_saved_and_predicted(model, tmp_path):
    frame = birds(60, missing=0.0)
    frame["paid"] = [f"€ 1.{i % 7}00,50" for i in range(60)]
    frame["when"] = [f"{i % 28 + 1:02d}.01.2024" for i in range(60)]
    model.fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == frame.shape[1]
    features = model.encoder_.get_feature_names_out()
    assert "island=Dream" in features
    assert "bird" not in features
    assert len(model.offset_) == len(features)
    assert [role.taken_as for role in model.encoder_.roles_][-2:] == ["numbers", "dates"]
    model.save(tmp_path / "m.npz")
    new = frame[frame.columns[::-1]]
    loaded = load(tmp_path / "m.npz")
    np.testing.assert_array_equal(loaded.predict(new.assign(other=1)), model.labels_)
    assert list(loaded.feature_names_in_) == list(frame.columns)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        by_position = loaded.predict(frame.to_numpy(dtype=object))
    np.testing.assert_array_equal(by_position, model.labels_)
    with pytest.raises(ValueError, match="columns of the model are missing: 'island'"):
        model.predict(frame.drop(columns=["island"]))


def test_decisions_about_raw_columns_are_warned_of():
    with pytest.warns(
        UserWarning,
        match="Column 'bird' is left out: .* each column with the weight of one of numbers",
    ):
        GroupMap(3, max_iter=1, random_state=0).fit(birds(40))


def test_constant_columns_change_nothing_and_come_back(iris, iris_model):
    X = np.insert(iris, [0, 2, 4], [1.0, 5.0, 0.0], axis=1)
    sentence = r"Constant or empty columns are left out: 4 \(1, 4, 7, 8\)"
    X = np.column_stack([X, np.full(len(X), np.nan)])
    with pytest.warns(UserWarning, match=sentence):
        model = GroupMap(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.responsibilities_, iris_model.responsibilities_)
    assert model.score(X) == iris_model.score(iris)
    np.testing.assert_array_equal(model.predict(X), iris_model.labels_)
    rows = model.inverse_transform(model.embedding_[:3])
    np.testing.assert_array_equal(rows[:, [0, 3, 6]], [[1.0, 5.0, 0.0]] * 3)


def test_mask_is_taken_as_missing_values(iris, iris_gaps, gaps_model):
    masked = np.ma.masked_array(iris, np.isnan(iris_gaps))
    np.testing.assert_array_equal(gaps_model.predict(masked), gaps_model.predict(iris_gaps))
    with pytest.raises(ValueError, match="NaN"):
        SGPMIC(3).fit(masked)


@pytest.mark.parametrize("raw", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.filterwarnings("ignore:Text and codes")
def test_rows_without_any_value_are_left_out_with_a_warning(iris, raw):
    table = pd.DataFrame(iris, columns=list("abcd"))
    if raw:
        table["size"] = np.where(iris[:, 0] > 5.8, "large", "small")
    empty, complete = table.copy(), table.drop(index=[4, 90])
    empty.loc[[4, 90]] = np.nan
    if not raw:
        empty, complete = empty.to_numpy(), complete.to_numpy()
    message = "Rows without any value are left out: 2, the first is row 5"
    given = np.arange(150) // 50
    for init in (None, given):
        with pytest.warns(UserWarning, match=message):
            model = GroupMap(3, init=init, max_iter=1, random_state=0).fit(empty)
        used = np.delete(given, [4, 90]) if init is given else init
        other = GroupMap(3, init=used, max_iter=1, random_state=0).fit(complete)
        assert model.labels_[[4, 90]].tolist() == [-1, -1]
        assert np.isnan(model.embedding_[90]).all()
        np.testing.assert_array_equal(np.delete(model.labels_, [4, 90]), other.labels_)
        assert model.unusual_below_ == other.unusual_below_
    with pytest.warns(UserWarning, match=message):
        prediction = model.row_results(empty)
    np.testing.assert_array_equal(prediction.labels, model.labels_)
    np.testing.assert_array_equal(prediction.unusual, model.training_results.unusual)
    assert np.isnan(prediction.log_density[[4, 90]]).all()
    with pytest.warns(UserWarning, match=message):
        assert np.isfinite(model.score(empty))
    with pytest.raises(ValueError, match=r"[Nn]o row has a value"):
        model.predict(empty[4:5])


def test_a_prediction_agrees_with_the_other_methods(iris, iris_model):
    new = iris[::3] + 0.1
    new[0] = 1e3
    prediction = iris_model.row_results(new)
    np.testing.assert_array_equal(prediction.labels, iris_model.predict(new))
    np.testing.assert_array_equal(prediction.probabilities, iris_model.predict_proba(new))
    np.testing.assert_array_equal(prediction.points, iris_model.transform(new))
    units = np.sum(np.log(iris_model.scale_))
    np.testing.assert_allclose(prediction.log_density - units, iris_model.score_samples(new))
    assert prediction.unusual[0]
    assert prediction.unusual.mean() < 0.2
    training = iris_model.training_results
    np.testing.assert_array_equal(training.labels, iris_model.labels_)
    expected = iris_model.row_results(iris).log_density
    np.testing.assert_allclose(training.log_density, expected, rtol=1e-9)
    assert iris_model.unusual_below_ == pytest.approx(unusual_below(training.log_density))
