"""Chains of dense layers whose weights and gradients are views of two flat vectors.

With 64 and 32 hidden units and a few hundred rows the cost of a step is the number of NumPy calls.
An optimiser therefore updates one vector.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

Initialisation = Literal["glorot", "pytorch"]


class Dense:
    """Layers h_l = max(h_{l-1} W_l + b_l, 0) for l = 1..L; the last one is linear.

    `parameters` and `gradient` may be slices of longer vectors, so that one optimiser updates
    several networks. Their precision is that of all computations.
    """

    def __init__(self, sizes: Sequence[int], parameters: np.ndarray, gradient: np.ndarray) -> None:
        self.sizes = list(sizes)
        self.parameters, self.gradient = parameters, gradient
        self.weights, self.biases = self._views(self.parameters)
        self._weight_gradients, self._bias_gradients = self._views(self.gradient)

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """Return the number of weights and biases of the layers."""
        return sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))

    def initialise(self, rng: np.random.RandomState, method: Initialisation = "glorot") -> None:
        """Draw initial parameters.

        "glorot" draws weights with |w| <= sqrt(6 / (n_in + n_out)) and sets biases to zero.
        "pytorch" draws weights and biases with absolute values up to 1 / sqrt(n_in).
        """
        for W, b in zip(self.weights, self.biases, strict=True):
            limit = np.sqrt(6.0 / sum(W.shape)) if method == "glorot" else 1.0 / np.sqrt(len(W))
            W[...] = rng.uniform(-limit, limit, W.shape)
            b[...] = 0.0 if method == "glorot" else rng.uniform(-limit, limit, b.shape)

    def forward(self, X: np.ndarray) -> np.ndarray:
        """Return the output for the rows of X and keep the activations for `backward`."""
        self._layers = [X]
        for W, b in zip(self.weights, self.biases, strict=True):
            h = self._layers[-1] @ W
            h += b
            if W is not self.weights[-1]:
                np.maximum(h, 0.0, out=h)
            self._layers.append(h)
        return h

    def backward(self, delta: np.ndarray) -> None:
        """Set `gradient` from delta = dL/dh_L of the last `forward`."""
        last = len(self.weights) - 1
        for layer in range(last, -1, -1):
            if layer < last:
                delta = delta * (self._layers[layer + 1] > 0.0)
            np.dot(self._layers[layer].T, delta, out=self._weight_gradients[layer])
            np.add.reduce(delta, axis=0, out=self._bias_gradients[layer])
            if layer:
                delta = delta @ self.weights[layer].T
        self._first_delta = delta

    def input_gradient(self) -> np.ndarray:
        """Return dL/dX of the last `backward`."""
        return self._first_delta @ self.weights[0].T

    def _views(self, flat: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        weights, biases, start = [], [], 0
        for n_in, n_out in pairwise(self.sizes):
            weights.append(flat[start : start + n_in * n_out].reshape(n_in, n_out))
            start += n_in * n_out
            biases.append(flat[start : start + n_out])
            start += n_out
        return weights, biases
