"""The full GP-LVM against scipy's multivariate normal and central differences."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sgpmic_cli.baselines import gplvm_fcm
from sgpmic_cli.baselines._ascent import climb
from sgpmic_cli.baselines.gplvm_fcm import GPLVMFCM, MAX_ROWS, log_posterior
from sgpmic_cli.data import load
from sgpmic_cli.embeddings import ppca


def example(n=25, p=3, q=2, seed=0):
    rng = np.random.RandomState(seed)
    return rng.standard_normal((n, p)) - 2.0, rng.randn(n, q), np.log([1.3, 0.8, 0.4, 0.2])


@pytest.mark.parametrize("p", [3, 40])
def test_objective_is_the_dense_normal_density(p):
    """Forty columns of twenty-five rows enter through a factor of Y Y'; the density must not notice."""
    Y, X, theta = example(p=p)
    variance, gamma, bias, white = np.exp(theta)
    K = (
        variance * np.exp(-0.5 * gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
        + bias
        + white * np.eye(len(X))
    )
    expected = multivariate_normal(np.zeros(len(X)), K).logpdf((Y - Y.mean(axis=0)).T).sum()
    expected += multivariate_normal(np.zeros(2), np.eye(2)).logpdf(X).sum()
    assert log_posterior(Y)(X, theta)[0] == pytest.approx(expected, rel=1e-9)


def test_gradient_is_that_of_central_differences():
    Y, X, theta = example()
    objective = log_posterior(Y)
    _, gradients = objective(X, theta)
    for array, gradient in zip((X, theta), gradients, strict=True):
        numeric = np.empty_like(array)
        for index in np.ndindex(array.shape):
            here = array[index]
            array[index] = here + 1e-5
            above, _ = objective(X, theta)
            array[index] = here - 1e-5
            below, _ = objective(X, theta)
            array[index] = here
            numeric[index] = (above - below) / 2e-5
        np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


def test_a_parameter_at_its_limit_is_held_there():
    Y, X, theta = example()
    theta[2] = -40.0  # exp is cut at -36, so the objective is flat in it
    _, (_, dtheta) = log_posterior(Y)(X, theta)
    assert dtheta[2] == 0.0


def test_more_steps_never_lower_the_objective():
    Y = load("iris").Y
    reached = [
        GPLVMFCM(3, 2, max_iter=steps, random_state=0).fit(Y).objective_
        for steps in range(1, 31, 3)
    ]
    assert np.all(np.diff(reached) >= 0)
    assert reached[-1] > reached[0] + 100


def test_the_climb_starts_at_whitened_pca(monkeypatch):
    Y = load("iris").Y
    monkeypatch.setattr(
        gplvm_fcm, "climb", lambda objective, start, steps: climb(objective, start, 0)
    )
    np.testing.assert_array_equal(GPLVMFCM(3, 2).fit(Y).embedding_, ppca(Y, 2))


def test_same_seed_same_labels():
    Y = load("wine").without(["proline"]).Y
    first, again = (GPLVMFCM(3, 2, random_state=3).fit(Y) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, again.labels_)


def test_too_many_rows_are_refused_before_any_work():
    with pytest.raises(
        ValueError, match=f"at most {MAX_ROWS} rows, not {MAX_ROWS + 1}: use fgplvm-fcm"
    ):
        GPLVMFCM(2, 1).fit(np.zeros((MAX_ROWS + 1, 2)))


def test_kept_latent_points_serve_repeats_and_no_other_setting(tmp_path, monkeypatch):
    Y = load("iris").Y
    fresh = GPLVMFCM(3, 2, max_iter=3, random_state=0).fit(Y)
    GPLVMFCM(3, 2, max_iter=3, memory=tmp_path, random_state=1).fit(Y)
    monkeypatch.setattr(gplvm_fcm, "climb", lambda *arguments: pytest.fail("computed again"))
    kept = GPLVMFCM(3, 2, max_iter=3, memory=tmp_path, random_state=0).fit(Y)
    np.testing.assert_array_equal(kept.embedding_, fresh.embedding_)
    np.testing.assert_array_equal(kept.labels_, fresh.labels_)
    assert kept.objective_ == fresh.objective_
    for other in (GPLVMFCM(3, 1, max_iter=3), GPLVMFCM(3, 2, max_iter=4)):
        with pytest.raises(pytest.fail.Exception, match="computed again"):
            other.set_params(memory=tmp_path).fit(Y)
    with pytest.raises(pytest.fail.Exception, match="computed again"):
        GPLVMFCM(3, 2, max_iter=3, memory=tmp_path).fit(Y[1:])


def test_squares_beyond_the_range_of_floats_are_refused():
    with pytest.raises(ValueError, match="divide the columns by a common unit"):
        GPLVMFCM(3, 2).fit(1e160 * load("iris").Y)
