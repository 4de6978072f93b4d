"""An autoencoder and a variational autoencoder, trained with Adam."""

from collections.abc import Callable, Sequence

import numpy as np

from sgpmic_cli.paper.networks.dense import Dense, Initialisation
from sgpmic_cli.paper.networks.losses import (
    MAX_LOG_VARIANCE,
    gaussian_divergence,
    mean_squared_error,
)
from sgpmic_cli.paper.networks.training import Adam, train

Loss = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


class _EncoderDecoder:
    """An encoder and a mirrored decoder with ReLU layers and linear outputs, on one vector."""

    def __init__(
        self,
        encoder_sizes: Sequence[int],
        decoder_sizes: Sequence[int],
        rng: np.random.RandomState,
        initialisation: Initialisation,
        single_precision: bool,
    ) -> None:
        self._precision = np.dtype(np.float32 if single_precision else np.float64)
        split = Dense.count(encoder_sizes)
        self.parameters = np.zeros(split + Dense.count(decoder_sizes), self._precision)
        self.gradient = np.zeros_like(self.parameters)
        self.encoder = Dense(encoder_sizes, self.parameters[:split], self.gradient[:split])
        self.decoder = Dense(decoder_sizes, self.parameters[split:], self.gradient[split:])
        self.encoder.initialise(rng, initialisation)
        self.decoder.initialise(rng, initialisation)

    def fit(
        self,
        Y: np.ndarray,
        rng: np.random.RandomState,
        *,
        learning_rate: float,
        epochs: int,
        batch_size: int,
    ) -> list[float]:
        """Train on the rows of Y (N, P) with Adam and return the loss of every epoch."""
        optimiser = Adam(self.parameters, self.gradient, learning_rate)
        Y = Y.astype(self._precision, copy=False)

        def step(rows: np.ndarray) -> float:
            loss = self._random_loss(Y[rows], rng)
            optimiser.step()
            return loss

        return train(step, len(Y), epochs=epochs, batch_size=batch_size, rng=rng)

    def _random_loss(self, Y: np.ndarray, rng: np.random.RandomState) -> float:
        """Return the loss of a minibatch and set `gradient`."""
        raise NotImplementedError


class Autoencoder(_EncoderDecoder):
    """A network P-h1-h2-...-Q-...-h2-h1-P that minimises the mean squared error."""

    def __init__(
        self,
        sizes: Sequence[int],
        rng: np.random.RandomState,
        initialisation: Initialisation = "glorot",
        *,
        single_precision: bool = False,
    ) -> None:
        super().__init__(sizes, sizes[::-1], rng, initialisation, single_precision)

    def loss(self, Y: np.ndarray) -> float:
        """Return the reconstruction error of the rows of Y and set `gradient`."""
        output = self.decoder.forward(self.encoder.forward(Y))
        delta = np.empty_like(output)
        loss = mean_squared_error(output, Y, delta)
        self.decoder.backward(delta)
        self.encoder.backward(self.decoder.input_gradient())
        return loss

    def _random_loss(self, Y: np.ndarray, rng: np.random.RandomState) -> float:
        return self.loss(Y)

    def encode(self, Y: np.ndarray) -> np.ndarray:
        """Return the codes (N, Q) of the rows of Y."""
        return self.encoder.forward(Y.astype(self._precision, copy=False))


class VariationalAutoencoder(_EncoderDecoder):
    """An encoder P-...-2Q for means m and log-variances v, and a decoder of m + e^(v/2) noise.

    The loss is a reconstruction loss plus the divergence from N(0, I). In double precision e^v is
    continued linearly above MAX_LOG_VARIANCE. In single precision it is not, as in common
    frameworks, so the weights become NaN if e^v overflows.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        loss: Loss,
        rng: np.random.RandomState,
        *,
        single_precision: bool = False,
    ) -> None:
        self.n_code = sizes[-1]
        encoder_sizes = [*sizes[:-1], 2 * self.n_code]
        super().__init__(encoder_sizes, sizes[::-1], rng, "glorot", single_precision)
        self._max_log_variance = np.inf if single_precision else MAX_LOG_VARIANCE
        self._reconstruction = loss

    def loss(self, Y: np.ndarray, noise: np.ndarray) -> float:
        """Return the loss for the rows of Y and given noise (N, Q), and set `gradient`."""
        q, limit = self.n_code, self._max_log_variance
        code = self.encoder.forward(Y)  # (N, 2Q)
        mean, log_variance = code[:, :q], code[:, q:]
        deviation = self._deviation(log_variance)
        output = self.decoder.forward(mean + deviation * noise)
        delta = np.empty_like(output)
        loss = self._reconstruction(output, Y, delta)
        self.decoder.backward(delta)
        code_gradient = self.decoder.input_gradient()
        delta = np.empty_like(code)
        loss += gaussian_divergence(mean, log_variance, delta[:, :q], delta[:, q:], limit)
        delta[:, :q] += code_gradient
        delta[:, q:] += 0.5 * code_gradient * noise * deviation * (log_variance < limit)
        self.encoder.backward(delta)
        return loss

    def _random_loss(self, Y: np.ndarray, rng: np.random.RandomState) -> float:
        return self.loss(Y, self._noise(len(Y), rng))

    def encode(self, Y: np.ndarray) -> np.ndarray:
        """Return the mean codes (N, Q) of the rows of Y."""
        return self.encoder.forward(Y.astype(self._precision, copy=False))[:, : self.n_code].copy()

    def sample(self, Y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Return one random code per row of Y (N, Q)."""
        code = self.encoder.forward(Y.astype(self._precision, copy=False))
        deviation = self._deviation(code[:, self.n_code :])
        return code[:, : self.n_code] + deviation * self._noise(len(Y), rng)

    def _noise(self, rows: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.standard_normal((rows, self.n_code)).astype(self._precision, copy=False)

    def _deviation(self, log_variance: np.ndarray) -> np.ndarray:
        return np.exp(0.5 * np.minimum(log_variance, self._max_log_variance))
