"""The graph of UNCA's label step: Gaussian affinities of bandwidth one, floored at the spacing of floats.

    W = max(exp(-|z_i - z_j|^2), eps),  W_ii = eps

is kept as S + eps 1 1' with S sparse wherever most affinities sit on the floor, so that nothing is approximated. Equal
points have equal coordinates in the eigenvectors wanted, so w of them are one node: S_uv counts w_u w_v times, pairs
within a node are on the diagonal, and 1 becomes w.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu
from sklearn.neighbors import KDTree

from sgpmic_cli.baselines.nca import squared_distances

_EPS = float(np.finfo(np.float64).eps)
_FLOOR = -np.log(_EPS)  # the squared distance at which an affinity meets the floor
_SHIFT = 1e-14


class Affinity:
    """W = S + eps w w' for distinct rows Z (N, Q) that stand for w points each, and its degrees (N,)."""

    def __init__(self, Z: NDArray[np.float64], weights: NDArray[np.float64]):
        self.weights = weights
        self.S = _near(Z, weights) if is_spread(Z) else _all(Z, weights)
        self.degrees = self.S.sum(axis=1) + _EPS * weights.sum() * weights

    def eigenvectors(self, m: int, rng: np.random.RandomState) -> NDArray[np.float64]:
        """The m smallest eigenvectors of I - D^-1 W with rows of unit length (N, m).

        On unscaled data the graph falls into many parts that only the floor connects, and the eigenvalues wanted are of
        the order of 1e-13. Lanczos steps with the inverse, shifted by 1e-14, tell those apart where steps with W
        cannot: (1 + shift) D - S is factored, and the rank-one rest follows by Sherman and Morrison. The constant
        vector, of eigenvalue 0, is known and kept out of the search.
        """
        n = len(self.degrees)
        try:
            solve = self._factor()
        except np.linalg.LinAlgError as error:
            raise FloatingPointError("UNCA's graph cannot be factored; rescale the columns.") from error
        column = solve(self.weights)
        factor = _EPS / (1.0 - _EPS * (self.weights @ column))
        root = np.sqrt(self.degrees)
        trivial = root / np.linalg.norm(root)

        def inverse(x):
            x = x.ravel() - trivial * (trivial @ x.ravel())
            v = solve(root * x)
            v = root * (v + column * (factor * (self.weights @ v)))
            return v - trivial * (trivial @ v)

        vectors = [trivial[:, None]]
        k = min(m, n) - 1  # fewer distinct points than clusters have no further eigenvectors
        if k:
            operator = LinearOperator((n, n), matvec=inverse, dtype=np.float64)
            start = rng.standard_normal(n)
            try:
                found = eigsh(operator, k, which="LA", v0=start, tol=1e-3, ncv=min(n, 2 * k + 4))[1]
            except ArpackNoConvergence as error:
                raise FloatingPointError("UNCA's spectral step did not converge; try another seed.") from error
            vectors.append(found[:, ::-1])
        U = np.hstack(vectors) / root[:, None]
        return U / np.maximum(np.linalg.norm(U, axis=1, keepdims=True), np.finfo(float).tiny)

    def cohesion(self, labels: NDArray[np.int64], m: int) -> NDArray[np.float64]:
        """tr(L' D^-1 W L) for every row of labels (T, N): how much of a walk stays in its cluster (T,)."""
        members = (labels[:, None, :] == np.arange(m)[:, None]).reshape(-1, labels.shape[1]).astype(np.float64).T
        sizes = self.weights @ members  # (T M,)
        share = (self.weights / self.degrees)[:, None] * members  # (N, T M)
        stays = np.sum(share * (self.S @ members), axis=0) + _EPS * sizes * (self.weights @ share)
        return (stays / np.maximum(sizes, 1.0)).reshape(len(labels), m).sum(axis=1)

    def _factor(self):
        diagonal = (1.0 + _SHIFT) * self.degrees
        if isinstance(self.S, np.ndarray):
            K = -self.S
            K[np.diag_indices(len(K))] += diagonal
            factor = cho_factor(K.T, overwrite_a=True, check_finite=False)  # K.T: the order LAPACK works in
            return lambda v: cho_solve(factor, v, check_finite=False)
        sparse = csc_array(diags_array(diagonal) - self.S)
        return splu(sparse, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve


def is_spread(Z: NDArray[np.float64]) -> bool:
    """Whether most affinities sit on the floor, judged by some fifty rows; small sets are never worth a tree."""
    if len(Z) <= 400:
        return False
    rows = np.arange(0, len(Z), len(Z) // 50)
    return float(np.mean(squared_distances(Z[rows], Z) < _FLOOR)) < 0.08


def _near(Z: NDArray[np.float64], weights: NDArray[np.float64]):
    """S from the pairs above the floor alone."""
    lists, distances = KDTree(Z).query_radius(Z, np.sqrt(_FLOOR), return_distance=True)
    pointers = np.concatenate([[0], np.cumsum([len(found) for found in lists])])
    columns = np.concatenate(lists)
    rows = np.repeat(np.arange(len(Z)), np.diff(pointers))
    values = np.maximum(np.exp(-(np.concatenate(distances) ** 2)) - _EPS, 0.0)
    values *= weights[rows] * (weights[columns] - (rows == columns))
    return csc_array((values, columns, pointers), shape=(len(Z), len(Z)))


def _all(Z: NDArray[np.float64], weights: NDArray[np.float64]):
    """S from all pairs, sparse where that factors faster."""
    squares = np.einsum("nq,nq->n", Z, Z)
    S = Z @ Z.T
    S *= -2.0
    S += np.add.outer(squares, squares)  # in this order S is symmetric to the last bit, as its Cholesky factor needs
    near = S < _FLOOR
    share = float(near.mean())
    np.minimum(S, _FLOOR, out=S)
    np.negative(S, out=S)
    np.exp(S, out=S)
    S -= _EPS
    S *= near
    S *= weights
    S *= weights[:, None]
    np.fill_diagonal(S, (1.0 - _EPS) * weights * (weights - 1.0))
    return csc_array(S) if len(Z) > 400 and share < 0.15 else S
