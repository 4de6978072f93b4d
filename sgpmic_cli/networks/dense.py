"""Chains of dense layers whose weights and gradients live in two flat vectors.

At these sizes (64 and 32 hidden units, a few hundred rows) the cost of a step is the number of NumPy calls, not the
arithmetic. So an optimiser sees one vector, and every intermediate array is allocated once per number of rows.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

Start = Literal["glorot", "pytorch"]

ACTIVATIONS = ("relu", "linear")


class _Buffers(NamedTuple):
    outputs: list[np.ndarray]  # h_l, (B, n_l)
    deltas: list[np.ndarray]  # dL/dh_l, (B, n_l), for l = 0 the input
    slopes: list[np.ndarray]  # a'_l, (B, n_l)
    zeros: list[
        np.ndarray
    ]  # (B, n_l): the larger of two arrays is found faster than that of an array and a number


class Dense:
    """h_l = a_l(h_{l-1} W_l + b_l) for l = 1..L.

    `parameters` and `gradient` may be handed in as pieces of longer vectors, so that one optimiser drives several
    networks, and in single precision, in which everything is then computed. The arrays returned by `forward` and
    `backward` are overwritten by the next call with as many rows.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        activations: Sequence[str],
        parameters: np.ndarray | None = None,
        gradient: np.ndarray | None = None,
    ) -> None:
        if len(activations) != len(sizes) - 1:
            raise ValueError(
                f"{len(sizes)} layer sizes need {len(sizes) - 1} activations, not {len(activations)}."
            )
        unknown = sorted(set(activations) - set(ACTIVATIONS))
        if unknown:
            raise ValueError(
                f"No activation is called {unknown[0]!r}; use one of {', '.join(ACTIVATIONS)}."
            )
        self.sizes = tuple(sizes)
        self.activations = tuple(activations)
        n = self.count(sizes)
        self.parameters = np.zeros(n) if parameters is None else parameters
        self.gradient = np.zeros(n) if gradient is None else gradient
        if self.parameters.shape != (n,) or self.gradient.shape != (n,):
            raise ValueError(
                f"Layers {self.sizes} have {n} parameters; hand in vectors of that length."
            )
        self.weights, self.biases = self._views(self.parameters)
        self._weight_gradients, self._bias_gradients = self._views(self.gradient)
        self._buffers: dict[int, _Buffers] = {}
        self._inputs = np.empty((0, self.sizes[0]))

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """Number of weights and biases of the layers."""
        return sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))

    def initialise(self, rng: np.random.RandomState, start: Start = "glorot") -> None:
        """Glorot's uniform weights, |w| <= sqrt(6 / (n_in + n_out)), and zero biases, as Keras has them.

        Or PyTorch's: weights and biases uniform within 1 / sqrt(n_in).
        """
        for W, b in zip(self.weights, self.biases, strict=True):
            limit = np.sqrt(6.0 / sum(W.shape)) if start == "glorot" else 1.0 / np.sqrt(len(W))
            W[...] = rng.uniform(-limit, limit, W.shape)
            b[...] = 0.0 if start == "glorot" else rng.uniform(-limit, limit, b.shape)

    def forward(self, X: np.ndarray) -> np.ndarray:
        """The last layer's output for the rows of X; keeps what `backward` needs."""
        buffers = self._for_rows(len(X))
        self._inputs = h = X
        layers = zip(
            self.weights, self.biases, self.activations, buffers.outputs, buffers.zeros, strict=True
        )
        for W, b, activation, out, zeros in layers:
            np.dot(h, W, out=out)
            out += b
            if activation == "relu":
                np.maximum(out, zeros, out=out)
            h = out
        return h

    def backward(self, delta: np.ndarray) -> None:
        """Fill `gradient` from delta = dL/dh_L of the last `forward`."""
        buffers = self._for_rows(len(delta))
        for layer in reversed(range(len(self.weights))):
            h = buffers.outputs[layer - 1] if layer else self._inputs
            if self.activations[layer] == "relu":
                slope = np.greater(
                    buffers.outputs[layer], 0.0, out=buffers.slopes[layer]
                )  # 1 where active, else 0
                delta = np.multiply(delta, slope, out=buffers.deltas[layer + 1])
            np.dot(h.T, delta, out=self._weight_gradients[layer])
            np.add.reduce(delta, axis=0, out=self._bias_gradients[layer])
            if layer:
                delta = np.dot(delta, self.weights[layer].T, out=buffers.deltas[layer])
            else:
                self._first_delta = delta

    def input_gradient(self) -> np.ndarray:
        """dL/dX of the last `backward`: what a network in front of this one receives."""
        return np.dot(
            self._first_delta,
            self.weights[0].T,
            out=self._for_rows(len(self._first_delta)).deltas[0],
        )

    def _views(self, flat: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        weights, biases, start = [], [], 0
        for n_in, n_out in pairwise(self.sizes):
            weights.append(flat[start : start + n_in * n_out].reshape(n_in, n_out))
            start += n_in * n_out
            biases.append(flat[start : start + n_out])
            start += n_out
        return weights, biases

    def _for_rows(self, rows: int) -> _Buffers:
        if rows not in self._buffers:
            precision = self.parameters.dtype
            outputs, slopes, zeros = (
                [np.zeros((rows, n), precision) for n in self.sizes[1:]] for _ in range(3)
            )
            self._buffers[rows] = _Buffers(
                outputs, [np.empty((rows, n), precision) for n in self.sizes], slopes, zeros
            )
        return self._buffers[rows]
