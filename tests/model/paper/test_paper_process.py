"""Means and variances of the processes beside dense algebra, by the inverse of the factor or by the factor."""

from dataclasses import replace

import numpy as np
import pytest
from random_problem import KERNELS, problem

from sgpmic_cli.model.paper.bound import Bound, observe
from sgpmic_cli.model.paper.kernels import cross_matrix
from sgpmic_cli.model.paper.process import Processes


@pytest.mark.parametrize("rough", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_means_and_variances_are_the_dense_ones(name, rough):
    kernel = KERNELS[name]
    Y, p, S = problem(name)
    data = observe(Y)
    _, factors = Bound(kernel, data, S, len(p.Z), active=0.0).value(p)
    factors = [replace(f, rough=rough) for f in factors]
    processes = Processes(kernel, factors, p.natural, p.Z)
    sides, near = kernel.plain_sides(p.X), np.arange(0, len(p.X), 2)
    for m, (f, theta) in enumerate(zip(factors, p.natural, strict=True)):
        k = (
            theta[0]
            * cross_matrix(kernel, theta, p.Z, p.X, np.empty((len(p.Z), len(p.X)), order="F"))
            + theta[-2]
        )
        R = processes.covariances(m, sides)
        error = np.sum((data.Y - k.T @ f.W) ** 2, axis=1)
        np.testing.assert_allclose(
            processes.square_errors(m, R, data.Y.T, data.squares), error, rtol=1e-9
        )
        dense = np.einsum("kn,kn->n", k, np.linalg.solve(f.L_a @ f.L_a.T, k))[near]
        np.testing.assert_allclose(processes.variances(m, R, near), dense, rtol=1e-7)
