"""The votes that a fit begins with."""

import numpy as np
from sklearn.mixture import GaussianMixture

from sgpmic_cli.model.start.committee import _mixture


def test_a_mixture_of_more_columns_than_rows_is_that_of_all_columns():
    rng = np.random.RandomState(0)
    Y = rng.standard_normal((40, 60)) + np.repeat(
        rng.standard_normal((3, 60)), [10, 14, 16], axis=0
    )
    floor = np.linspace(0.5, 2.0, 60)
    kmeans = rng.randint(3, size=40)
    found = _mixture(Y, kmeans, floor, 3, seed=1)
    scaled = Y / np.sqrt(floor)
    fits = []
    for turn in range(3):
        labels = kmeans if turn == 0 else _kmeans(Y, 1 + turn)
        parts = [scaled[labels == m] for m in range(3)]
        covariances = [np.cov(part.T, bias=True) + np.eye(60) for part in parts]
        fit = GaussianMixture(
            3,
            reg_covar=1.0,
            weights_init=[len(part) / 40 for part in parts],
            means_init=[part.mean(axis=0) for part in parts],
            precisions_init=np.linalg.inv(covariances),
        ).fit(scaled)
        fits.append(fit)
    expected = max(fits, key=lambda fit: fit.lower_bound_).predict(scaled)
    assert (found == expected).all()


def _kmeans(Y, seed):
    from sklearn.cluster import KMeans

    return KMeans(3, n_init=1, random_state=seed).fit_predict(Y)
