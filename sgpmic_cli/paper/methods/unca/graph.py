"""The affinity graph of UNCA's label step.

    W = max(exp(-|z_i - z_j|^2), eps),  W_ii = eps

is stored as S + eps 1 1'. S is zero beyond a distance of 6. With the points sorted along one axis S
is a band matrix, which often is narrow. Equal points have equal entries in the eigenvectors, so w
equal points are one node with weight w: S_uv is multiplied by w_u w_v, pairs within a node are on
the diagonal, and 1 becomes w.

Restarted block Lanczos iterations give the eigenvectors. SciPy's `eigsh` restarts an exhausted
Krylov space with its own random vectors, so its results would differ from call to call: these
graphs have many equal eigenvalues.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy.linalg import cho_solve_banded, cholesky_banded, eigh, qr
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array, Indices

PANEL = 96  # rows of a block

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_FLOOR = -np.log(_EPS)  # squared distance at which an affinity equals eps
_SHIFT = 1e-14
_EXTRA = 2  # additional columns of the eigenvector search
_MAX_STEPS = 500  # of the eigenvector search
_NOISE = 1e-10  # norm of a projected unit vector that consists of rounding errors
_SMALL = 1e-8  # fraction of the largest eigenvalue below which its rounding errors dominate

Operator = Callable[[Array], Array]


class Block(NamedTuple):
    """A rectangle of the upper triangle of a matrix of pairs, as slices of the sorted points."""

    rows: slice
    columns: slice
    same_cluster: bool

    def above_diagonal(self, tile: Array) -> Array:
        """Set the entries of a tile on and below the diagonal of the whole matrix to zero."""
        if self.rows.start == self.columns.start:
            tile[:, : len(tile)] = np.triu(tile[:, : len(tile)], 1)
        return tile


def main_axis_coordinates(Z: Array) -> Array:
    """Project the rows of Z onto the axis of their largest second moment (N,)."""
    size = np.abs(Z).max()
    if size == 0.0 or not np.isfinite(size):
        return Z[:, 0]
    scaled = Z / size
    return Z @ np.linalg.eigh(scaled.T @ scaled)[1][:, -1]


def near_blocks(along: Array, reach: Array, clusters: Sequence[tuple[int, int]]) -> list[Block]:
    """Return blocks that contain every pair whose distance is at most one of the two reaches.

    `clusters` holds the start and end position of each cluster. Within a cluster the coordinates
    `along` (N,) must increase.
    """
    # Largest upper reach of the points up to a position, smallest lower reach of those from it on.
    upper, lower = along + reach, along - reach
    for begin, end in clusters:
        upper[begin:end] = np.maximum.accumulate(upper[begin:end])
        lower[begin:end] = np.minimum.accumulate(lower[begin:end][::-1])[::-1]
    found = []
    for k, (begin, end) in enumerate(clusters):
        for start in range(begin, end, PANEL):
            stop = min(start + PANEL, end)
            farthest = reach[start:stop].max()
            low, high = along[start], along[stop - 1]
            for first, last in clusters[k:]:
                other = slice(first, last)
                left = min(
                    along[other].searchsorted(low - farthest), upper[other].searchsorted(low)
                )
                right = max(
                    along[other].searchsorted(high + farthest, "right"),
                    lower[other].searchsorted(high, "right"),
                )
                columns = slice(max(first + int(left), start), first + int(right))
                if columns.start < columns.stop:
                    found.append(Block(slice(start, stop), columns, first == begin))
    return found


class Affinity:
    """The matrix W = S + eps w w' of distinct rows Z (N, Q) with weights w, sorted by an axis."""

    def __init__(self, Z: Array, weights: Array):
        along = main_axis_coordinates(Z)
        self.order = np.argsort(along, kind="stable")
        Z, along, w = Z[self.order], along[self.order], weights[self.order]
        self.weights = w
        self.diagonal = (1.0 - _EPS) * w * (w - 1.0)  # of S
        reach = np.sqrt(_FLOOR)
        self.band = int(np.max(along.searchsorted(along + reach, "right") - np.arange(len(Z)))) - 1
        self.blocks = near_blocks(along, np.full(len(Z), reach), [(0, len(Z))])
        self.tiles = [_tile(Z, w, block) for block in self.blocks]  # S above the diagonal
        self.degrees = self.diagonal + _EPS * w.sum() * w
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            self.degrees[block.rows] += tile.sum(axis=1)
            self.degrees[block.columns] += tile.sum(axis=0)

    def eigenvectors(self, m: int, rng: np.random.RandomState, error: float) -> Array:
        """Return the m smallest eigenvectors of I - D^-1 W, with rows of unit length.

        On unscaled data only the floor eps connects many components, and the eigenvalues are of
        order 1e-13. Lanczos iterations with the inverse, shifted by 1e-14, separate them. The
        matrix (1 + shift) D - S is factored, and the rank-one term follows by Sherman and Morrison.
        The constant vector with eigenvalue 0 is known and is projected out.

        The search yields D^1/2 times an eigenvector. Division by the root of a tiny degree
        amplifies errors. Another multiplication with the inverse and one with D^-1 W remove them.

        The published program inverts the singular matrix itself, so rounding adds an error to each
        eigenvector in proportion to its eigenvalue. `error` adds normal noise of that size.
        """
        n = len(self.degrees)
        factor = self._factor()

        def solve(V: Array) -> Array:
            return cho_solve_banded((factor, True), V, check_finite=False)

        column = solve(self.weights)
        rank_one = _EPS / (1.0 - _EPS * (self.weights @ column))
        root = np.sqrt(self.degrees)[:, None]
        trivial = root / np.linalg.norm(root)

        def inverse(X: Array) -> Array:
            V = solve(root * (X - trivial * (trivial.T @ X)))
            V = root * (V + rank_one * np.outer(column, self.weights @ V))
            return V - trivial * (trivial.T @ V)

        k = min(m, n) - 1
        start = rng.standard_normal((n, min(k + _EXTRA, n)))
        found = leading_eigenvectors(inverse, start, k, tolerance=1e-3)
        images = inverse(found)
        eigenvalues = 1.0 / np.maximum(np.einsum("nk,nk->k", found, images), 1.0)
        found, _ = np.linalg.qr(images)
        V = self._transition(np.hstack([trivial, found]) / root)
        # The norm is zero if all affinities equal eps.
        V /= np.maximum(np.sqrt(self.weights @ V**2), _TINY)
        V[:, 1:] += error * eigenvalues * rng.standard_normal((n, k)) / np.sqrt(self.weights.sum())
        U = np.empty_like(V)
        U[self.order] = V / np.maximum(np.linalg.norm(V, axis=1, keepdims=True), _TINY)
        return U

    def _transition(self, V: Array) -> Array:
        """Return D^-1 W V."""
        WV = self.diagonal[:, None] * V + _EPS * np.outer(self.weights, self.weights @ V)
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            WV[block.rows] += tile @ V[block.columns]
            WV[block.columns] += (V[block.rows].T @ tile).T
        return WV / self.degrees[:, None]

    def cohesion(self, labels: Indices) -> float:
        """Return tr(L' D^-1 W L) of a partition, with the cluster indicator L."""
        members = np.eye(labels.max() + 1)[labels[self.order]]  # (N, M)
        scaled = (self.weights / self.degrees)[:, None] * members
        sizes = self.weights @ members  # (M,)
        trace = _EPS * sizes * (self.weights @ scaled) + self.diagonal @ scaled
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            trace += np.sum(scaled[block.rows] * (tile @ members[block.columns]), axis=0)
            trace += np.sum(members[block.rows] * (tile @ scaled[block.columns]), axis=0)
        return float(np.sum(trace / np.maximum(sizes, 1.0)))

    def _factor(self) -> Array:
        """Return the Cholesky factor of (1 + shift) D - S in banded form (band + 1, N)."""
        diagonals = np.empty((len(self.degrees), self.band + 1))  # transposed banded form
        for tile, block in zip(self.tiles, self.blocks, strict=True):
            height, width = tile.shape
            padded = np.zeros((height, height + self.band + 1))
            used = min(width, padded.shape[1])  # the last row of a panel can exceed the band
            np.negative(tile[:, :used], out=padded[:, :used])
            step, each = padded.strides
            diagonals[block.rows] = as_strided(padded, (height, self.band + 1), (step + each, each))
        diagonals[:, 0] = (1.0 + _SHIFT) * self.degrees - self.diagonal
        return cholesky_banded(diagonals.T, overwrite_ab=True, lower=True, check_finite=False)


def _tile(Z: Array, weights: Array, block: Block) -> Array:
    """Return S in one block, with zeros on and below the diagonal."""
    squares = np.minimum(cdist(Z[block.rows], Z[block.columns], "sqeuclidean"), 2.0 * _FLOOR)
    tile = np.maximum(np.exp(-squares) - _EPS, 0.0)
    tile *= weights[block.rows, None]
    tile *= weights[block.columns]
    return block.above_diagonal(tile)


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
