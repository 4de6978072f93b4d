"""Leading eigenvectors of a symmetric operator by restarted block Lanczos iterations.

SciPy's `eigsh` restarts an exhausted Krylov space with its own random vectors. The graphs of UNCA
have many equal eigenvalues, so its results would differ from call to call.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh, qr

from sgpmic_cli._typing import Array

Operator = Callable[[Array], Array]

_MAX_STEPS = 500
_NOISE = 1e-10  # norm of a projected unit vector that consists of rounding errors
_SMALL = 1e-8  # fraction of the largest eigenvalue below which its rounding errors dominate


def leading_eigenvectors(operator: Operator, start: Array, k: int, tolerance: float) -> Array:
    """Return the eigenvectors (N, k) of the k largest eigenvalues in decreasing order.

    `operator` maps blocks of columns; `start` (N, at least k) is the first block. The norm of a
    residual may be `tolerance` times its eigenvalue.
    If eigenvalues differ by orders of magnitude, the large ones are found first and projected out,
    because their rounding errors exceed the small ones.
    """
    found = np.zeros((len(start), 0))

    def deflated(X: Array) -> Array:
        return _without(found, operator(_without(found, X)))

    basis = _orthonormal(start, found)
    while found.shape[1] < k and basis.shape[1] > 0:
        vectors, rest = _search(deflated, basis, k - found.shape[1], tolerance)
        found = np.hstack([found, vectors])
        basis = _orthonormal(rest, found)
    return found


def _search(operator: Operator, basis: Array, k: int, tolerance: float) -> tuple[Array, Array]:
    """Return the k leading eigenvectors, or only the dominant ones, and a basis for the others."""
    width = basis.shape[1]
    images = operator(basis)
    for _ in range(_MAX_STEPS):
        inner = basis.T @ images
        values, S = eigh(0.5 * (inner + inner.T))
        values, S = values[::-1], S[:, ::-1]
        vectors = basis @ S[:, :k]
        residuals = images @ S[:, :k] - vectors * values[:k]
        unconverged = np.linalg.norm(residuals, axis=0) > tolerance * np.abs(values[:k])
        more = _orthonormal(residuals[:, unconverged], basis)
        if more.shape[1] == 0:  # converged, or the space is exhausted
            return vectors, basis[:, :0]
        large = int(np.sum(values[:k] > _SMALL * values[0]))
        if large < k and not unconverged[:large].any():
            # Another multiplication removes errors that would be large among the small eigenvalues.
            dominant = _orthonormal(operator(vectors[:, :large]), basis[:, :0])
            return dominant, basis @ S[:, large : large + width]
        if basis.shape[1] + more.shape[1] > min(len(basis), 3 * width):
            basis, images = basis @ S[:, :width], images @ S[:, :width]
        basis, images = np.hstack([basis, more]), np.hstack([images, operator(more)])
    raise np.linalg.LinAlgError("The eigenvectors did not converge.")


def _without(basis: Array, block: Array) -> Array:
    return block - basis @ (basis.T @ block)


def _orthonormal(block: Array, basis: Array) -> Array:
    """Return an orthonormal basis of the part of `block` that is orthogonal to `basis`."""
    sizes = np.linalg.norm(block, axis=0)
    block = block[:, sizes > 0] / sizes[sizes > 0]
    for _ in range(2):  # the second pass removes rounding errors of the first
        if block.shape[1] == 0:
            break
        Q, R, _ = qr(_without(basis, block), mode="economic", pivoting=True, check_finite=False)
        block = np.asarray(Q[:, np.abs(np.diag(R)) > _NOISE], dtype=np.float64)
    return block
