import numpy as np
import pytest

from sgpmic_cli.baselines.deep.vae_fcm import VAEFCM, VAESoundFCM


@pytest.fixture
def blobs():
    rng = np.random.RandomState(0)
    centers = np.array([[0, 0, 0, 0], [9, 9, 0, 0], [0, 9, 9, 9]])
    classes = np.repeat([0, 1, 2], 60)
    return centers[classes] + 0.5 * rng.standard_normal((180, 4)), classes


def agreement(classes, labels):
    return sum(np.bincount(classes[labels == k]).max() for k in np.unique(labels)) / len(classes)


def test_the_sound_reading_finds_what_the_as_run_reading_loses(blobs):
    Y, classes = blobs
    as_run, sound = (
        VAEFCM(3, 2, epochs=400, random_state=0).fit(Y),
        VAESoundFCM(3, 2, random_state=0).fit(Y),
    )
    assert agreement(classes, sound.labels_) > 0.95
    assert agreement(classes, as_run.labels_) < 0.7


def test_the_as_run_code_collapses_onto_the_prior(blobs):
    X = VAEFCM(3, 2, epochs=800, random_state=0).fit(blobs[0]).embedding_
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.4)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.4)


@pytest.mark.parametrize("kind", [VAEFCM, VAESoundFCM])
def test_a_seed_fixes_the_labels(kind, blobs):
    first = kind(3, 2, epochs=5, random_state=4).fit(blobs[0])
    second = kind(3, 2, epochs=5, random_state=4).fit(blobs[0])
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert len(first.loss_curve_) == 5


def test_one_global_factor_does_not_change_the_sound_reading(blobs):
    small = VAESoundFCM(3, 2, epochs=20, random_state=0).fit(blobs[0])
    large = VAESoundFCM(3, 2, epochs=20, random_state=0).fit(1024 * blobs[0])
    np.testing.assert_allclose(small.embedding_, large.embedding_, atol=1e-8)


def test_large_columns_overflow_in_single_precision_and_end_as_one_cluster(blobs):
    Y = 1000 * blobs[0]
    double = VAEFCM(3, 2, epochs=5, random_state=0).fit(Y)
    single = VAEFCM(3, 2, epochs=5, single_precision=True, random_state=0).fit(Y)
    assert np.isfinite(double.embedding_).all()
    assert len(np.unique(double.labels_)) > 1
    assert np.isnan(single.embedding_).all()
    assert set(single.labels_) == {0}
    assert single.loss_curve_ == []


def test_small_columns_are_the_same_in_both_precisions_before_rounding_has_grown(blobs):
    single, double = (
        VAEFCM(3, 2, epochs=2, single_precision=s, random_state=0).fit(blobs[0])
        for s in (True, False)
    )
    np.testing.assert_allclose(single.embedding_, double.embedding_, rtol=1e-3, atol=1e-3)
    assert not np.array_equal(single.embedding_, double.embedding_)


def test_divergence_raises_with_a_reason(blobs):
    with pytest.raises(FloatingPointError, match="learning rate"):
        VAESoundFCM(3, 2, learning_rate=1e80, random_state=0).fit(blobs[0])
