import numpy as np
import pytest

from sgpmic_cli.networks import minibatches, train


def test_an_epoch_sees_every_row_once_in_an_order_that_follows_the_seed():
    batches = list(minibatches(10, 4, np.random.RandomState(3)))
    assert [len(b) for b in batches] == [4, 4, 2]
    assert sorted(np.concatenate(batches)) == list(range(10))
    again = list(minibatches(10, 4, np.random.RandomState(3)))
    np.testing.assert_array_equal(np.concatenate(batches), np.concatenate(again))


def test_the_curve_is_the_mean_over_rows_not_over_batches():
    curve = train(
        lambda rows: float(len(rows)), 5, epochs=2, batch_size=4, rng=np.random.RandomState(0)
    )
    assert curve == [17 / 5, 17 / 5]


def test_training_stops_after_patience_epochs_without_progress():
    losses = iter([3.0, 2.0, 2.0, 2.0, 2.0, 1.0])
    curve = train(
        lambda rows: next(losses),
        1,
        epochs=6,
        batch_size=1,
        rng=np.random.RandomState(0),
        patience=2,
    )
    assert curve == [3.0, 2.0, 2.0, 2.0]


def test_without_patience_every_epoch_runs():
    assert (
        len(train(lambda rows: 1.0, 1, epochs=6, batch_size=1, rng=np.random.RandomState(0))) == 6
    )


def test_a_loss_that_is_not_a_number_stops_with_the_epoch():
    losses = iter([1.0, np.nan])
    with pytest.raises(FloatingPointError, match="epoch 2"):
        train(lambda rows: next(losses), 1, epochs=3, batch_size=1, rng=np.random.RandomState(0))
