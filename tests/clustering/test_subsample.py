"""More rows than are fitted: a subsample, and the other rows assigned block by block."""

import numpy as np
import pytest

from sgpmic_cli import GroupMap, load

RNG = np.random.RandomState(0)
Y = RNG.randn(90, 3) + 6.0 * (np.arange(90) % 3)[:, None]
GAPS = np.where(RNG.random_sample(Y.shape) < 0.1, np.nan, Y)
GAPS[np.isnan(GAPS).all(axis=1)] = 0.0

pytestmark = pytest.mark.filterwarnings("ignore:90 rows are more than max_rows")


@pytest.fixture
def short_blocks(monkeypatch):
    monkeypatch.setattr("sgpmic_cli.row_blocks.ROWS", 16)
    monkeypatch.setattr(GroupMap, "_rows_at_once", 8)


def fitted(X, **parameters):
    return GroupMap(3, max_iter=2, max_rows=40, random_state=0, **parameters).fit(X)


@pytest.mark.parametrize("X", [Y, GAPS], ids=["complete", "gaps"])
def test_blocks_do_not_change_the_result(X, request):
    whole = fitted(X)
    request.getfixturevalue("short_blocks")
    blocks = fitted(X)
    np.testing.assert_array_equal(blocks.labels_, whole.labels_)
    np.testing.assert_allclose(blocks.responsibilities_, whole.responsibilities_, atol=1e-12)
    np.testing.assert_allclose(blocks.embedding_, whole.embedding_, atol=1e-5)
    np.testing.assert_array_equal(blocks.predict_proba(X), blocks.responsibilities_)
    np.testing.assert_allclose(blocks.log_density_, blocks.row_results(X).log_density, atol=1e-6)
    assert len(blocks.labels_) == len(blocks.embedding_variances_) == 90
    with pytest.raises(ValueError, match="A row is too far"):
        blocks.predict(np.where(np.arange(90)[:, None] == 77, 1e300, Y))


def test_the_subsample_does_not_depend_on_the_order_of_rows():
    shuffled = np.random.RandomState(1).permutation(90)
    one, other = fitted(Y), fitted(Y[shuffled])
    np.testing.assert_array_equal(one.labels_[shuffled], other.labels_)


@pytest.mark.filterwarnings("ignore:.*cluster")
def test_given_clusters_are_those_of_the_fitted_rows():
    given = np.arange(90) // 30
    model = fitted(Y, init=given)
    fitted_rows = model._row_indices
    assert len(fitted_rows) == 40
    np.testing.assert_array_equal(model.labels_[fitted_rows], given[fitted_rows])
    with pytest.raises(ValueError, match="one entry for each of the 90 rows"):
        fitted(Y, init=np.arange(40) % 3)


def test_a_callback_is_told_of_assigned_rows(short_blocks):
    iterations, assigned = [], []

    class Callback:
        def __call__(self, iteration, bound, labels):
            iterations.append(iteration)

        def assigned(self, done, rows):
            assigned.append((done, rows))

    fitted(Y, callback=Callback())
    assert iterations == [1, 2]
    assert assigned == [(done, 90) for done in (16, 32, 48, 64, 80, 90)]


def test_a_model_that_only_predicts_does_not_read_all_rows(tmp_path):
    fitted(GAPS).save(tmp_path / "m.npz")
    whole, light = load(tmp_path / "m.npz"), load(tmp_path / "m.npz", every_row=False)
    assert (len(whole.labels_), len(light.labels_)) == (90, 40)
    np.testing.assert_array_equal(light.predict_proba(GAPS + 0.1), whole.predict_proba(GAPS + 0.1))


@pytest.mark.filterwarnings("ignore")
def test_a_column_that_a_subsample_lacks_is_left_out():
    X = np.random.RandomState(0).standard_normal((60, 3))
    X[1:, 2] = np.nan
    assert GroupMap(max_rows=20, max_iter=1, random_state=0).fit(X).scale_[2] == 0.0
    with pytest.raises(ValueError, match="n_clusters=21 needs at least that many rows"):
        GroupMap(21, max_rows=20).fit(X)
