"""ISOMAP of a random sample, the landmarks, with every other row set among the landmarks nearest to it.

Exact ISOMAP needs all geodesics: time grows as N^2 log N and memory as N^2. Here both grow as N. A row y is written as
a weighted mean of its nearest landmarks, the weights those that rebuild y best (they sum to one, and a small ridge
keeps them tame, as in locally linear embedding); its coordinates are the same mean of the landmarks' coordinates. A
landmark goes through the same, so that equal rows share a place whether they were drawn or not.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli._typing import Array
from sgpmic_cli.embeddings.isomap import N_NEIGHBORS, Parts, isomap

N_LANDMARKS = 2000
RIDGE = 1e-3  # relative to the mean squared distance to the landmarks
BLOCK_NUMBERS = 2**21  # differences (n, neighbours, P) held at a time


def landmark_isomap(
    Y: Array,
    q: int,
    random_state: np.random.RandomState,
    *,
    n_landmarks: int = N_LANDMARKS,
    parts: Parts = "largest",
) -> Array:
    """Coordinates of the rows of Y on q axes, each at zero mean and unit variance (N, q)."""
    landmarks = Y[np.sort(random_state.permutation(len(Y))[:n_landmarks])]
    X = _among(Y, landmarks, isomap(landmarks, q, parts=parts, unit_variance=False))
    X -= X.mean(axis=0)
    deviation = X.std(axis=0, ddof=1)
    X /= np.where(deviation > 0, deviation, 1.0)
    return X


def _among(Y: Array, landmarks: Array, places: Array) -> Array:
    n_neighbors = min(N_NEIGHBORS, len(landmarks))
    index = NearestNeighbors(n_neighbors=n_neighbors).fit(landmarks)
    X = np.empty((len(Y), places.shape[1]))
    block = max(1, BLOCK_NUMBERS // (n_neighbors * Y.shape[1]))
    for start in range(0, len(Y), block):
        rows = Y[start : start + block]
        near = index.kneighbors(rows, return_distance=False)  # (n, neighbours)
        gaps = landmarks[near] - rows[:, None, :]
        gram = gaps @ gaps.transpose(0, 2, 1)
        size = np.einsum("nkk->n", gram) / n_neighbors
        # A row that all its neighbours coincide with gets equal weights.
        np.einsum("nkk->nk", gram)[:] += np.where(size > 0, RIDGE * size, 1.0)[:, None]
        weights = np.linalg.solve(gram, np.ones((len(rows), n_neighbors, 1)))[:, :, 0]
        weights /= weights.sum(axis=1, keepdims=True)
        X[start : start + block] = np.einsum("nk,nkq->nq", weights, places[near])
    return X
