import numpy as np
import pytest

from sgpmic_cli.baselines.deep.ae_fcm import AEFCM


@pytest.fixture
def blobs():
    rng = np.random.RandomState(0)
    centers = np.array([[0, 0, 0, 0], [6, 6, 0, 0], [0, 6, 6, 6]])
    classes = np.repeat([0, 1, 2], 40)
    return centers[classes] + 0.5 * rng.standard_normal((120, 4)), classes


def test_separate_blobs_are_found_and_the_loss_falls(blobs):
    Y, classes = blobs
    model = AEFCM(3, 2, random_state=0).fit(Y)
    assert model.embedding_.shape == (120, 2)
    assert len(model.loss_curve_) == 100
    assert model.loss_curve_[-1] < 0.2 * model.loss_curve_[0]
    assert len({(int(c), int(k)) for c, k in zip(classes, model.labels_, strict=True)}) == 3


def test_a_seed_fixes_the_labels(blobs):
    first = AEFCM(3, 2, epochs=10, random_state=4).fit(blobs[0])
    second = AEFCM(3, 2, epochs=10, random_state=4).fit(blobs[0])
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(first.embedding_, second.embedding_)


def test_patience_ends_training_early(blobs):
    model = AEFCM(3, 4, epochs=3000, patience=5, random_state=0).fit(blobs[0])
    assert len(model.loss_curve_) < 3000


def test_divergence_raises_with_a_reason(blobs):
    with pytest.raises(FloatingPointError, match="learning rate"):
        AEFCM(3, 2, learning_rate=1e80, random_state=0).fit(blobs[0])
