import subprocess
import sys

import numpy as np
import pytest
from autograd import grad
from autograd import numpy as anp
from sklearn.datasets import load_iris

from sgpmic_cli.baselines.deep.ae_fcm import AEFCM
from sgpmic_cli.baselines.deep.deepc import DEEPC, divergence, soft_assignment, target_distribution
from sgpmic_cli.baselines.deep.sdc import SDC
from sgpmic_cli.baselines.deep.vae_fcm import VAEFCM, VAESoundFCM


def test_target_distribution_by_hand():
    q = np.array([[0.9, 0.1], [0.6, 0.4]])
    f = [1.5, 0.5]
    first = np.array([0.81 / f[0], 0.01 / f[1]])
    second = np.array([0.36 / f[0], 0.16 / f[1]])
    np.testing.assert_allclose(target_distribution(q), [first / first.sum(), second / second.sum()])


def test_assignments_and_targets_are_distributions_and_targets_are_sharper():
    rng = np.random.RandomState(0)
    q, _ = soft_assignment(rng.standard_normal((50, 2)), rng.standard_normal((3, 2)))
    p = target_distribution(q)
    np.testing.assert_allclose(q.sum(axis=1), 1)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.sum(p * np.log(p)) > np.sum(q * np.log(q))


def test_divergence_gradients_agree_with_autograd():
    rng = np.random.RandomState(1)
    Z, centers = rng.standard_normal((7, 2)), rng.standard_normal((3, 2))
    p = target_distribution(rng.dirichlet(np.ones(3), 7))

    def loss(Z, centers):
        t = 1 / (1 + anp.sum((Z[:, None, :] - centers[None, :, :]) ** 2, axis=2))
        q = t / anp.sum(t, axis=1, keepdims=True)
        return anp.sum(p * anp.log(p / q)) / 7

    value, dZ, dcenters = divergence(Z, centers, p)
    assert value == pytest.approx(loss(Z, centers))
    np.testing.assert_allclose(dZ, grad(loss, 0)(Z, centers), atol=1e-12)
    np.testing.assert_allclose(dcenters, grad(loss, 1)(Z, centers), atol=1e-12)


def test_thirty_two_rows_reach_a_target_that_is_held_still():
    Y = np.random.RandomState(0).standard_normal((32, 3))
    model = DEEPC(2, 2, learning_rate=0.2, max_steps=4000, refresh=4000, random_state=0).fit(Y)
    assert model.loss_curve_[-1] < 1e-3 * model.loss_curve_[0]


def test_training_stops_when_labels_settle():
    rng = np.random.RandomState(0)
    Y = np.repeat(np.eye(3) * 20, 20, axis=0) + 0.1 * rng.standard_normal((60, 3))
    model = DEEPC(3, 2, refresh=10, random_state=0).fit(Y)
    assert len(model.loss_curve_) == 10
    assert len(model.pretrain_loss_curve_) == 200


def test_divergence_raises_with_a_reason():
    with pytest.raises(FloatingPointError, match="learning rate"):
        DEEPC(3, 2, pretrain_epochs=5, pretrain_learning_rate=1e80, random_state=0).fit(
            load_iris().data
        )
    with pytest.raises(FloatingPointError, match="clustering loss"):
        DEEPC(3, 2, pretrain_epochs=5, learning_rate=1e200, random_state=0).fit(load_iris().data)


def test_a_seed_gives_the_same_labels_in_a_second_process():
    estimators = [kind(3, 2, random_state=5) for kind in (AEFCM, VAEFCM, VAESoundFCM, SDC, DEEPC)]
    program = (
        "from sklearn.datasets import load_iris\n"
        "from sgpmic_cli.baselines.deep.ae_fcm import AEFCM\n"
        "from sgpmic_cli.baselines.deep.deepc import DEEPC\n"
        "from sgpmic_cli.baselines.deep.sdc import SDC\n"
        "from sgpmic_cli.baselines.deep.vae_fcm import VAEFCM, VAESoundFCM\n"
        "for kind in (AEFCM, VAEFCM, VAESoundFCM, SDC, DEEPC):\n"
        "    print(*kind(3, 2, random_state=5).fit(load_iris().data[::2]).labels_)\n"
    )
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    for estimator, line in zip(estimators, other.splitlines(), strict=True):
        assert " ".join(map(str, estimator.fit(load_iris().data[::2]).labels_)) == line, type(
            estimator
        ).__name__
