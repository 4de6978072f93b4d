import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sgpmic_cli.data import load
from sgpmic_cli.paper.embeddings.isomap import isomap
from sgpmic_cli.paper.fcm import FuzzyCMeans
from sgpmic_cli.paper.methods.isomap_fcm import IsomapMixture


@pytest.mark.parametrize(("sweeps", "log_determinant"), [(8, True), (2, False)])
def test_labels_are_those_of_gaussians_with_fixed_means(sweeps, log_determinant):
    Y = load("wine").without(["proline"]).Y
    X = isomap(Y, 2)
    start = FuzzyCMeans(3, random_state=np.random.RandomState(0)).fit(X)
    S = start.memberships_**2 / np.sum(start.memberships_**2, axis=1, keepdims=True)
    for _ in range(sweeps):
        for m, (mean, weights) in enumerate(zip(start.centers_, S.T.copy(), strict=True)):
            scatter = np.cov(X - mean, rowvar=False, aweights=weights, ddof=0)
            shift = np.average(X - mean, axis=0, weights=weights)
            gaussian = multivariate_normal(mean, scatter + np.outer(shift, shift))
            S[:, m] = gaussian.pdf(X) if log_determinant else gaussian.pdf(X) / gaussian.pdf(mean)
        S /= S.sum(axis=1, keepdims=True)
    settings = {"sweeps": sweeps, "log_determinant": log_determinant}
    model = IsomapMixture(3, 2, random_state=0, **settings).fit(Y)
    np.testing.assert_array_equal(model.labels_, S.argmax(axis=1))
    assert np.mean(model.labels_ != start.labels_) > 0.02
