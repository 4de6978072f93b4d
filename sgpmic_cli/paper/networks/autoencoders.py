"""An autoencoder and a variational autoencoder, trained with Adam."""

from collections.abc import Sequence

import numpy as np

from sgpmic_cli.paper.networks.dense import Dense, Initialisation
from sgpmic_cli.paper.networks.losses import (
    MAX_LOG_VARIANCE,
    binary_cross_entropy,
    gaussian_divergence,
    mean_squared_error,
)
from sgpmic_cli.paper.networks.training import Adam, train


class Autoencoder:
    """A network P-h1-h2-...-Q-...-h2-h1-P that minimises the mean squared error.

    Encoder and decoder have ReLU layers and linear outputs; their weights are one vector.
    """

    code_width = 1  # outputs of the encoder for each dimension of the code

    def __init__(
        self,
        sizes: Sequence[int],
        rng: np.random.RandomState,
        initialisation: Initialisation = "glorot",
        *,
        single_precision: bool = False,
    ) -> None:
        self._precision = np.dtype(np.float32 if single_precision else np.float64)
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
            loss = self.loss(Y[rows], self._noise(len(rows), rng))
            optimiser.step()
            return loss

        return train(step, len(Y), epochs=epochs, batch_size=batch_size, rng=rng)

    def loss(self, Y: np.ndarray, noise: np.ndarray) -> float:
        """Return the loss of the rows of Y (N, P) and set `gradient`; `noise` is for subclasses."""
        output = self.decoder.forward(self.encoder.forward(Y))
        loss, delta = mean_squared_error(output, Y)
        self.decoder.backward(delta)
        self.encoder.backward(self.decoder.input_gradient())
        return loss

    def encode(self, Y: np.ndarray) -> np.ndarray:
        """Return the codes (N, Q) of the rows of Y."""
        return self.encoder.forward(Y.astype(self._precision, copy=False))

    def _noise(self, rows: int, rng: np.random.RandomState) -> np.ndarray:
        return np.empty(0)


class VariationalAutoencoder(Autoencoder):
    """An encoder P-...-2Q for means m and log-variances v, and a decoder of m + e^(v/2) noise.

    The loss is the cross-entropy of sigmoid outputs plus the divergence of the code from N(0, I).
    In double precision e^v is continued linearly above MAX_LOG_VARIANCE. In single precision it is
    not, as in common frameworks, so the weights become NaN if e^v overflows.
    """

    code_width = 2

    def loss(self, Y: np.ndarray, noise: np.ndarray) -> float:
        """Return the loss of the rows of Y for given noise (N, Q) and set `gradient`."""
        q = self.n_code
        code = self.encoder.forward(Y)  # (N, 2Q)
        mean, log_variance = code[:, :q], code[:, q:]
        deviation = self._deviation(log_variance)
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
        code = self.encode(Y)
        deviation = self._deviation(code[:, self.n_code :])
        return code[:, : self.n_code] + deviation * self._noise(len(Y), rng)

    def _noise(self, rows: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.standard_normal((rows, self.n_code)).astype(self._precision, copy=False)

    def _deviation(self, log_variance: np.ndarray) -> np.ndarray:
        return np.exp(0.5 * np.minimum(log_variance, self._max_log_variance))

    @property
    def _max_log_variance(self) -> float:
        return np.inf if self._precision == np.float32 else MAX_LOG_VARIANCE
