import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.data import load
from sgpmic_cli.paper.methods.unca import MAX_ROWS, UNCA
from sgpmic_cli.paper.methods.unca.conjugate_gradients import Point, descend
from sgpmic_cli.scores import purity


def evaluated(objective, x):
    value, gradient = objective(x)
    return Point(x, value, gradient())


def rosenbrock(x):
    return rosen(x), lambda: rosen_der(x)


def test_rosenbrock_decreases_in_every_line_search():
    point, values = descend(rosenbrock, evaluated(rosenbrock, np.array([-1.2, 1.0, 0.5])), 200)
    assert np.all(np.diff(values) < 0)
    assert point.value == values[-1] == rosen(point.x) < 1e-8
    np.testing.assert_array_equal(point.gradient, rosen_der(point.x))


def test_a_step_outside_the_domain_is_shortened():
    def objective(x):
        with np.errstate(invalid="ignore"):
            return float(1000.0 * (x[0] - np.log(x[0]))), lambda: 1000.0 * (1.0 - 1.0 / x)

    point, values = descend(objective, evaluated(objective, np.array([1e-4])), 30)
    assert point.x[0] == pytest.approx(1.0, abs=1e-3)
    assert np.all(np.isfinite(values))


def test_two_failed_line_searches_return_the_start():
    """The gradient has the wrong sign, so no step can succeed."""

    def objective(x):
        return float(x[0] ** 2), lambda: -2.0 * x

    point, values = descend(objective, evaluated(objective, np.array([3.0])), 5)
    assert (point.x, values) == (np.array([3.0]), [])


def test_fewer_distinct_rows_than_clusters():
    Y = np.repeat(np.array([[0.0], [5.0]]), 4, axis=0)
    labels = UNCA(3, 1, n_iter=3, random_state=0).fit_predict(Y)
    assert len(set(labels[:4])) == 1
    assert labels[0] != labels[4]


def test_separated_clusters_are_found():
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), 40)
    Y = 4.0 * np.eye(3)[groups] + 0.3 * rng.standard_normal((120, 3))
    assert purity(groups, UNCA(3, 2, lam=10.0, random_state=0).fit_predict(Y)) == 100.0


def test_one_iteration_is_spectral_clustering_of_the_data():
    data = load("iris")
    model = UNCA(3, 2, n_iter=1, random_state=0).fit(data.Y)
    np.testing.assert_array_equal(model.embedding_, data.Y - data.Y.mean(axis=0))
    assert purity(data.labels, model.labels_) > 85


@pytest.mark.slow
def test_strong_penalty_finds_the_groups_of_iris():
    """The printed mean is 86.20 with a standard deviation of 3.82."""
    data = load("iris")
    fits = [UNCA(3, 2, lam=100.0, random_state=s).fit_predict(data.Y) for s in range(3)]
    assert np.mean([purity(data.labels, labels) for labels in fits]) > 86.20 - 3.82


def test_too_many_rows_are_refused():
    with pytest.raises(ValueError, match=f"at most {MAX_ROWS}, not {MAX_ROWS + 1}"):
        UNCA(2, 1).fit(np.zeros((MAX_ROWS + 1, 1)))
