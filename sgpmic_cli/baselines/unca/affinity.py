"""The graph of UNCA's label step: Gaussian affinities of bandwidth one, floored at the spacing of floats.

    W = max(exp(-|z_i - z_j|^2), eps),  W_ii = eps

is kept as S + eps 1 1', so that nothing is approximated. S is zero beyond a distance of 6: with the points sorted along
one axis it is a band around the diagonal, often a narrow one. Equal points have equal coordinates in the eigenvectors
wanted, so w of them are one node: S_uv counts w_u w_v times, pairs within a node are on the diagonal, and 1 becomes w.
"""

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines.unca.near_blocks import Block, along_main_axis, blocks
from sgpmic_cli.embeddings.block_lanczos import leading_eigenvectors

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_FLOOR = -np.log(_EPS)  # the squared distance at which an affinity meets the floor
_SHIFT = 1e-14
_SPARE = 2  # columns with which the eigenvectors are searched for, beyond their number


class Affinity:
    """W = S + eps w w' for distinct rows Z (N, Q) that stand for w points each, in the order of one axis."""

    def __init__(self, Z: Array, weights: Array):
        along = along_main_axis(Z)
        self.order = np.argsort(along, kind="stable")
        Z, along, w = Z[self.order], along[self.order], weights[self.order]
        self.weights = w
        self.within = (1.0 - _EPS) * w * (w - 1.0)  # the diagonal of S
        reach = np.sqrt(_FLOOR)
        self.band = int(np.max(along.searchsorted(along + reach, "right") - np.arange(len(Z)))) - 1
        # S above the diagonal: a block for every panel of rows
        self.blocks = blocks(along, np.full(len(Z), reach), [(0, len(Z))])
        self.tiles = [_tile(Z, w, block) for block in self.blocks]
        self.degrees = self.within + _EPS * w.sum() * w
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            self.degrees[block.rows] += tile.sum(axis=1)
            self.degrees[block.columns] += tile.sum(axis=0)

    def eigenvectors(self, m: int, rng: np.random.RandomState, error: float) -> Array:
        """The m smallest eigenvectors of I - D^-1 W, of unit length over all points, then with rows of unit length.

        On unscaled data the graph falls into many parts that only the floor connects, and the eigenvalues wanted are of
        the order of 1e-13. Lanczos steps with the inverse, shifted by 1e-14, tell those apart where steps with W
        cannot: (1 + shift) D - S is factored, and the rank-one rest follows by Sherman and Morrison. The constant
        vector, of eigenvalue 0, is known and kept out of the search.

        What is found is D^1/2 times an eigenvector. Dividing its errors by the root of a tiny degree makes them large:
        one more step with the inverse, and one of the walk D^-1 W, which sets a point to the mean of its neighbours,
        take them away.

        The published program inverts the singular matrix itself. The constant vector then has an eigenvalue of some
        1e16 instead of none, beside which rounding leaves the others an error that grows with their own eigenvalue
        (of I - D^-1 W): normal numbers of `error` times that one, here.
        """
        n = len(self.degrees)
        try:
            factor = self._factor()
        except np.linalg.LinAlgError as error:
            raise FloatingPointError(
                "UNCA's graph cannot be factored; rescale the columns."
            ) from error

        def solve(V: Array) -> Array:
            return cho_solve_banded((factor, True), V, check_finite=False)

        column = solve(self.weights)
        rest = _EPS / (1.0 - _EPS * (self.weights @ column))
        root = np.sqrt(self.degrees)[:, None]
        trivial = root / np.linalg.norm(root)

        def inverse(X: Array) -> Array:
            V = solve(root * (X - trivial * (trivial.T @ X)))
            V = root * (V + rest * np.outer(column, self.weights @ V))
            return V - trivial * (trivial.T @ V)

        k = min(m, n) - 1  # fewer distinct points than clusters have no further eigenvectors
        start = rng.standard_normal((n, min(k + _SPARE, n)))
        try:
            found = leading_eigenvectors(inverse, start, k, tolerance=1e-3)
        except np.linalg.LinAlgError as failure:
            raise FloatingPointError(
                "UNCA's spectral step did not converge; try another seed."
            ) from failure
        images = inverse(found)
        eigenvalues = 1.0 / np.maximum(np.einsum("nk,nk->k", found, images), 1.0)
        found, _ = np.linalg.qr(images)
        V = self._walk(np.hstack([trivial, found]) / root)
        V /= np.maximum(
            np.sqrt(self.weights @ V**2), _TINY
        )  # zero where all affinities are at the floor
        V[:, 1:] += error * eigenvalues * rng.standard_normal((n, k)) / np.sqrt(self.weights.sum())
        U = np.empty_like(V)
        U[self.order] = V / np.maximum(np.linalg.norm(V, axis=1, keepdims=True), _TINY)
        return U

    def _walk(self, V: Array) -> Array:
        """D^-1 W V."""
        WV = self.within[:, None] * V + _EPS * np.outer(self.weights, self.weights @ V)
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            WV[block.rows] += tile @ V[block.columns]
            WV[block.columns] += (V[block.rows].T @ tile).T
        return WV / self.degrees[:, None]

    def cohesion(self, labels: NDArray[np.int64], m: int) -> Array:
        """tr(L' D^-1 W L) for every row of labels (T, N): how much of a walk stays in its cluster (T,)."""
        labels, which = _distinct(labels[:, self.order], m)
        members = (
            _memberships(labels, m).reshape(-1, labels.shape[1]).astype(np.float64).T
        )  # (N, T M)
        sizes = self.weights @ members  # (T M,)
        share = (self.weights / self.degrees)[:, None] * members  # (N, T M)
        stays = _EPS * sizes * (self.weights @ share) + self.within @ share
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            stays += np.sum(share[block.rows] * (tile @ members[block.columns]), axis=0)
            stays += np.sum(members[block.rows] * (tile @ share[block.columns]), axis=0)
        return (stays / np.maximum(sizes, 1.0)).reshape(len(labels), m).sum(axis=1)[which]

    def _factor(self) -> Array:
        """The Cholesky factor of (1 + shift) D - S, its diagonals as rows (band + 1, N)."""
        diagonals = np.empty(
            (len(self.degrees), self.band + 1)
        )  # row j: what stands below the j-th diagonal element
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            height, width = tile.shape
            padded = np.zeros((height, height + self.band + 1))
            reaching = min(
                width, padded.shape[1]
            )  # what a panel's last row reaches, the first may not
            np.negative(tile[:, :reaching], out=padded[:, :reaching])
            step, each = padded.strides
            diagonals[block.rows] = as_strided(padded, (height, self.band + 1), (step + each, each))
        diagonals[:, 0] = (1.0 + _SHIFT) * self.degrees - self.within
        return cholesky_banded(diagonals.T, overwrite_ab=True, lower=True, check_finite=False)


def _tile(Z: Array, weights: Array, block: Block) -> Array:
    """S in one block, zero on and below the diagonal."""
    tile = cdist(Z[block.rows], Z[block.columns], "sqeuclidean")
    np.minimum(tile, 2.0 * _FLOOR, out=tile)
    np.negative(tile, out=tile)
    np.exp(tile, out=tile)
    tile -= _EPS
    np.maximum(tile, 0.0, out=tile)
    tile *= weights[block.rows, None]
    tile *= weights[block.columns]
    if block.on_diagonal:
        tile[:, : len(tile)] = np.triu(tile[:, : len(tile)], 1)
    return tile


def _memberships(labels: NDArray[np.int64], m: int) -> NDArray[np.bool_]:
    """Who belongs to which cluster, for labels (T, N): (T, M, N)."""
    return labels[:, None, :] == np.arange(m)[:, None]


def _distinct(labels: NDArray[np.int64], m: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of labels (T, N) that differ by more than names, and which of these each row is (T,).

    Tries of k-means often end at the same partition. One that is named by its clusters' first points has one name.
    """
    first_points = _memberships(labels, m).argmax(axis=2)  # (T, M)
    names = np.take_along_axis(first_points, labels, axis=1)
    _, firsts, which = np.unique(names, axis=0, return_index=True, return_inverse=True)
    return labels[firsts], which
