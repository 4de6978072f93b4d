"""The default model as users call it: scikit-learn's contract, bad input, and invariances."""

import numpy as np
import pytest
from raw_tables import clouds
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sgpmic_cli import SGPMIC, GroupMap
from sgpmic_cli.data import load


# No check is left out; the array API check skips itself while SciPy's experimental switch is off.
@pytest.mark.slow
@parametrize_with_checks(
    [
        GroupMap(max_iter=2, optimizer_steps=3, random_state=0),
        SGPMIC(n_clusters=3, n_components=1, n_inducing=10, max_iter=2, random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def small(**parameters):
    usual = {"n_clusters": 2, "max_iter": 3, "n_resamples": 0, "random_state": 0}
    return GroupMap(**{**usual, **parameters})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": 41}, "n_clusters=41 needs at least that many distinct rows; .* 40."),
        ({"n_clusters": (2, 50)}, "n_clusters=50 needs at least that many distinct rows; .* 40."),
        ({"n_clusters": (5, 2)}, "n_clusters must be .* the smaller one first, not \\(5, 2\\)."),
        (
            {"n_clusters": 0},
            "The 'n_clusters' parameter of GroupMap .* Got 0 instead.",
        ),
        ({"n_clusters": "three"}, "The 'n_clusters' parameter .* Got 'three' instead."),
        ({"n_resamples": -1}, "The 'n_resamples' parameter .* int in the range .* Got -1 instead."),
        ({"init": [0, 1] * 5}, "init must have one entry for each of the 40 rows, not .*"),
        ({"init": [0, 1, 2, 3] * 10}, "init has 4 clusters, which n_clusters=2 excludes."),
        ({"init": np.zeros((40, 2))}, "init must be probabilities: .* no row of zeros."),
        (
            {"init": [None, 1] * 20},
            "init must have an entry for every row; it has missing values.",
        ),
        ({"callback": "x"}, "The 'callback' parameter .*"),
    ],
)
def test_invalid_parameters_are_refused_in_one_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        small(**parameters).fit(clouds(0, 6))


@pytest.mark.parametrize(
    ("columns", "asked", "used"), [(1, 2, 1), (2, 3, 2), (4, 3, 3), (4, 0.5, 1), (4, 0.9999, 4)]
)
def test_there_are_at_most_as_many_dimensions_as_columns(columns, asked, used):
    model = small(n_components=asked).fit(clouds(0, 6, columns=columns))
    assert model.embedding_.shape == (40, used)
    assert model.transform(clouds(0, 6, columns=columns) + 0.1).shape == (40, used)


def test_there_are_fewer_dimensions_than_rows():
    model = small(n_clusters=2, n_components=4).fit(clouds(0, 6, columns=5)[:4])
    assert model.embedding_.shape == (4, 3)


@pytest.mark.parametrize("name", ["iris", pytest.param("wine", marks=pytest.mark.slow)])
def test_labels_do_not_depend_on_units_or_order(name):
    Y, random = load(name).Y, np.random.RandomState(1)
    columns, rows = random.permutation(Y.shape[1]), random.permutation(len(Y))

    def labels(X):
        return small(n_clusters=3, max_iter=1).fit_predict(X)

    first = labels(Y)
    for changed in (1000.0 * Y + 8.0, Y[:, columns]):
        assert adjusted_rand_score(first, labels(changed)) >= 0.99
    assert adjusted_rand_score(first[rows], labels(Y[rows])) >= 0.9


def test_overlapping_small_and_empty_clusters_are_reported_at_the_callers_line():
    init = np.zeros((80, 4))
    init[:40, :2] = [0.6, 0.4]  # two clusters that share their rows
    init[40:78, 2] = 1.0
    init[78:, 3] = 1.0  # and one of two rows
    model = make_pipeline(StandardScaler(), small(n_clusters=4, init=init))
    with pytest.warns(UserWarning, match="fewer clusters may describe") as found:
        model.fit(clouds(0, 9, size=40))
    assert found[-1].filename == __file__
    model = model[-1]
    assert 1 in model.empty_clusters_
    assert 3 in [*model.small_clusters_, *model.empty_clusters_]
    assert model.cluster_sizes_.sum() == 80
    np.testing.assert_allclose(model.weights_.sum(), 1.0)


@pytest.mark.parametrize(
    ("model", "steps"),
    [
        (
            small(n_clusters=(1, 3), max_rows=30),
            ["number of clusters", "clusters", "map"],
        ),
        (SGPMIC(max_iter=2, n_inducing=5, random_state=0), ["ISOMAP", "fuzzy c-means"]),
    ],
    ids=["default", "paper"],
)
@pytest.mark.filterwarnings("ignore:40 rows are more than max_rows")
def test_every_step_is_printed_and_passed_to_the_callback_when_it_begins(model, steps, capsys):
    events, bounds = [], []

    class Callback:
        started = events.append

        def __call__(self, iteration, bound, labels):
            events.append(iteration)
            bounds.append(bound)

    model.set_params(verbose=True, callback=Callback()).fit(clouds(0, 6))
    iterations = list(range(1, model.max_iter + 1))
    after = ["clusters of the remaining rows"] if hasattr(model, "max_rows") else []
    assert events == [*steps, *iterations, *after]
    assert set(bounds) <= set(model.lower_bounds_)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(events)
    assert printed[0] == f"{type(model).__name__}: {steps[0]}"
    assert f"iteration 1 of at most {model.max_iter}, bound " in printed[len(steps)]
    model.set_params(verbose=False, callback=None).fit(clouds(0, 6))
    assert capsys.readouterr().out == ""


def test_rows_come_back_from_their_latent_points(iris_model, iris):
    back = iris_model.inverse_transform(iris_model.embedding_)
    assert 1.0 - np.var(iris - back, axis=0).sum() / np.var(iris, axis=0).sum() > 0.9
    with pytest.raises(ValueError, match="latent points of shape"):
        iris_model.inverse_transform(np.zeros((3, 5)))


def test_the_summary_has_one_row_for_each_cluster():
    model = small(n_resamples=2).fit(clouds(0, 9, size=30))
    summary = model.summary_
    assert summary.index.name == "cluster"
    assert summary["rows"].tolist() == model.cluster_sizes_.tolist() == [30, 30]
    assert summary["verdict"].tolist() == ["group", "group"]
    np.testing.assert_array_equal(summary["stability"], model.stability_)
    assert small().fit(clouds(0, 9)).summary_["stability"].isna().all()
