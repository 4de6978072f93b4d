"""Bound and labels equal those of dense N x N algebra on every bundled data set."""

import numpy as np
import pytest
import reference

from sgpmic_cli.data import entry, load, names
from sgpmic_cli.model.paper.bound import Bound, Parameters, observe
from sgpmic_cli.model.paper.e_step import expectation
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.model.paper.mixture import mixture

BUNDLED = [name for name in names() if entry(name).kind == "bundled"]
ROWS = 400  # dense algebra is cubic in them


@pytest.mark.parametrize("name", BUNDLED)
def test_bound_and_labels_are_those_of_dense_algebra(name):
    data = load(name)
    Y = data.Y[:: -(-len(data.Y) // ROWS)]
    model = PaperSGPMIC(data.n_classes, 2, n_inducing=20, max_iter=3, random_state=0).fit(Y)
    seen, S = (Y - model.offset_) / model.scale_, np.maximum(model.responsibilities_, 1e-12)
    S /= S.sum(axis=1, keepdims=True)
    model_of = (
        model.embedding_,
        model.inducing_points_,
        S,
        1.0 / model.noise_variances_[0],
        "rbf",
        model.kernel_params_,
    )
    prior = mixture(model.weights_, model.means_, model.covariances_)
    theta = np.log(
        [
            [params[key] for key in ("variance", "gamma", "bias", "white")]
            for params in model.kernel_params_
        ]
    )
    p = Parameters(
        model.embedding_,
        model.inducing_points_,
        theta,
        -float(np.log(model.noise_variances_[0])),
        prior,
    )
    value, factors = Bound(RBF(), observe(seen), S, active=0.0).value(p)
    assert value == pytest.approx(
        reference.kl_corrected_bound(seen, *model_of, *prior[:3]), rel=1e-8
    )
    ours = expectation(RBF(), observe(seen), p, factors)
    dense = reference.responsibilities(seen, *model_of, *prior[:3])
    np.testing.assert_allclose(ours, dense, atol=1e-6)
    np.testing.assert_array_equal(ours.argmax(axis=1), dense.argmax(axis=1))
