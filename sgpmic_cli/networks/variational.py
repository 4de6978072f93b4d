"""A variational autoencoder: Gaussian codes, a standard normal prior, and a likelihood of choice."""

from collections.abc import Callable, Sequence

import numpy as np

from sgpmic_cli.networks.dense import Dense
from sgpmic_cli.networks.losses import STEEPEST, gaussian_divergence
from sgpmic_cli.networks.optimisers import Adam
from sgpmic_cli.networks.training import train

Loss = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


class VariationalAutoencoder:
    """Encoder P-...-2Q (mean and log-variance), decoder Q-...-P on z = m + e^(v/2) noise; loss + KL to N(0, I).

    In double precision the exponential goes on as a tangent past `STEEPEST`. In single precision nothing is held back,
    as the usual frameworks have it: where e^v overflows, the weights are no numbers from then on.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        loss: Loss,
        rng: np.random.RandomState,
        *,
        single_precision: bool = False,
    ) -> None:
        self._precision = np.dtype(np.float32 if single_precision else np.float64)
        self._steepest = np.inf if single_precision else STEEPEST
        self.n_code = sizes[-1]
        coded, hidden = [*sizes[:-1], 2 * self.n_code], ["relu"] * (len(sizes) - 2)
        split = Dense.count(coded)
        self.parameters = np.zeros(split + Dense.count(sizes[::-1]), self._precision)
        self.gradient = np.zeros_like(self.parameters)
        self.encoder = Dense(
            coded, [*hidden, "linear"], self.parameters[:split], self.gradient[:split]
        )
        self.decoder = Dense(
            sizes[::-1], [*hidden, "linear"], self.parameters[split:], self.gradient[split:]
        )
        self.encoder.initialise(rng)
        self.decoder.initialise(rng)
        self._reconstruction = loss

    def fit(
        self,
        Y: np.ndarray,
        rng: np.random.RandomState,
        *,
        epochs: int,
        batch_size: int,
        learning_rate: float,
    ) -> list[float]:
        """Train on the rows of Y (N, P) with fresh noise in every step and return the loss of every epoch."""
        optimiser = Adam(self.parameters, self.gradient, learning_rate)
        Y = Y.astype(self._precision, copy=False)

        def step(rows: np.ndarray) -> float:
            loss = self.loss(Y[rows], self._noise(len(rows), rng))
            optimiser.step()
            return loss

        return train(step, len(Y), epochs=epochs, batch_size=batch_size, rng=rng)

    def loss(self, Y: np.ndarray, noise: np.ndarray) -> float:
        """Reconstruction plus divergence for the rows of Y and given noise (N, Q); the gradient is left behind."""
        q = self.n_code
        code = self.encoder.forward(Y)  # (N, 2Q)
        mean, log_variance = code[:, :q], code[:, q:]
        deviation = self._deviation(log_variance)
        output = self.decoder.forward(mean + deviation * noise)
        delta = np.empty_like(output)
        loss = self._reconstruction(output, Y, delta)
        self.decoder.backward(delta)
        received = self.decoder.input_gradient()
        delta = np.empty_like(code)
        loss += gaussian_divergence(mean, log_variance, delta[:, :q], delta[:, q:], self._steepest)
        delta[:, :q] += received
        delta[:, q:] += 0.5 * received * noise * deviation * (log_variance < self._steepest)
        self.encoder.backward(delta)
        return loss

    def encode(self, Y: np.ndarray) -> np.ndarray:
        """The mean codes (N, Q) of the rows of Y."""
        return self.encoder.forward(Y.astype(self._precision, copy=False))[:, : self.n_code].copy()

    def sample(self, Y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """One random code per row of Y, (N, Q)."""
        code = self.encoder.forward(Y.astype(self._precision, copy=False))
        return code[:, : self.n_code] + self._deviation(code[:, self.n_code :]) * self._noise(
            len(Y), rng
        )

    def _noise(self, rows: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.standard_normal((rows, self.n_code)).astype(self._precision, copy=False)

    def _deviation(self, log_variance: np.ndarray) -> np.ndarray:
        return np.exp(0.5 * np.minimum(log_variance, self._steepest))
