"""Landmark ISOMAP: ISOMAP of a random subsample, extended to all rows.

Exact ISOMAP takes N^2 log N time and N^2 memory; here both are linear in N. A row is approximated
by a weighted mean of its nearest landmarks, with weights as in locally linear embedding. Its
coordinates are the same mean of the landmarks' coordinates. Landmarks are treated like other rows,
so that equal rows have equal coordinates.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli._typing import Array
from sgpmic_cli.paper.embeddings.isomap import N_NEIGHBORS, Parts, isomap, unit_variance_axes

N_LANDMARKS = 2000
RIDGE = 1e-3  # relative to the mean squared distance to the landmarks
BLOCK_SIZE = 2**21  # number of differences (n, neighbours, P) per block


def landmark_isomap(
    Y: Array,
    q: int,
    random_state: np.random.RandomState,
    *,
    n_landmarks: int = N_LANDMARKS,
    parts: Parts = "largest",
) -> Array:
    """Return coordinates on q axes with zero mean and unit variance (N, q)."""
    landmarks = Y[np.sort(random_state.permutation(len(Y))[:n_landmarks])]
    coordinates = isomap(landmarks, q, parts=parts, unit_variance=False)
    return unit_variance_axes(_interpolate(Y, landmarks, coordinates))


def _interpolate(Y: Array, landmarks: Array, coordinates: Array) -> Array:
    """Return the weighted means of the coordinates of each row's nearest landmarks."""
    n_neighbors = min(N_NEIGHBORS, len(landmarks))
    index = NearestNeighbors(n_neighbors=n_neighbors).fit(landmarks)
    X = np.empty((len(Y), coordinates.shape[1]))
    block = max(1, BLOCK_SIZE // (n_neighbors * Y.shape[1]))
    for start in range(0, len(Y), block):
        rows = Y[start : start + block]
        near = index.kneighbors(rows, return_distance=False)  # (n, neighbours)
        differences = landmarks[near] - rows[:, None, :]
        gram = differences @ differences.transpose(0, 2, 1)
        size = np.einsum("nkk->n", gram) / n_neighbors
        # If a row equals all its neighbours, the weights are equal.
        np.einsum("nkk->nk", gram)[:] += np.where(size > 0, RIDGE * size, 1.0)[:, None]
        weights = np.linalg.solve(gram, np.ones((len(rows), n_neighbors, 1)))[:, :, 0]
        weights /= weights.sum(axis=1, keepdims=True)
        X[start : start + block] = np.einsum("nk,nkq->nq", weights, coordinates[near])
    return X
