"""The default setting as people call it: scikit-learn's contract, bad input, and what a fit promises."""

import copy
import re
import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sgpmic_cli import SGPMIC
from sgpmic_cli.data import load
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.data.registry import entry


# No check is left out; the array API check skips itself while SciPy's experimental switch is off.
@parametrize_with_checks([SGPMIC(n_clusters=2, max_iter=3, random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def clouds(*centres, size=20, columns=4, seed=0):
    random = np.random.RandomState(seed)
    return np.vstack([random.randn(size, columns) + centre for centre in centres])


def small(**settings):
    return SGPMIC(**{"n_clusters": 2, "max_iter": 5, "random_state": 0, **settings})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_clusters": 41}, "n_clusters=41 needs at least that many distinct rows; there are 40."),
        ({"n_clusters": (5, 2)}, "n_clusters must be .* the smaller one first, not \\(5, 2\\)."),
        (
            {"n_clusters": (2, 50)},
            "n_clusters=50 needs at least that many distinct rows; there are 40.",
        ),
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 .*, not 0."),
        (
            {"init": [0, 1] * 5},
            "init must have one entry for each of the 40 rows, not shape \\(10,\\).",
        ),
        ({"init": [0, 1, 2, 3] * 10}, "init has 4 clusters where n_clusters=2."),
        (
            {"init": np.zeros((40, 2))},
            "init must be probabilities: no negative numbers, and no row of zeros.",
        ),
        ({"init": "centroids"}, "init must be one of 'committee', .*"),
        ({"n_components": 5}, "n_components=5 needs at least that many columns; n_features=4."),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(settings, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        small(**settings).fit(clouds(0, 6))


def test_fewer_distinct_rows_than_clusters_are_refused_and_duplicates_are_not():
    X = np.repeat(clouds(0, 9, size=3), 10, axis=0)  # six rows, ten times each
    with pytest.raises(
        ValueError,
        match=re.escape("n_clusters=7 needs at least that many distinct rows; there are 6."),
    ):
        small(n_clusters=7).fit(X)
    labels = small().fit_predict(X)
    assert adjusted_rand_score(np.repeat([0, 1], 30), labels) == 1.0


def test_a_constant_column_changes_nothing():
    X = clouds(0, 6)
    plain = small().fit(X)
    beside = small().fit(np.column_stack([X, np.full(len(X), 3.0)]))
    assert adjusted_rand_score(plain.labels_, beside.labels_) == 1.0


def test_predict_gives_training_rows_their_labels():
    X = load("iris").Y
    model = SGPMIC(n_clusters=3, random_state=0).fit(X)
    assert model.converged_
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.allclose(model.predict_proba(X), model.responsibilities_)
    assert np.allclose(model.transform(X), model.embedding_)


def test_twins_tiny_and_dead_clusters_are_reported():
    X = clouds(0, 9, size=40)
    shares = np.zeros((80, 4))
    shares[:40, :2] = 0.5  # two clusters that share their rows
    shares[40:78, 2] = 1.0
    shares[78:, 3] = 1.0  # and one of two rows
    with pytest.warns(UserWarning, match="share"):
        model = SGPMIC(
            n_clusters=4, init=shares, max_iter=1, optimizer_steps=1, random_state=0
        ).fit(X)
    assert [tuple(sorted(pair)) for pair in model.twins_] == [(0, 1)]
    assert 3 in [*model.tiny_, *model.dead_]
    assert model.cluster_sizes_.sum() == 80
    assert model.certainty_[:2].max() < 0.8 < model.certainty_[2]


def test_an_interrupted_refit_leaves_the_old_model_whole():
    X = clouds(0, 6)
    model = small().fit(X)
    before = copy.deepcopy(vars(model))

    def interrupt(*_):
        raise KeyboardInterrupt

    model.set_params(callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(clouds(0, 3, 6, columns=7))
    model.set_params(callback=None)
    assert model.n_features_in_ == 4
    for name in ("labels_", "embedding_", "weights_", "lower_bound_"):
        assert np.array_equal(getattr(model, name), before[name])
    assert np.array_equal(model.predict(X), before["labels_"])


@pytest.mark.slow
def test_the_number_of_dimensions_can_be_left_to_the_bound():
    X = clouds(0, 6, size=30, columns=6)
    bounds = {q: small(n_components=q).fit(X).lower_bound_ for q in (1, 2, 3, 5)}
    chosen = small(n_components="auto").fit(X).embedding_.shape[1]
    assert chosen == max(bounds, key=lambda q: bounds[q])


def test_rows_come_back_from_their_latent_points_and_samples_look_like_the_data():
    X = load("iris").Y
    model = SGPMIC(n_clusters=3, random_state=0).fit(X)
    back = model.inverse_transform(model.embedding_)
    assert 1.0 - np.var(X - back, axis=0).sum() / np.var(X, axis=0).sum() > 0.9
    drawn, clusters = model.sample(600, random_state=0)
    assert drawn.shape == (600, 4)
    assert np.abs(drawn.mean(axis=0) - X.mean(axis=0)).max() < 0.3
    assert np.allclose(np.bincount(clusters, minlength=3) / 600, model.weights_, atol=0.08)
    with pytest.raises(ValueError, match="latent points of shape"):
        model.inverse_transform(np.zeros((3, 5)))


@pytest.mark.parametrize("name", ["iris", "wine"])
@pytest.mark.slow
def test_labels_do_not_depend_on_units_or_order(name):
    data = load(name)
    random = np.random.RandomState(1)
    columns, rows = random.permutation(data.Y.shape[1]), random.permutation(len(data.Y))

    def labels(X):
        return SGPMIC(n_clusters=3, random_state=0).fit_predict(X)

    first = labels(data.Y)
    for changed in (data.Y + 8.0, 1000.0 * data.Y, data.Y[:, columns]):
        assert adjusted_rand_score(first, labels(changed)) >= 0.99
    assert adjusted_rand_score(first[rows], labels(data.Y[rows])) >= 0.9


@pytest.mark.slow
def test_thin_shapes_are_found_when_their_number_is_told():
    scores = []
    for name in ("spirals", "semicircles", "circles", "moons", "pinwheel"):
        for seed in range(2):
            X, classes = GENERATORS[name][0](entry(name).n, entry(name).n_classes, seed)
            found = SGPMIC(n_clusters=entry(name).n_classes, random_state=seed).fit_predict(X)
            scores.append(adjusted_rand_score(classes, found))
    assert np.mean(scores) >= 0.9


@pytest.mark.parametrize("draw", ["standard_normal", "random_sample"])
@pytest.mark.slow
def test_data_without_structure_are_one_cluster(draw):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [
            SGPMIC(random_state=seed).fit(getattr(np.random.RandomState(seed), draw)((200, 3)))
            for seed in range(4)
        ]
    assert sum(model.n_clusters_ == 1 for model in found) >= 3
    assert all(model.no_clusters_ == (model.n_clusters_ == 1) for model in found)
