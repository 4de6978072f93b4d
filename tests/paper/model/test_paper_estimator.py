"""SGPMIC as a scikit-learn estimator: attributes, inputs, invalid arguments, warnings."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from joblib import Memory
from raw_tables import clouds
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.scores import purity


def small(**settings):
    usual = {"n_clusters": 2, "n_inducing": 10, "max_iter": 3, "random_state": 0}
    return SGPMIC(**{**usual, **settings})


def test_fitted_attributes_have_the_documented_shapes():
    Y = clouds(0, 6)
    model = small(n_inducing=15).fit(Y)
    assert purity(np.repeat([0, 1], 20), model.labels_) == 100.0
    shapes = {"labels_": (40,), "responsibilities_": (40, 2), "inducing_points_": (15, 2)}
    shapes |= {"embedding_": (40, 2), "weights_": (2,)}
    shapes |= {"means_": (2, 2), "covariances_": (2, 2, 2), "noise_variances_": (4,)}
    shapes |= {"certainty_": (2,), "offset_": (4,), "scale_": (4,)}
    for name, shape in shapes.items():
        assert getattr(model, name).shape == shape, name
    assert (model.n_clusters_, model.n_components_, model.n_features_in_) == (2, 2, 4)
    assert model.overlapping_pairs_ == model.small_clusters_ == model.empty_clusters_ == []
    assert (model.selection_, model.no_clusters_) == (None, False)
    # The start, 4 / mean variance, stays the noise precision; scaled columns have variance one.
    np.testing.assert_allclose(model.noise_variances_, 0.25)
    np.testing.assert_array_equal(model.cluster_sizes_, [20, 20])
    np.testing.assert_array_equal(model.labels_, model.responsibilities_.argmax(axis=1))
    assert len(model.lower_bounds_) == 2 * model.n_iter_ + 1
    assert model.lower_bound_ == model.lower_bounds_[-1]
    assert [set(params) for params in model.kernel_params_] == [
        {"variance", "gamma", "bias", "white"}
    ] * 2
    assert list(model.get_feature_names_out()) == ["sgpmic0", "sgpmic1"]


def test_several_starts_keep_the_highest_bound():
    Y = np.random.RandomState(0).randn(40, 4)  # no clusters, so that the starts differ
    calls = []
    model = small(n_clusters=4, n_init=4, callback=lambda *each: calls.append(each)).fit(Y)
    last = [bound for iteration, bound, _ in calls if iteration == 3]
    assert len(set(last)) > 1
    assert model.lower_bounds_[-2] in last
    first = small(n_clusters=4, n_init=1).fit(Y)
    assert first.lower_bounds_[-2] == last[0]  # the first start does not depend on n_init
    assert model.lower_bound_ >= first.lower_bound_


@pytest.mark.parametrize("factor", [2.0**-60, 2.0**40, 1e-90, 1e90])
def test_global_scale_removes_a_common_unit(factor):
    Y = clouds(0, 6)
    expected = small(scale="global").fit(Y).lower_bound_
    assert small(scale="global").fit(Y * factor).lower_bound_ == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("optimizer", ["scg", "lbfgs"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(
    "odd", ["duplicates", "one column", "Q = P", "P > N", "outlier", "far away"]
)
def test_unusual_data_give_finite_results_and_consistent_labels(odd, kernel, optimizer):
    Y = clouds(0, 6)
    Y = {
        "duplicates": np.repeat(Y[::4], 4, axis=0),
        "one column": Y[:, :1],
        "Q = P": Y,
        "P > N": np.random.RandomState(0).randn(12, 40),
        "outlier": np.vstack([Y, [1e6, 0.0, 0.0, 0.0]]),
        "far away": Y + 1e9,
    }[odd]
    q = {"one column": 1, "Q = P": 4}.get(odd, 2)
    model = small(kernel=kernel, optimizer=optimizer, n_components=q).fit(Y)
    for name in ("embedding_", "responsibilities_", "means_", "covariances_", "lower_bounds_"):
        assert np.isfinite(getattr(model, name)).all(), name
    assert np.array_equal(model.predict(Y), model.labels_)
    assert np.isfinite(model.predict_proba(Y * 1.001)).all()
    assert np.isfinite(model.score(Y))


@pytest.mark.parametrize(
    ("data", "settings", "sentence"),
    [
        ("few", {"n_clusters": 5, "n_components": 1}, "n_clusters=5 needs at least that many rows"),
        ("few", {"n_components": 3}, "n_components=3 needs more rows than dimensions"),
        ("plain", {"n_components": 5}, "n_components=5 needs at least that many columns"),
        ("1e300", {}, "multiply the data by a constant"),
        ("1e30", {"scale": "none"}, "scale='global'"),
        ("nan", {}, "1 of 40 rows have missing values (NaN), which SGPMIC does not take: fill"),
        ("plain", {"n_components": 1.0}, "'n_components' parameter of SGPMIC must be"),
        ("plain", {"kernel": "cosine"}, "'kernel' parameter of SGPMIC must be a str among"),
        ("plain", {"covariance_floor": 1e-12}, "'covariance_floor' parameter of SGPMIC must be"),
        ("plain", {"prior_by_gradient": True}, "needs covariance_type='full'"),
    ],
)
def test_invalid_arguments_are_rejected_in_a_sentence(data, settings, sentence):
    Y = clouds(0, 6)
    data = {
        "plain": Y,
        "few": Y[:3],
        "1e300": Y * 1e300,
        "1e30": Y * 1e30,
        "nan": np.where(Y[3, 1] == Y, np.nan, Y),
    }[data]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=re.escape(sentence)):
            small(**settings).fit(data)


def test_equal_centres_ask_for_fewer_dimensions():
    Y = np.random.RandomState(0).normal(size=(80, 12))
    with pytest.warns(UserWarning, match="fewer than 10 latent dimensions") as caught:
        SGPMIC(3, 10, random_state=0).fit(Y)
    assert len(caught) == 1  # no advice to use fewer clusters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SGPMIC(2, 2, n_inducing=20, random_state=0).fit(clouds(0, 6))


def test_warnings_point_to_the_line_of_the_caller():
    pipeline = make_pipeline(StandardScaler(), small(n_inducing=50))
    for fit in (small(n_inducing=50).fit, pipeline.fit):
        with pytest.warns(UserWarning, match="n_inducing=50 is more than the 40 rows") as caught:
            fit(clouds(0, 6))
        assert [warning.filename for warning in caught] == [__file__]
    assert len(pipeline[-1].inducing_points_) == 40


@pytest.mark.parametrize("kind", [str, Path, lambda folder: Memory(folder, verbose=0)])
def test_the_cache_does_not_change_the_result(tmp_path, kind):
    rows = clouds(0, 6)
    for _ in range(2):
        assert small(memory=kind(tmp_path)).fit(rows).lower_bound_ == small().fit(rows).lower_bound_
        assert list(tmp_path.iterdir())
