"""The floor under an evaluation: the BLAS, LAPACK and exp calls that the algebra cannot avoid, and nothing else.

For each component, on arrays of the sizes and in the order that the evaluation itself has them:

    exponents (K x Q+2 x n), exp (K x n), R~R~' (K x K x n), R~Y~ (K x D x n); the same exponents and exp for K_uu;
    two Cholesky factors, W; two inverses, W W'; 2 H R~ (K x K x n), W Y~' (K x D x n), one product of elements,
    T [X, 1] and T' [Z, 1] (K x Q+1 x n), and the gradient of K_uu (K x K x Q+1)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.blas import dgemm, dsymm, dsyrk
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.bound import Bound
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.speed.problems import Problem


def floor(problem: Problem) -> Callable[[], None]:
    """The bare calls of one evaluation of the problem."""
    p = problem.parameters
    bound = Bound(RBF(), problem.data, problem.S)
    calls = [
        call
        for part in bound.parts
        for call in _component(
            p.natural[part.component], p.beta, p.Z, p.X[part.rows], part.root_s[:, 0], part.Y
        )
    ]

    def run() -> None:
        for function, arguments, options in calls:
            function(*arguments, **options)

    return run


Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def _component(
    theta: Array, beta: float, Z: Array, X: Array, root_s: Array, Y: Array
) -> list[Call]:
    (k, q), n, d = Z.shape, len(X), Y.shape[1]
    Y1 = np.column_stack([Y, root_s])
    left, right = _columns(k, q + 2), _columns(n, q + 2)
    left[:, :q], right[:, :q] = Z, X
    R = np.asfortranarray(RBF().cross(theta, Z, X) * root_s)
    exponents = np.log2(np.maximum(R, np.finfo(float).tiny))
    square = _columns(k, k)
    triangle = exponents.ravel(order="F")[: k * (k + 1) // 2]
    if triangle.size < k * (k + 1) // 2:  # fewer points than half the inducing inputs
        triangle = np.zeros(k * (k + 1) // 2)
    A = np.asfortranarray(beta * theta[0] ** 2 * (R @ R.T) + theta[0] * np.eye(k))
    factor, _ = dpotrf(A, lower=True)
    E = np.asfortranarray(R @ Y1[:, :-1])
    W, _ = dpotrs(factor, E, lower=True)
    H, _ = dpotri(factor, lower=True)
    U, exponentials, small = _columns(k, n), _columns(k, n), np.empty(triangle.size)
    X1, Z1 = right[:, : q + 1].copy(order="F"), left[:, : q + 1].copy(order="F")
    into = {"beta": 0.0, "overwrite_c": True}
    lower = {**into, "lower": True}
    return [
        (dgemm, (1.0, left, right), {**into, "trans_b": True, "c": U}),
        (np.exp2, (exponents,), {"out": exponentials}),
        (dsyrk, (1.0, R), {**lower, "c": square}),
        (dgemm, (1.0, R, Y1.T), {**into, "trans_b": True, "c": _columns(k, d + 1)}),
        (dgemm, (1.0, left, left), {**into, "trans_b": True, "c": _columns(k, k)}),
        (np.exp2, (triangle,), {"out": small}),
        (dpotrf, (A,), {"lower": True}),
        (dpotrf, (A,), {"lower": True}),
        (dpotrs, (factor, E), {"lower": True}),
        (dpotri, (factor,), {"lower": True}),
        (dpotri, (factor,), {"lower": True}),
        (dsyrk, (1.0, W), {**lower, "c": square}),
        (dsymm, (1.0, H, R), {**lower, "c": U}),
        (dgemm, (1.0, _columns(k, d + 1), Y1.T), {**into, "c": U}),
        (np.multiply, (exponentials, R), {"out": U}),
        (dgemm, (1.0, R, X1), {**into, "c": _columns(k, q + 1)}),
        (dgemm, (1.0, R, Z1), {**into, "trans_a": True, "c": _columns(n, q + 1)}),
        (dsymm, (1.0, H, Z1), {**lower, "c": _columns(k, q + 1)}),
    ]


def _columns(rows: int, columns: int) -> Array:
    return np.ones((rows, columns), order="F")
