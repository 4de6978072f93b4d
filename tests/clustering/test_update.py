import numpy as np
import pytest
from raw_tables import clouds

from sgpmic_cli import GroupMap, load
from sgpmic_cli.clustering.fitted_model import ROW_AXES

OLD, NEW = clouds(0, 6, size=40, seed=0), clouds(0, 6, size=10, seed=1)


def fitted(X=OLD, n_clusters=2, **parameters):
    return GroupMap(n_clusters, max_iter=3, random_state=0, **parameters).fit(X)


@pytest.fixture(scope="module")
def grown():
    return fitted().update(NEW)


def test_old_rows_keep_their_clusters_and_places_and_new_rows_join(grown):
    before = fitted()
    np.testing.assert_array_equal(grown.labels_[:80], before.labels_)
    np.testing.assert_array_equal(grown.embedding_[:80], before.embedding_)
    np.testing.assert_array_equal(grown.responsibilities_[:80], before.responsibilities_)
    np.testing.assert_array_equal(grown.labels_[80:], before.predict(NEW))
    assert (grown.update_.rows, grown.update_.new_clusters) == (20, [])
    assert grown.cluster_sizes_.tolist() == [50, 50]


def test_the_training_improves_the_bound_of_the_new_rows(grown):
    before = fitted()
    assert np.abs(grown.embedding_[80:] - before.transform(NEW)).max() > 1e-3
    assert grown.lower_bounds_[-1] > grown.lower_bounds_[0]
    assert grown.score(NEW) > before.score(NEW)


def test_rows_get_their_places_alone_and_together(grown):
    X = np.concatenate([OLD, NEW])
    np.testing.assert_allclose(grown.transform(X), grown.embedding_, atol=1e-9)
    np.testing.assert_array_equal(grown.predict(X), grown.labels_)
    others = X[::7] + 0.3
    alone = np.concatenate([grown.transform(row[None]) for row in others])
    np.testing.assert_allclose(grown.transform(others), alone, atol=1e-6)


def test_a_cloud_of_new_rows_is_a_new_cluster_and_joined_by_old_rows_inside_it():
    far = clouds(20, size=40, seed=2)
    model = fitted(np.concatenate([OLD, far[:1]]))
    before = model.labels_
    model.update(far[1:])
    assert model.update_.new_clusters == [2]
    np.testing.assert_array_equal(model.labels_[81:], 2)
    np.testing.assert_array_equal(model.labels_[:80], before[:80])
    assert (model.labels_[80], model.update_.moved.tolist()) == (2, [80])
    assert model.verdicts_[2]["verdict"] == "group"
    assert len(model.update_.unlike) == 39
    places = model.means_[2] - model.means_[:2]
    assert (np.linalg.norm(places, axis=1) > np.sqrt(np.trace(model.covariances_[2]))).all()
    np.testing.assert_array_equal(model.predict(clouds(20, size=5, seed=3)), 2)
    assert model.selection_ is None


@pytest.mark.filterwarnings("error")
def test_a_few_rows_equal_rows_or_scattered_rows_are_no_new_cluster():
    few = clouds(20, size=4, seed=2)
    random = np.random.RandomState(0)
    scattered = random.standard_normal((40, 4))
    scattered *= random.uniform(8, 30, (40, 1)) / np.linalg.norm(scattered, axis=1)[:, None]
    for rows in (few, few[[0] * 6], 3.0 + scattered):
        model = fitted().update(rows)
        assert (model.n_clusters_, model.update_.new_clusters) == (2, [])
        assert len(model.update_.unlike) > 3


def test_a_row_that_the_model_has_gets_its_place():
    model = fitted().update(np.concatenate([OLD[:1], NEW]))
    assert model.update_.known == 1
    np.testing.assert_array_equal(model.embedding_[80], model.embedding_[0])


def test_rows_without_values_and_missing_values_keep_their_position():
    old, new = OLD.copy(), NEW.copy()
    old[3], old[5, 1], new[4], new[6, 2] = np.nan, np.nan, np.nan, np.nan
    with pytest.warns(UserWarning, match="without any value"):
        model = fitted(old).update(new)
    assert np.flatnonzero(model.labels_ < 0).tolist() == [3, 84]
    assert np.flatnonzero(np.isnan(model.embedding_[:, 0])).tolist() == [3, 84]
    first, second = model.labels_[[0, 40]]
    np.testing.assert_array_equal(model.labels_[85:], [first] * 5 + [second] * 10)
    known = model.labels_ >= 0
    again = model.transform(np.concatenate([old, new])[known])
    np.testing.assert_allclose(again, model.embedding_[known], atol=1e-6)


@pytest.mark.filterwarnings("ignore:80 rows are more than max_rows")
def test_of_a_subsampled_table_the_same_fraction_of_new_rows_is_fitted():
    before = fitted(max_rows=40)
    model = fitted(max_rows=40).update(NEW)
    assert len(model.consensus_) == 50
    assert len(model.labels_) == len(model.groups_) == 100
    np.testing.assert_array_equal(model.embedding_[:80], before.embedding_)
    np.testing.assert_array_equal(model.labels_[80:], before.predict(NEW))


def test_a_loaded_model_is_updated_as_the_original(grown, tmp_path):
    fitted().save(tmp_path / "m.npz")
    model = load(tmp_path / "m.npz").set_params(random_state=0).update(NEW)
    for name in (*ROW_AXES, "labels_", "consensus_"):
        np.testing.assert_allclose(getattr(model, name), getattr(grown, name), atol=1e-9)
    model.save(tmp_path / "n.npz")
    np.testing.assert_array_equal(load(tmp_path / "n.npz").predict(NEW), grown.predict(NEW))


def test_a_failed_update_changes_nothing():
    model = fitted()
    before = dict(vars(model))
    with pytest.raises(ValueError, match="3 features"):
        model.update(NEW[:, :3])
    with pytest.raises(ValueError, match="too far"):
        model.update(np.full((1, 4), 1e200))
    assert vars(model) == before
