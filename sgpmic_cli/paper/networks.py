"""Small dense networks in NumPy: an autoencoder, a variational one, and Adam.

Weights and gradients are views of two flat vectors: with 64 and 32 hidden units and a few hundred
rows the cost of a step is the number of NumPy calls, so an optimiser updates one vector in place.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from scipy.special import expit
from sklearn.utils import gen_batches

MAX_LOG_VARIANCE = 50.0  # largest log-variance that is exponentiated
# Keras clips probabilities to [1e-7, 1 - 1e-7]; this is the same limit for logits.
LOGIT_LIMIT = float(np.log((1.0 - 1e-7) / 1e-7))
DECAYS = 0.9, 0.999  # of the two moments of Adam
EPSILON = 1e-8


class Dense:
    """Layers h_l = max(h_{l-1} W_l + b_l, 0) for l = 1..L; the last one is linear.

    `parameters` and `gradient` may be slices of longer vectors, so that one optimiser updates
    several networks. Their precision is that of all computations.
    """

    def __init__(self, sizes: Sequence[int], parameters: np.ndarray, gradient: np.ndarray) -> None:
        self.sizes, self.parameters, self.gradient = sizes, parameters, gradient
        self.layers, self._gradients = self._views(parameters), self._views(gradient)

    def _views(self, flat: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        views, start = [], 0
        for n_in, n_out in pairwise(self.sizes):
            end = start + n_in * n_out
            views.append((flat[start:end].reshape(n_in, n_out), flat[end : end + n_out]))
            start = end + n_out
        return views

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """Return the number of weights and biases of the layers."""
        return sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))

    def initialise(self, rng: np.random.RandomState, method: str = "glorot") -> None:
        """Draw initial parameters.

        "glorot" draws weights with |w| <= sqrt(6 / (n_in + n_out)) and sets biases to zero.
        "pytorch" draws weights and biases with absolute values up to 1 / sqrt(n_in).
        """
        for W, b in self.layers:
            limit = np.sqrt(6.0 / sum(W.shape)) if method == "glorot" else 1.0 / np.sqrt(len(W))
            W[...] = rng.uniform(-limit, limit, W.shape)
            b[...] = 0.0 if method == "glorot" else rng.uniform(-limit, limit, b.shape)

    def forward(self, X: np.ndarray) -> np.ndarray:
        """Return the output for the rows of X and keep the activations for `backward`."""
        self._activations = [X]
        for layer, (W, b) in enumerate(self.layers, start=1):
            X = X @ W
            X += b
            if layer < len(self.layers):
                np.maximum(X, 0.0, out=X)
            self._activations.append(X)
        return X

    def backward(self, delta: np.ndarray) -> None:
        """Set `gradient` from delta = dL/dh_L of the last `forward`."""
        last = len(self.layers) - 1
        for layer in range(last, -1, -1):
            if layer < last:
                delta = delta @ self.layers[layer + 1][0].T
                delta = delta * (self._activations[layer + 1] > 0.0)
            by_weights, by_biases = self._gradients[layer]
            np.dot(self._activations[layer].T, delta, out=by_weights)
            np.add.reduce(delta, axis=0, out=by_biases)
        self._first_delta = delta

    def input_gradient(self) -> np.ndarray:
        """Return dL/dX of the last `backward`."""
        return self._first_delta @ self.layers[0][0].T


class Autoencoder:
    """A network P-h1-h2-...-Q-...-h2-h1-P that minimises the mean squared error.

    Encoder and decoder have ReLU layers and linear outputs; their weights are one vector.
    """

    code_width = 1  # outputs of the encoder for each dimension of the code

    def __init__(
        self,
        sizes: Sequence[int],
        rng: np.random.RandomState,
        initialisation: str = "glorot",
        *,
        single: bool = False,
    ) -> None:
        self._precision = np.dtype(np.float32 if single else np.float64)
        self.n_code = sizes[-1]
        encoder_sizes, decoder_sizes = [*sizes[:-1], self.code_width * self.n_code], sizes[::-1]
        split = Dense.count(encoder_sizes)
        self.parameters = np.zeros(split + Dense.count(decoder_sizes), self._precision)
        self.gradient = np.zeros_like(self.parameters)
        self.encoder = Dense(encoder_sizes, self.parameters[:split], self.gradient[:split])
        self.decoder = Dense(decoder_sizes, self.parameters[split:], self.gradient[split:])
        self.encoder.initialise(rng, initialisation)
        self.decoder.initialise(rng, initialisation)

    def fit(
        self, Y: np.ndarray, rng: np.random.RandomState, rate: float, epochs: int, batch_size: int
    ) -> list[float]:
        """Train on the rows of Y (N, P) with Adam and return the loss of every epoch."""
        optimiser = Adam(self.parameters, self.gradient, rate)
        Y = Y.astype(self._precision, copy=False)

        def step(rows: np.ndarray) -> float:
            loss = self.loss(Y[rows], rng)
            optimiser.step()
            return loss

        return train(step, len(Y), epochs=epochs, batch_size=batch_size, rng=rng)

    def loss(self, Y: np.ndarray, rng: np.random.RandomState) -> float:
        """Return the loss of the rows of Y (N, P) and set `gradient`; `rng` is for subclasses."""
        output = self.decoder.forward(self.encoder.forward(Y))
        loss, delta = mean_squared_error(output, Y)
        self.decoder.backward(delta)
        self.encoder.backward(self.decoder.input_gradient())
        return loss

    def encode(self, Y: np.ndarray) -> np.ndarray:
        """Return the codes (N, Q) of the rows of Y."""
        return self.encoder.forward(Y.astype(self._precision, copy=False))


class VariationalAutoencoder(Autoencoder):
    """An encoder P-...-2Q for means m and log-variances v, and a decoder of m + e^(v/2) noise.

    The loss is the cross-entropy of sigmoid outputs plus the divergence of the code from N(0, I).
    In double precision e^v is continued linearly above MAX_LOG_VARIANCE. In single precision it is
    not, as in common frameworks, so the weights become NaN if e^v overflows.
    """

    code_width = 2

    def loss(self, Y: np.ndarray, rng: np.random.RandomState) -> float:
        """Return the loss of the rows of Y for random noise (N, Q) and set `gradient`."""
        mean, log_variance, deviation, noise = self._code(Y, rng)
        output = self.decoder.forward(mean + deviation * noise)
        loss, delta = binary_cross_entropy(output, Y)
        self.decoder.backward(delta)
        by_code = self.decoder.input_gradient()
        limit = self._max_log_variance
        divergence, dmean, dlog_variance = gaussian_divergence(mean, log_variance, limit)
        dmean += by_code
        dlog_variance += 0.5 * by_code * noise * deviation * (log_variance < limit)
        self.encoder.backward(np.hstack([dmean, dlog_variance]))
        return loss + divergence

    def sample(self, Y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Return one random code per row of Y (N, Q)."""
        mean, _, deviation, noise = self._code(Y.astype(self._precision, copy=False), rng)
        return mean + deviation * noise

    def _code(self, Y: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, ...]:
        """Return mean, log-variance, standard deviation and noise of the codes, all (N, Q)."""
        code = self.encoder.forward(Y)
        mean, log_variance = code[:, : self.n_code], code[:, self.n_code :]
        deviation = np.exp(0.5 * np.minimum(log_variance, self._max_log_variance))
        noise = rng.standard_normal(mean.shape).astype(self._precision, copy=False)
        return mean, log_variance, deviation, noise

    @property
    def _max_log_variance(self) -> float:
        return np.inf if self._precision == np.float32 else MAX_LOG_VARIANCE


def mean_squared_error(output: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """Return 1/(N P) sum (o - t)^2 and its gradient."""
    residual = output - target
    value = np.vdot(residual, residual) / residual.size
    residual *= 2.0 / residual.size
    return float(value), residual


def binary_cross_entropy(logits: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """Return 1/(N P) sum log(1 + e^l) - t l for logits l, and its gradient.

    The logits are clipped to +-LOGIT_LIMIT, and outside the gradient is zero. This bounds the loss
    for targets above 1.
    """
    clipped = np.clip(logits, -LOGIT_LIMIT, LOGIT_LIMIT)
    # log(1 + e^l) from vectorised functions, because np.logaddexp takes ten times as long.
    softplus = np.log1p(np.exp(-np.abs(clipped))) + np.maximum(clipped, 0.0)
    value = (softplus.sum() - np.vdot(target, clipped)) / clipped.size
    gradient = expit(clipped) - target
    gradient *= np.abs(logits) <= LOGIT_LIMIT
    gradient /= clipped.size
    return float(value), gradient


def gaussian_divergence(
    mean: np.ndarray, log_variance: np.ndarray, max_log_variance: float = MAX_LOG_VARIANCE
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return KL(N(m, diag e^v) || N(0, I)) = 1/(2N) sum (m^2 + e^v - v - 1) and its gradients.

    Above `max_log_variance` e^v is continued by its tangent, so that value and gradient are finite.
    """
    n = len(mean)
    clipped = np.minimum(log_variance, max_log_variance)
    variance = np.exp(clipped)
    tangent = variance * (1.0 + log_variance - clipped)
    # The sum is in double precision, so that the loss is infinite only if a gradient is.
    value = 0.5 * (np.vdot(mean, mean) + np.sum(tangent - log_variance - 1.0, dtype=np.float64)) / n
    return float(value), mean / n, (variance - 1.0) / (2.0 * n)


class Adam:
    """Adam of Kingma and Ba (2015)."""

    def __init__(self, parameters: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        self.parameters, self.gradient, self.rate, self.steps = parameters, gradient, rate, 0
        self._first, self._second = np.zeros_like(parameters), np.zeros_like(parameters)

    def step(self) -> None:
        """Update the parameters once."""
        self.steps += 1
        (d1, d2), m, v = DECAYS, self._first, self._second
        m *= d1
        m += self.gradient * (1.0 - d1)
        v *= d2
        v += self.gradient * self.gradient * (1.0 - d2)
        # Equal to m / (1-d1^t) over sqrt(v / (1-d2^t)) + eps, with fewer operations on vectors.
        # math.sqrt returns a Python float, which does not convert single precision to double.
        root = math.sqrt(1.0 - d2**self.steps)
        update = m / (np.sqrt(v) + EPSILON * root)
        update *= self.rate * root / (1.0 - d1**self.steps)
        self.parameters -= update


def train(
    step: Callable[[np.ndarray], float],
    n_rows: int,
    *,
    epochs: int,
    batch_size: int,
    rng: np.random.RandomState,
) -> list[float]:
    """Call `step(rows)` for every minibatch and return the mean loss of every epoch.

    `step` updates the parameters and returns the loss of the batch. Every epoch has a new order of
    the rows.
    """
    curve: list[float] = []
    for epoch in range(epochs):
        order, total = rng.permutation(n_rows), 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            for batch in gen_batches(n_rows, batch_size):
                rows = order[batch]
                total += len(rows) * step(rows)
        curve.append(total / n_rows)
        if not np.isfinite(curve[-1]):
            raise FloatingPointError(
                f"The training loss became {curve[-1]} in epoch {epoch + 1}; "
                "use a lower learning rate or rescale the data."
            )
    return curve
